// The C example: a C99 compiler takes it, and it joins a real server.
#include <client/programs.hpp>

namespace mobula {
namespace {

class CExample : public Programs {
 protected:
  // Compiles and links the example as its first lines show. Returns its path.
  static std::string build() {
    const std::string object = (folder() / "example.o").string();
    const std::string program = (folder() / "example").string();
    Program compiled(folder(), "/usr/bin/env",
                     {"gcc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I",
                      MOBULA_SOURCE_DIR "/client/c", "-c", MOBULA_SOURCE_DIR "/client/c/example.c", "-o", object});
    EXPECT_EQ(compiled.wait(), 0) << compiled.err();
    const fs::path library = MOBULA_SHARED_LIBRARY;
    std::vector<std::string> link{
        MOBULA_C_LINKER, object, library.string(), "-o", program, "-Wl,-rpath," + library.parent_path().string()};
    if (const std::string option = MOBULA_C_LINK_OPTION; !option.empty()) link.push_back(option);
    Program linked(folder(), "/usr/bin/env", link);
    EXPECT_EQ(linked.wait(), 0) << linked.err();
    return program;
  }
  // Writes a connect token, as text, and returns the path of the file.
  [[nodiscard]] std::string token_file() {
    const std::string file = (folder() / "demo.token").string();
    Program& asked = start("/usr/bin/env", {"curl", "-sS", "-d", R"({"count": 1})", admin_ + "/api/tokens"});
    EXPECT_EQ(asked.wait(), 0) << asked.err();
    write(file, nlohmann::json::parse(asked.out())["tokens"][0].get<std::string>() + "\n");
    return file;
  }
};

TEST_F(CExample, PrintsWhereThePlayerIs) {
  const std::string example = build();
  Program& server = serve();
  Program& player = start(example, {token_file(), address()});
  EXPECT_TRUE(player.prints("the player is at ")) << player.err() << server.err();
  EXPECT_EQ(player.wait(), 0) << player.err();
  EXPECT_GT(lines(player.out()), 50) << "one for each tick";
}

TEST_F(CExample, MovesThePlayerByACommand) {
  const std::string example = build();
  const fs::path schema =
      fs::path(MOBULA_BIN_DIR).parent_path() / "schema" / "mobula_schema_demo_commands" / "demo_commands.bfbs";
  Program& server = serve();
  Program& player = start(example, {token_file(), address(), schema.string()});
  EXPECT_EQ(player.wait(), 0) << player.err() << server.err();
  const std::string out = player.out();
  const std::string before = "the player is at ";
  const std::size_t first = out.find(before);
  ASSERT_NE(first, std::string::npos) << player.err();
  const auto x_at = [&](std::size_t place) { return std::stod(out.substr(place + before.size())); };
  EXPECT_GT(x_at(out.rfind(before)), x_at(first) + 1);
}

TEST_F(CExample, NamesWhatIsWrongWithAToken) {
  const std::string example = build();
  const std::string damaged = (folder() / "damaged.token").string();
  write(damaged, "no token");
  Program& refused = start(example, {damaged});
  EXPECT_EQ(refused.wait(), 1);
  EXPECT_THAT(refused.err(), HasSubstr("create: "));
  Program& missing = start(example, {(folder() / "missing.token").string()});
  EXPECT_EQ(missing.wait(), 2);
  EXPECT_THAT(missing.err(), HasSubstr("usage: "));
}

}  // namespace
}  // namespace mobula
