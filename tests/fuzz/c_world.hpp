// Clients of the C interface, and a server that they may reach, for fuzz_c_client.cpp and fuzz_c_prediction.cpp.
#pragma once

#include <c/mobula_client.h>

#include <array>
#include <deque>
#include <fuzz/fuzz.hpp>
#include <fuzz/small_server.hpp>
#include <mobula/server/session/server.hpp>

namespace mobula::fuzz {

// First bytes of steps in an input, for its seeds. The other calls follow in no stated order.
inline constexpr std::uint8_t c_create_call = 0;
inline constexpr std::uint8_t c_tick_call = 1;
// Those of fuzz_c_prediction.cpp alone.
inline constexpr std::uint8_t c_predict_call = 2;
inline constexpr std::uint8_t c_begin_call = 3;
inline constexpr std::uint8_t c_next_call = 4;
inline constexpr std::uint8_t c_update_call = 6;
inline constexpr std::array<std::uint8_t, 8> c_step_calls{9, 10, 11, 12, 13, 21, 22, 26};
inline constexpr std::uint8_t c_calls_max = 64;

class CWorld {
 public:
  static constexpr std::uint32_t places = 4;  // clients at a time

  CWorld(server::ServerConfig config, server::Game& game) {
    config.transport.sessions_max = config.players_max = places;
    server_ = std::move(*server::Server::start(std::move(config), game));
    server_->set_unix_time(test::test_unix_time);
  }
  ~CWorld() {
    for (Place& place : places_) static_cast<void>(mobula_client_destroy(place.handle));
  }
  CWorld(const CWorld&) = delete;
  CWorld& operator=(const CWorld&) = delete;

  // Makes a client, in place of the one that is there. Its handle remains in former().
  mobula_result create(std::uint32_t at, const mobula_client_options& options) {
    destroy(at);
    Place& place = places_[at % places];
    place.received.clear();
    return mobula_client_create(&options, now, &place.handle);
  }
  mobula_result destroy(std::uint32_t at) {
    former_ = handle(at);
    return mobula_client_destroy(former_);
  }
  // Delivers what all clients send, runs a tick of the server, and delivers what it sends.
  void tick() {
    now += test::Village::tick_length;
    for (std::uint32_t at = 0; at < places; ++at) collect(at);
    server_->tick(now, port_);
  }
  // Returns the last datagram that the server sent to a client; empty if there is none.
  [[nodiscard]] core::ByteView last_received(std::uint32_t at) const { return places_[at % places].received; }
  [[nodiscard]] mobula_client handle(std::uint32_t at) const { return places_[at % places].handle; }
  [[nodiscard]] mobula_client former() const { return former_; }
  // Returns a token that no earlier call returned.
  transport::ConnectToken next_token() { return test::test_token(++tokens_); }

  // No damaged datagram may have changed a mirror.
  void check_mirrors() const {
    for (std::uint32_t at = 0; at < places; ++at) {
      mobula_statistics statistics{};
      statistics.struct_size = sizeof statistics;
      if (mobula_client_statistics(handle(at), &statistics) != MOBULA_OK) continue;
      require(statistics.mismatched_ticks == 0 && statistics.corrections == 0, "a mirror has what the server sent");
    }
  }

  core::Nanoseconds now = core::second;

 private:
  struct Place {
    mobula_client handle{};
    core::Bytes received;
  };
  struct Port final : transport::Output {
    explicit Port(CWorld& owner) : world(owner) {}
    void send(const transport::Address& to, core::ByteView datagram) override { world.deliver(to, datagram); }
    CWorld& world;
  };

  static transport::Address address_of(std::uint32_t at) {
    return transport::Address::v4(10, 1, 0, static_cast<std::uint8_t>(at + 1), 5000);
  }
  void deliver(const transport::Address& to, core::ByteView datagram) {
    for (std::uint32_t at = 0; at < places; ++at) {
      if (to != address_of(at)) continue;
      places_[at].received.assign(datagram.begin(), datagram.end());
      static_cast<void>(
          mobula_client_receive(places_[at].handle, datagram.data(), static_cast<std::uint32_t>(datagram.size()), now));
    }
  }
  void collect(std::uint32_t at) {
    std::array<std::byte, MOBULA_DATAGRAM_BYTES_MAX> buffer;
    std::uint32_t size = 0;
    const mobula_client handle = places_[at].handle;
    static_cast<void>(mobula_client_update(handle, now));
    while (mobula_client_next_datagram(handle, buffer.data(), static_cast<std::uint32_t>(buffer.size()), &size) ==
           MOBULA_OK)
      server_->receive(address_of(at), core::ByteView(buffer.data(), size), now, port_);
  }

  Port port_{*this};
  std::unique_ptr<server::Server> server_;
  std::array<Place, places> places_;
  mobula_client former_{};
  std::uint64_t tokens_ = 0;
};

}  // namespace mobula::fuzz
