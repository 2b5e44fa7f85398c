// Hostile client: has a session, but sends what no honest client would. Its tokens may be invalid: used before from
// another address, for another server, made with another key, or expired. It must harm nobody but itself.
#pragma once

#include <memory>
#include <mobula/core/random.hpp>
#include <mobula/transport/client_endpoint.hpp>
#include <mobula/wire/messages.hpp>
#include <optional>
#include <vector>

namespace mobula::sim {

inline constexpr std::uint32_t token_seconds = 45;  // lifetime of a token
// Unix time in seconds on a correct clock.
[[nodiscard]] std::uint64_t date_at(core::Nanoseconds now);

class HostileClient {
 public:
  HostileClient(std::uint64_t seed, std::uint32_t number);

  [[nodiscard]] const transport::Address& address() const { return address_; }
  void receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now);
  [[nodiscard]] static bool is_address(const transport::Address& address);
  // Called once per tick. `output` sends from address().
  void act(core::Nanoseconds now, transport::Output& output);
  // Called after a restart: the new server does not know which tokens were used.
  void on_server_restart() {
    used_.reset();
    endpoint_.reset();
  }
  // Returns whether an invalid token led to a session, which is a failure.
  [[nodiscard]] bool connected_with_bad_token() const {
    return is_bad_ && endpoint_ != nullptr && endpoint_->connected();
  }

 private:
  void enter(core::Nanoseconds now);
  [[nodiscard]] transport::ConnectToken bad_token(std::uint64_t date);
  [[nodiscard]] transport::ConnectToken token(std::uint64_t date, bool of_this_server, bool right_key);
  void receive_messages();
  void send_messages();
  [[nodiscard]] wire::Message message();
  void send_input();

  core::Random random_;
  std::uint32_t number_;
  transport::Address address_;
  std::unique_ptr<transport::ClientEndpoint> endpoint_;
  transport::ConnectToken token_;
  std::optional<transport::ConnectToken> used_;  // used from another address
  bool is_bad_ = false;                          // the present token is invalid
  bool is_in_ = false;
  bool sent_hello_ = false;
  std::uint64_t sessions_ = 0;
  std::uint32_t newest_ = 0;  // sequence of the last delta
  ecs::Tick tick_ = 0;        // tick of the last delta
  std::uint32_t ack_ = 0;
  core::Bytes buffer_;
  std::vector<core::Bytes> received_;  // messages of the server, to be sent back to it
};

}  // namespace mobula::sim
