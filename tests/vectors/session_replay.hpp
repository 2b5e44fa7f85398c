// Replays a session of schema/session_vectors.json to a new connection and compares what results.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vectors/level_store.hpp>
#include <vectors/mirror_json.hpp>

namespace mobula::test {

class SessionReplay {
 public:
  /// Both outlive this. They are trusted: malformed JSON throws.
  SessionReplay(const Json& file, const Json& session);

  /// Replays all steps. Returns the first difference from what the file states, or "" if there is none.
  std::string run();
  [[nodiscard]] client::Connection& connection() { return *connection_; }
  /// Gives all steps to a decorator of the connection, which outlives this. Call it before run().
  void decorate(client::ConnectionInput& input) { input_ = &input; }
  /// Returns the time at which the connection was made, and later that of the latest step.
  [[nodiscard]] core::Nanoseconds now() const { return now_; }

 private:
  using Handler = void (SessionReplay::*)(const Json& content);
  struct Kind {
    const char* name;
    Handler handler;
  };
  static const std::array<Kind, 5> kinds;

  // Drops what the connection sends: the server of the file has received what is recorded.
  struct Nowhere : transport::Output {
    void send(const transport::Address& /*to*/, core::ByteView /*datagram*/) override {}
  };

  void receive(const Json& datagram);
  void update(const Json& sent);
  void command(const Json& bytes);
  void lose(const Json& why);
  void rejoin(const Json& token);
  std::string replay(const Json& step);
  std::string difference(const Json& step, const Json& ours) const;
  std::string end_difference(const char* member, const Json& ours) const;

  const Json& session_;
  std::optional<LevelStore> level_;
  std::unique_ptr<client::Connection> connection_;
  client::ConnectionInput* input_ = nullptr;  // the connection, or its decorator
  Nowhere nowhere_;
  core::Nanoseconds now_ = 0;
};

}  // namespace mobula::test
