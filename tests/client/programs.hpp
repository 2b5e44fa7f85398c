// Runs the real programs over real sockets, as players and scripts start them.
#pragma once

#include <algorithm>
#include <client/program.hpp>
#include <gmock/gmock.h>
#include <mobula/schema/engine.hpp>
#include <nlohmann/json.hpp>

namespace mobula {

using testing::HasSubstr;

inline std::string last_line(std::string text) {
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

inline std::vector<std::string> keys_of(const nlohmann::ordered_json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

inline std::ptrdiff_t lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

class Programs : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder() = fs::temp_directory_path() / ("mobula_programs." + std::to_string(::getpid()));
    fs::create_directories(folder());
    Program compile(folder(), "mobula-compile", {MOBULA_SOURCE_DIR "/tests/server/levels/hamlet.json", "-o", level()});
    ASSERT_EQ(compile.wait(), 0) << compile.err();
  }
  static void TearDownTestSuite() { fs::remove_all(folder()); }
  static fs::path& folder() {
    static fs::path path;
    return path;
  }
  static std::string level() { return (folder() / "hamlet.level").string(); }

  // Writes a valid schema other than the demo's and returns its path.
  static std::string engine_schema() {
    const core::ByteView schema = engine::schema_bytes();
    const fs::path file = folder() / "engine.bfbs";
    write(file, std::string(reinterpret_cast<const char*>(schema.data()), schema.size()));
    return file.string();
  }
  // Starts a server on free ports.
  Program& serve(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"--port", "0", "--admin-port", "0"};
    if (std::ranges::find(more, "--level") == more.end()) arguments.insert(arguments.end(), {"--level", level()});
    arguments.insert(arguments.end(), more.begin(), more.end());
    Program& server = start("mobula-server", arguments);
    EXPECT_TRUE(server.logs("admin address ")) << server.err();
    const std::string log = server.err();
    port_ = number_after(log, "listening on udp port ");
    tcp_port_ = number_after(log, "listening on tcp port ");
    ws_port_ = number_after(log, "listening on ws port ");
    admin_ = "http://127.0.0.1:" + std::to_string(number_after(log, "admin address http://127.0.0.1:"));
    return server;
  }
  // Returns the number after a marker; -1 if the log does not contain the marker.
  static int number_after(const std::string& log, const std::string& marker) {
    const std::size_t place = log.find(marker);
    return place == std::string::npos ? -1 : std::stoi(log.substr(place + marker.size()));
  }
  // Returns how often a text was logged, including the lines that the rate limiter only counted.
  static std::size_t lines_like(const std::string& log, const std::string& text) {
    std::istringstream stream(log);
    std::size_t count = 0;
    for (std::string line; std::getline(stream, line);) {
      if (line.find(text) == std::string::npos || !line.ends_with('}')) continue;
      const std::string message = nlohmann::json::parse(line)["message"];
      const std::size_t more = message.find(" more like this: ");
      count += more == std::string::npos ? 1 : std::stoul(message.substr(0, more));
    }
    return count;
  }
  // Waits until a number of players have joined.
  static bool have_joined(const Program& server, std::size_t players) {
    for (const auto end = steady_clock::now() + patience; steady_clock::now() < end;) {
      if (lines_like(server.err(), " joined from") == players) return true;
      std::this_thread::sleep_for(milliseconds(10));
    }
    return false;
  }
  static std::string new_key() {
    static int count = 0;
    const std::string path = (folder() / ("key." + std::to_string(++count))).string();
    Program token(folder(), "mobula-token", {"--new-key", path});
    EXPECT_EQ(token.wait(), 0) << token.err();
    return path;
  }
  // Returns the options with which clients join the server.
  [[nodiscard]] std::vector<std::string> in(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--connect", address(), "--admin", admin_});
    return more;
  }
  Program& start(const std::string& name, const std::vector<std::string>& arguments) {
    return *programs_.emplace_back(std::make_unique<Program>(folder(), name, arguments));
  }
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  // Expects that a program ends with status 2 and prints one line that contains `why`.
  void expect_refusal(const std::string& name, const std::vector<std::string>& arguments, const std::string& why) {
    SCOPED_TRACE(name + " " + testing::PrintToString(arguments));
    Program& program = start(name, arguments);
    EXPECT_EQ(program.wait(), 2) << program.err();
    const std::string err = program.err();
    EXPECT_EQ(lines(err), 1) << err;
    EXPECT_THAT(err, HasSubstr(why));
    EXPECT_EQ(program.out(), "");
  }

  int port_ = 0;
  int tcp_port_ = 0;
  int ws_port_ = 0;
  std::string admin_;
  std::vector<std::unique_ptr<Program>> programs_;
};

class ClientPrograms : public Programs {};
class BotPrograms : public Programs {};
class ServerPrograms : public Programs {};

}  // namespace mobula
