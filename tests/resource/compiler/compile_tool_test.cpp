// The program of a team, with its own schema and component compilers.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <mobula/resource/compiler/compile_tool.hpp>
#include <mobula/resource/resource.hpp>
#include <reflect/compile_schema.hpp>
#include <resource/random_level.hpp>
#include <sstream>

namespace mobula::resource {
namespace {

namespace fs = std::filesystem;

class CompileToolTest : public testing::Test {
 protected:
  CompileToolTest() { fs::create_directories(folder_); }
  ~CompileToolTest() override { fs::remove_all(folder_); }

  // File names are used as given; names in the folder begin with @.
  int run(const std::vector<std::string>& arguments, const CompileTool& tool) {
    std::vector<std::string> kept{"/somewhere/my-compile"};
    for (const std::string& each : arguments)
      kept.push_back(each.starts_with('@') ? (folder_ / each.substr(1)).string() : each);
    std::vector<char*> argv;
    for (std::string& each : kept) argv.push_back(each.data());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = run_compile_tool(static_cast<int>(argv.size()), argv.data(), tool);
    out_ = testing::internal::GetCapturedStdout();
    err_ = testing::internal::GetCapturedStderr();
    return status;
  }
  std::string read(const std::string& name) {
    std::stringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }

  fs::path folder_ = fs::temp_directory_path() / ("mobula_compile_tool." + std::to_string(::getpid()));
  std::string out_;
  std::string err_;
};

TEST_F(CompileToolTest, APipeIsNoSource) {
  const core::Bytes schema = test::compile_schema("struct Owned (component) { more:ubyte; }");
  const CompileTool tool{schema, "my game's"};
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  std::ofstream(folder_ / "in.json") << R"({"include":["pipe"]})";
  EXPECT_EQ(run({"@in.json", "-o", "@a.level"}, tool), 2);
  EXPECT_NE(err_.find("pipe cannot be included: is not a regular file"), std::string::npos) << err_;
  EXPECT_EQ(run({"@pipe", "-o", "@a.level"}, tool), 2);
  EXPECT_NE(err_.find("pipe: cannot be read: is not a regular file"), std::string::npos) << err_;
}

TEST_F(CompileToolTest, ATeamsSchemaAndCompilersAreUsedBothWays) {
  const core::Bytes schema = test::compile_schema("struct Owned (component) { what:uint (string_id); more:ubyte; }");
  const CompileTool tool{schema, "my game's", test::random_level_compilers()};
  std::ofstream(folder_ / "in.json") << R"({"entities":{"a":{"components":{
    "Route":{"to":"/a","via":"way"},"Owned":{"what":"thing"}}}}})";
  ASSERT_EQ(run({"@in.json", "-o", "@a.level"}, tool), 0) << err_;
  ASSERT_EQ(run({"decompile", "@a.level", "-o", "@again.json"}, tool), 0) << err_;
  EXPECT_EQ(err_, "");
  ASSERT_EQ(run({"@again.json", "-o", "@b.level"}, tool), 0) << err_;
  EXPECT_EQ(read("a.level"), read("b.level"));

  // Without the compilers, fields are tried, and the rest is in hex.
  const CompileTool plain{schema, "my game's"};
  ASSERT_EQ(run({"decompile", "@a.level", "-o", "@plain.json"}, plain), 0) << err_;
  EXPECT_EQ(err_, "");
  ASSERT_EQ(run({"@plain.json", "-o", "@c.level"}, plain), 0) << err_;
  EXPECT_EQ(read("a.level"), read("c.level"));
}

// A compiler of a team that does not fill its component.
TEST_F(CompileToolTest, ACompilerOfAnotherSizeFailsACheck) {
  CompilerTable table;
  table.add("Owned", {.compile = [](const ComponentSource&, ComponentContext&, core::Bytes& out) { out.resize(3); }});
  const core::Bytes schema = test::compile_schema("struct Owned (component) { what:uint; more:ubyte; }");
  std::ofstream(folder_ / "in.json") << R"({"entities":{"a":{"components":{"Owned":{}}}}})";
  std::string program = "my-compile";
  std::string input = folder_ / "in.json";
  std::string option = "-o";
  std::string output = folder_ / "a.level";
  std::array<char*, 4> argv{program.data(), input.data(), option.data(), output.data()};
  EXPECT_DEATH(run_compile_tool(argv.size(), argv.data(), {schema, "my game's", table}), "a compiler of Owned made");
}

TEST_F(CompileToolTest, ShowsItsOwnNameInHelp) {
  const core::Bytes schema = test::compile_schema("");
  const CompileTool tool{schema, "my game's"};
  EXPECT_EQ(run({"--help"}, tool), 0);
  EXPECT_NE(out_.find("my game's if not given"), std::string::npos) << out_;
  EXPECT_NE(out_.find("  my-compile decompile F "), std::string::npos) << out_;
  EXPECT_EQ(run({"inspect"}, tool), 2);
  EXPECT_EQ(err_, "my-compile inspect: file is required (see --help)\n");
}

TEST_F(CompileToolTest, WarnsOfAFileOfOtherCompilers) {
  // The registered compiler makes less than the file has. The JSON has the column in hex and does not use the compiler,
  // but a Parent column is always made by the compiler.
  const core::Bytes schema = test::compile_schema("");
  std::ofstream(folder_ / "in.json") << R"({"entities":{"a":{"children":{"b":{}}}}})";
  CompileTool late{schema, "my game's"};
  late.compilers.add("Parent", {.spawn_order = 9, .compile = [](const auto&, auto&, auto&) {}});
  ASSERT_EQ(run({"@in.json", "-o", "@a.level"}, late), 0) << err_;
  ASSERT_EQ(run({"decompile", "@a.level"}, {schema, "my game's"}), 0);
  EXPECT_EQ(err_, (folder_ / "a.level").string() + ": differs when compiled again\n");
}

}  // namespace
}  // namespace mobula::resource
