// A client with a session that says what no honest one does, and comes with tokens that are no good: used before by
// another address, of another server, made with another key, or too old. Whatever it does harms nobody but itself.
#pragma once

#include <memory>
#include <mobula/core/random.hpp>
#include <mobula/transport/client_endpoint.hpp>
#include <mobula/wire/messages.hpp>
#include <optional>
#include <vector>

namespace mobula::sim {

inline constexpr std::uint32_t token_seconds = 45;  // that a token is good
// In Unix seconds, where no clock is wrong.
[[nodiscard]] std::uint64_t date_at(core::Nanoseconds now);

class HostileClient {
 public:
  HostileClient(std::uint64_t seed, std::uint32_t number);

  [[nodiscard]] const transport::Address& address() const { return address_; }
  void receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now);
  [[nodiscard]] static bool is_address(const transport::Address& address);
  // Once per tick. `output` sends from address().
  void act(core::Nanoseconds now, transport::Output& output);
  // A server that has begun anew does not know which tokens were used.
  void begin_anew() {
    used_.reset();
    endpoint_.reset();
  }
  // With a token that is no good.
  [[nodiscard]] bool got_in_wrongly() const { return is_bad_ && endpoint_ != nullptr && endpoint_->connected(); }

 private:
  void enter(core::Nanoseconds now);
  [[nodiscard]] transport::ConnectToken bad_token(std::uint64_t date);
  [[nodiscard]] transport::ConnectToken token(std::uint64_t date, bool of_this_server, bool right_key);
  void listen();
  void speak();
  [[nodiscard]] wire::Message message();
  void say_input();

  core::Random random_;
  std::uint32_t number_;
  transport::Address address_;
  std::unique_ptr<transport::ClientEndpoint> endpoint_;
  transport::ConnectToken token_;
  std::optional<transport::ConnectToken> used_;  // from another address
  bool is_bad_ = false;                          // the token of this one
  bool is_in_ = false;
  bool has_said_hello_ = false;
  std::uint64_t sessions_ = 0;
  std::uint32_t newest_ = 0;  // delta
  std::uint32_t ack_ = 0;
  core::Bytes buffer_;
  std::vector<core::Bytes> heard_;  // messages of the server, to be said to it
};

}  // namespace mobula::sim
