#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mobula/resource/files/resource_file.hpp>
#include <mobula/resource/resource.hpp>
#include <mobula/schema/components.hpp>
#include <seeds.hpp>
#include <sstream>

namespace mobula::resource {
namespace {

namespace fs = std::filesystem;

// Runs the program in a temporary folder.
class MobulaCompile : public testing::Test {
 protected:
  MobulaCompile() : folder_(fs::temp_directory_path() / ("mobula_compile." + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~MobulaCompile() override { fs::remove_all(folder_); }

  int run(const std::string& arguments) {
    const std::string command =
        "cd '" + folder_.string() + "' && '" MOBULA_BIN_DIR "/mobula-compile' " + arguments + " >out 2>err";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  std::string read(const std::string& name) {
    std::stringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  [[nodiscard]] bool there(const std::string& name) const { return fs::exists(folder_ / name); }
  // Returns the number of files besides out and err.
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{})) - 2;
  }

  fs::path folder_;
};

TEST_F(MobulaCompile, WritesALevelAndItsDepfile) {
  fs::create_directories(folder_ / "lib");
  write("a b.json", R"({"include":["lib/p.json"],"entities":{"e":{"prefab":"p"}}})");
  write("lib/p.json", R"({"prefabs":{"p":{"components":{"Health":{}}}}})");
  ASSERT_EQ(run("'a b.json' -o out.level --depfile out.d"), 0) << read("err");
  EXPECT_EQ(read("out.d"), "out.level: \\\n  a\\ b.json \\\n  lib/p.json\n");
  EXPECT_TRUE(read("out").starts_with("out.level: 1 entities, 0 spawnable prefabs, ")) << read("out");
  EXPECT_TRUE(load_file((folder_ / "out.level").string()).ok());
}

TEST_F(MobulaCompile, RefusesBadInputAndWritesNothing) {
  write("bad.json", "{\"entities\":{\n\"e\":{\"components\":{\"Helth\":{},\"Team\":{\"colour\":\"red\"}}}}}");
  write("old.level", "what was there before");
  EXPECT_EQ(run("bad.json -o old.level --depfile old.d"), 2);
  EXPECT_EQ(read("err"),
            "bad.json:2:20: 'Helth' is not a component (did you mean 'Health'?); expected one of the schema's, or a "
            "name with "
            "\"$type\"\n"
            "bad.json:2:39: 'colour' is not a field of Team (did you mean 'color'?); expected one of color\n");
  EXPECT_EQ(read("old.level"), "what was there before");
  EXPECT_EQ(files(), 2u);
}

TEST_F(MobulaCompile, RefusesUnreadableAndUnwritableFiles) {
  EXPECT_EQ(run("missing.json -o out.level"), 2);
  EXPECT_EQ(read("err"), "missing.json: cannot be read: No such file or directory\n");
  write("ok.json", "{}");
  EXPECT_EQ(run("ok.json -o nowhere/out.level"), 2);
  EXPECT_EQ(read("err"), "nowhere/out.level: No such file or directory\n");
  EXPECT_EQ(run("ok.json -o out.level --schema ok.json"), 2);
  EXPECT_EQ(read("err").substr(0, 9), "ok.json: ");
  EXPECT_FALSE(there("out.level"));
}

TEST_F(MobulaCompile, ReportsWrongUsage) {
  EXPECT_EQ(run("--help"), 0);
  EXPECT_NE(read("out").find("Examples:"), std::string::npos);
  const std::pair<const char*, const char*> mistakes[] = {
      {"", "input is required"},
      {"a.json -o b --nonsense", "The following argument was not expected: --nonsense"},
      {"a.json -o ''", "--output: its value is empty"},
      {"a.json -o b --depfile ''", "--depfile: its value is empty"},
  };
  for (const auto& [arguments, message] : mistakes) {
    EXPECT_EQ(run(arguments), 2) << arguments;
    EXPECT_EQ(read("err"), std::string("mobula-compile: ") + message + " (see --help)\n");
  }
}

TEST_F(MobulaCompile, RefusesToOverwriteItsInputs) {
  write("self.json", R"({"include":["other.json"]})");
  write("other.json", "{}");
  fs::create_symlink("self.json", folder_ / "link");
  const std::pair<const char*, const char*> mistakes[] = {
      {"-o self.json", "self.json: is the same file as self.json"},
      {"-o link", "link: is the same file as self.json"},
      {"-o other.json", "other.json: is the same file as other.json"},
      {"-o o --depfile other.json", "other.json: is the same file as other.json"},
      {"-o o --depfile ./o", "./o: is the same file as o"},
  };
  for (const auto& [arguments, message] : mistakes) {
    EXPECT_EQ(run(std::string("self.json ") + arguments), 2);
    EXPECT_EQ(read("err"), std::string(message) + "; expected one of its own\n");
  }
  EXPECT_EQ(read("self.json"), R"({"include":["other.json"]})");
  EXPECT_EQ(read("other.json"), "{}");
  EXPECT_EQ(files(), 3u);

  core::ByteView schema = demo::schema_bytes();
  write("s.bfbs", std::string(reinterpret_cast<const char*>(schema.data()), schema.size()));
  EXPECT_EQ(run("self.json -o s.bfbs --schema s.bfbs"), 2);
  EXPECT_EQ(read("err"), "s.bfbs: is the same file as s.bfbs; expected one of its own\n");
}

TEST_F(MobulaCompile, WritesLevelAndDepfileBothOrNeither) {
  write("ok.json", "{}");
  EXPECT_EQ(run("ok.json -o nowhere/out.level --depfile out.d"), 2);
  EXPECT_EQ(run("ok.json -o out.level --depfile nowhere/out.d"), 2);
  fs::create_directories(folder_ / "folder");
  EXPECT_EQ(run("ok.json -o folder --depfile out.d"), 2);
  EXPECT_EQ(read("err"), "folder: is not a regular file and stays as it is\n");
  EXPECT_EQ(files(), 2u);
}

TEST_F(MobulaCompile, InspectDescribesAFile) {
  write("ok.json", R"({"entities":{"e":{"components":{"Health":{}}}}})");
  ASSERT_EQ(run("ok.json -o ok.level"), 0);
  EXPECT_EQ(run("inspect ok.level"), 0) << read("err");
  EXPECT_TRUE(read("out").starts_with("ok.level: format 2, ")) << read("out");
  EXPECT_NE(read("out").find("level: 1 entity, 1 root, 1 level deep\n"), std::string::npos) << read("out");
  EXPECT_EQ(run("inspect ok.level --json"), 0) << read("err");
  EXPECT_TRUE(read("out").starts_with("{\n  \"file\": \"ok.level\",\n  \"format\": 2,\n")) << read("out");
  EXPECT_EQ(run("inspect ok.json"), 2);
  EXPECT_EQ(read("err"), "ok.json: this is not a compiled resource: it does not begin with MOBR\n");
  EXPECT_EQ(run("inspect missing"), 2);
  EXPECT_EQ(read("err"), "missing: No such file or directory\n");
  EXPECT_EQ(run("inspect ok.level >/dev/full 2>err #"), 2);
}

TEST_F(MobulaCompile, DecompileWritesJsonThatCompilesToTheSameBytes) {
  write("in.json", R"({"entities":{"e":{"components":{"Health":{"current":7}}}}})");
  ASSERT_EQ(run("in.json -o a.level"), 0);
  ASSERT_EQ(run("decompile a.level -o b.json --schema-to b.bfbs"), 0) << read("err");
  EXPECT_EQ(read("out"), "b.json: 1 entities, 0 spawnable prefabs\n");
  EXPECT_EQ(read("err"), "");
  ASSERT_EQ(run("b.json -o b.level --schema b.bfbs"), 0) << read("err");
  EXPECT_EQ(read("b.level"), read("a.level"));
  EXPECT_EQ(run("decompile a.level"), 0) << read("err");
  EXPECT_EQ(read("out"), read("b.json"));
  EXPECT_EQ(read("out"),
            "{\"entities\": {\"e\": {\"components\": {\"Health\": {\"current\": 7, \"maximum\": 100}}}}}\n");
}

TEST_F(MobulaCompile, DecompileRefusesUnreadableAndUnwritableFiles) {
  write("in.json", "{}");
  ASSERT_EQ(run("in.json -o a.level"), 0);
  const std::pair<const char*, const char*> mistakes[] = {
      {"missing", "missing: No such file or directory"},
      {"in.json", "in.json: this is not a compiled resource: it does not begin with MOBR"},
      {"clients", "clients: this is a client's copy, which lacks what entities are called; expected the whole file"},
      {"a.level -o a.level", "a.level: is the same file as a.level; expected one of its own"},
      {"a.level --schema-to ./a.level", "./a.level: is the same file as a.level; expected one of its own"},
      {"a.level -o b --schema-to b", "b: is the same file as b; expected one of its own"},
      {"a.level -o nowhere/b", "nowhere/b: No such file or directory"},
      {"", "mobula-compile decompile: file is required (see --help)"},
      {"a.level -o ''", "mobula-compile decompile: --output: its value is empty (see --help)"},
  };
  const auto whole = load_file((folder_ / "a.level").string());
  const core::ByteView clients = (*whole)->clients_bytes();
  write("clients", std::string(reinterpret_cast<const char*>(clients.data()), clients.size()));
  for (const auto& [arguments, message] : mistakes) {
    EXPECT_EQ(run(std::string("decompile ") + arguments), 2) << arguments;
    EXPECT_EQ(read("err"), std::string(message) + "\n");
  }
  EXPECT_EQ(files(), 3u);
  for (const char* command : {"inspect", "decompile"}) {
    EXPECT_EQ(run(std::string(command) + " --help"), 0);
    EXPECT_NE(read("out").find("Examples:"), std::string::npos);
  }
}

TEST_F(MobulaCompile, RecompilesTheDemosLevel) {
  ASSERT_EQ(run("'" MOBULA_SOURCE_DIR "/server/examples/demo/level/village.json' -o village.level"), 0) << read("err");
  const auto level = load_file((folder_ / "village.level").string());
  ASSERT_TRUE(level.ok());
  EXPECT_GE((*level)->level().num_entities, 10'000u);
  for (const char* prefab : {"avatar", "coin", "medkit", "key"})
    EXPECT_NE((*level)->find_prefab(core::StringId32(std::string_view(prefab))), nullptr) << prefab;

  if (!test::runs_all()) return;  // the way back takes twice as long
  ASSERT_EQ(run("decompile village.level -o again.json"), 0) << read("err");
  EXPECT_EQ(read("err"), "");
  ASSERT_EQ(run("again.json -o again.level"), 0) << read("err");
  EXPECT_EQ(read("again.level"), read("village.level"));
}

}  // namespace
}  // namespace mobula::resource
