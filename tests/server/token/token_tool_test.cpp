#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <mobula/core/base64.hpp>
#include <mobula/transport/connect_token.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <token/token_tool.hpp>

namespace mobula::server {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class TokenToolTest : public testing::Test {
 protected:
  TokenToolTest() {
    fs::create_directories(folder_);
    EXPECT_EQ(run({"--new-key", "@a.key"}), 0) << err_;
  }
  ~TokenToolTest() override { fs::remove_all(folder_); }

  // Runs the program. File names begin with @.
  int run(const std::vector<std::string>& arguments) {
    std::vector<std::string> kept{"/somewhere/mobula-token"};
    for (const std::string& each : arguments) kept.push_back(each.starts_with('@') ? path(each.substr(1)) : each);
    std::vector<char*> argv;
    for (std::string& each : kept) argv.push_back(each.data());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = run_token_tool(static_cast<int>(argv.size()), argv.data());
    out_ = testing::internal::GetCapturedStdout();
    err_ = testing::internal::GetCapturedStderr();
    return status;
  }
  // Returns the error of a refused run, without the name of the test's folder.
  std::string error_of(const std::vector<std::string>& arguments) {
    EXPECT_EQ(run(arguments), 2);
    EXPECT_EQ(out_, "");
    for (std::size_t at = 0; (at = err_.find(folder_.string() + '/')) != std::string::npos;)
      err_.erase(at, folder_.string().size() + 1);
    return err_;
  }
  json shown(const std::vector<std::string>& arguments) {
    EXPECT_EQ(run(arguments), 0) << err_;
    return json::parse(out_);
  }
  std::string path(const std::string& name) { return (folder_ / name).string(); }
  std::string read(const std::string& name) {
    std::stringstream text;
    text << std::ifstream(path(name), std::ios::binary).rdbuf();
    return text.str();
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(path(name), std::ios::binary) << text; }

  fs::path folder_ = fs::temp_directory_path() / ("mobula_token_tool." + std::to_string(::getpid()));
  std::string out_;
  std::string err_;
};

TEST_F(TokenToolTest, MintsATokenWithTheGivenOptions) {
  ASSERT_EQ(run({"--key-file", "@a.key", "--server", "192.0.2.1:7777", "--server", "[2001:db8::1]:80", "--client-id",
                 "18446744073709551614", "--user-data", "anna", "--expire", "30", "--timeout", "-1"}),
            0)
      << err_;
  EXPECT_EQ(err_, "");
  ASSERT_EQ(out_.size(), 2732u + 1);
  write("t", out_);
  const json token = shown({"--show", "@t", "--key-file", "@a.key"});
  EXPECT_EQ(token["protocol_id"], "0x1414c55424f4d");
  EXPECT_EQ(token["expire_time"].get<std::uint64_t>() - token["create_time"].get<std::uint64_t>(), 30u);
  EXPECT_EQ(token["timeout_seconds"], -1);
  EXPECT_EQ(token["servers"], json::parse(R"(["192.0.2.1:7777", "[2001:db8::1]:80"])"));
  EXPECT_EQ(token["private"], json::parse(R"({"client_id": "18446744073709551614", "timeout_seconds": -1,
      "servers": ["192.0.2.1:7777", "[2001:db8::1]:80"], "user_data": "anna"})"));
}

TEST_F(TokenToolTest, AServerIsWrittenAsForAClient) {
  ASSERT_EQ(run({"--key-file", "@a.key", "--server", "192.0.2.1", "--server", "ws:192.0.2.1:7778", "--server",
                 "wss://192.0.2.1/game", "--server", "tcp://[2001:db8::1]", "-o", "@t"}),
            0)
      << err_;
  EXPECT_EQ(shown({"--show", "@t"})["servers"],
            json::parse(R"(["192.0.2.1:7777", "192.0.2.1:7778", "192.0.2.1:443", "[2001:db8::1]:7777"])"));
}

TEST_F(TokenToolTest, HasDefaults) {
  ASSERT_EQ(run({"--key-file", "@a.key", "--server", "192.0.2.1:7777", "-o", "@t"}), 0) << err_;
  EXPECT_EQ(out_, "");
  EXPECT_EQ(fs::status(path("t")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  const json first = shown({"--show", "@t", "--key-file", "@a.key"});
  EXPECT_EQ(first["expire_time"].get<std::uint64_t>() - first["create_time"].get<std::uint64_t>(), 45u);
  EXPECT_EQ(first["timeout_seconds"], 10);
  EXPECT_EQ(first["private"]["user_data"], "");
  ASSERT_EQ(run({"--key-file", "@a.key", "--server", "192.0.2.1:7777", "-o", "@t"}), 0) << err_;
  EXPECT_NE(shown({"--show", "@t", "--key-file", "@a.key"})["private"]["client_id"], first["private"]["client_id"]);
}

TEST_F(TokenToolTest, AClientIdOfZeroIsValid) {
  ASSERT_EQ(run({"--key-file", "@a.key", "--server", "192.0.2.1:7777", "--client-id", "0", "-o", "@t"}), 0) << err_;
  EXPECT_EQ(shown({"--show", "@t", "--key-file", "@a.key"})["private"]["client_id"], "0");
}

TEST_F(TokenToolTest, BinaryIsTheTokenItself) {
  ASSERT_EQ(run({"--key-file", "@a.key", "--server", "192.0.2.1:7777", "--protocol-id", "0x1122334455667788",
                 "--user-data-hex", "00ff10", "--binary", "-o", "@t"}),
            0)
      << err_;
  const std::string bytes = read("t");
  ASSERT_EQ(bytes.size(), 2048u);
  EXPECT_TRUE(transport::read_token(core::as_bytes(bytes.data(), bytes.size())).ok());
  const json token = shown({"--show", "@t", "--key-file", "@a.key"});
  EXPECT_EQ(token["protocol_id"], "0x1122334455667788");
  EXPECT_EQ(token["private"]["user_data_hex"], "00ff10");
  EXPECT_FALSE(token["private"].contains("user_data"));
}

TEST_F(TokenToolTest, ShowsThePrivatePartOnlyWithItsKey) {
  ASSERT_EQ(run({"--new-key", "@b.key"}), 0);
  ASSERT_EQ(run({"--key-file", "@a.key", "--server", "192.0.2.1:7777", "-o", "@t"}), 0);
  EXPECT_FALSE(shown({"--show", "@t"}).contains("private"));
  EXPECT_EQ(error_of({"--show", "@t", "--key-file", "@b.key"}),
            "mobula-token: t: the token's private part was not sealed with this key, or is damaged\n");
}

TEST_F(TokenToolTest, RefusesOtherFiles) {
  for (const std::string& content : {std::string(), std::string("x"), std::string(2048, 'A'), std::string(4000, 'A'),
                                     core::to_base64(core::Bytes(2047))}) {
    write("t", content);
    EXPECT_TRUE(error_of({"--show", "@t"}).starts_with("mobula-token: t: ")) << content.size();
  }
  EXPECT_EQ(error_of({"--show", "@none"}), "mobula-token: none: No such file or directory\n");
}

TEST_F(TokenToolTest, AKeyIsNeverOverwritten) {
  const std::string before = read("a.key");
  EXPECT_EQ(error_of({"--new-key", "@a.key"}), "mobula-token: a.key: File exists\n");
  EXPECT_EQ(read("a.key"), before);
}

TEST_F(TokenToolTest, WarnsOfAKeyThatOthersMayRead) {
  fs::permissions(path("a.key"), fs::perms::others_read, fs::perm_options::add);
  ASSERT_EQ(run({"--key-file", "@a.key", "--server", "192.0.2.1:7777"}), 0);
  EXPECT_NE(err_.find("a.key may be read by others than its owner"), std::string::npos) << err_;
  EXPECT_EQ(out_.size(), 2733u);
}

TEST_F(TokenToolTest, ReportsMissingAndWrongOptions) {
  write("bad.key", "secret");
  const std::vector<std::string> good{"--key-file", "@a.key", "--server", "192.0.2.1:7777"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), good.begin(), good.end());
    return error_of(more);
  };
  EXPECT_EQ(error_of({}), "mobula-token: --key-file is missing (--new-key makes one)\n");
  EXPECT_EQ(error_of({"--key-file", "@a.key"}),
            "mobula-token: --server is missing; expected the address that clients reach, HOST[:PORT]\n");
  EXPECT_EQ(error_of({"--key-file", "@none", "--server", "192.0.2.1:7777"}),
            "mobula-token: none: No such file or directory\n");
  EXPECT_EQ(error_of({"--key-file", "@bad.key", "--server", "192.0.2.1:7777"}),
            "mobula-token: bad.key: not a key: expected 64 hex digits (mobula-token --new-key creates one)\n");
  EXPECT_EQ(with({"--server", "192.0.2.1:0"}),
            "mobula-token: '192.0.2.1:0' is not an address: port 0 cannot be connected to; expected 1 to 65535\n");
  EXPECT_EQ(with({"--user-data-hex", "0g"}), "mobula-token: --user-data-hex: expected pairs of hex digits\n");
  EXPECT_EQ(with({"--user-data", std::string(257, 'x')}), "mobula-token: user data: 257 bytes, at most 256 fit\n");
  EXPECT_EQ(with({"-o", "@no/such/folder"}), "mobula-token: no/such/folder: No such file or directory\n");
  for (const auto& more : std::vector<std::vector<std::string>>{{"--expire", "0"},
                                                                {"--expire", "-1"},
                                                                {"--timeout", "x"},
                                                                {"--client-id", "-1"},
                                                                {"--client-id", "-3"},
                                                                {"--protocol-id", "x"},
                                                                {"--user-data", "a", "--user-data-hex", "00"},
                                                                {"--new-key", "@c.key"},
                                                                {"--show", "@t"},
                                                                {"--nonsense"}}) {
    EXPECT_NE(with(more).find("(see --help)"), std::string::npos) << more[0];
  }
  EXPECT_FALSE(fs::exists(path("c.key")));
  std::vector<std::string> many{"--key-file", "@a.key"};
  for (int i = 0; i < 33; ++i) many.insert(many.end(), {"--server", "192.0.2.1:7777"});
  EXPECT_NE(error_of(many).find("at most 32 servers"), std::string::npos);
}

TEST_F(TokenToolTest, HelpsWithExamples) {
  EXPECT_EQ(run({"--help"}), 0);
  EXPECT_NE(out_.find("mobula-token --new-key shared.key"), std::string::npos) << out_;
}

}  // namespace
}  // namespace mobula::server
