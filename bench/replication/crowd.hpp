// The benchmark's server and its clients, each with a path of its own in both directions. Most clients accept deltas
// without decoding them, some have mirrors.
#pragma once

#include <memory>
#include <mobula/client/connection/connection.hpp>
#include <mobula/server/session/server.hpp>

#include "bench_secrets.hpp"
#include "replication/delayed_pipe.hpp"
#include "replication/light_client.hpp"
#include "replication/replication_bench.hpp"
#include "replication/verifier.hpp"

namespace mobula::bench {

inline constexpr std::uint32_t mirrors_max = 8;
inline constexpr std::uint32_t settle_seconds = 2;  // after all have joined, before anything is measured
inline const transport::Address bench_server = transport::Address::v4(10, 255, 0, 1, 7777);

core::Result<std::unique_ptr<server::Server>> start_bench_server(const ReplicationOptions& options, Walkers& walkers,
                                                                 const transport::Address& address);

// Network in memory.
transport::Address address_of(std::uint32_t client);
std::uint32_t client_of(const transport::Address& address);

// Ticks. A delta is encoded against one that is 3 to 6 ticks older.
struct Way {
  std::uint32_t there;  // server to client
  std::uint32_t back;
};
constexpr Way way_of(std::uint32_t client) {
  constexpr Way ways[] = {{1, 2}, {2, 2}, {2, 3}, {3, 3}};
  return ways[client % std::size(ways)];
}

class ToServer final : public transport::Output {
 public:
  ToServer(DelayedPipe& pipe, std::uint32_t client, const Way& way) : pipe_(pipe), client_(client), delay_(way.back) {}
  void send(const transport::Address& /*to*/, core::ByteView datagram) override {
    pipe_.send(client_, datagram, delay_);
  }

 private:
  DelayedPipe& pipe_;
  std::uint32_t client_;
  std::uint32_t delay_;
};

class BenchClient {
 public:
  // The first few clients have mirrors.
  BenchClient(std::uint32_t number, const transport::Address& server, core::Nanoseconds now);

  void receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now) {
    mirroring_ ? mirroring_->receive(from, datagram, now) : light_->receive(from, datagram, now);
  }
  void update(core::Nanoseconds now, transport::Output& output);

  [[nodiscard]] bool plays() const { return mirroring_ ? mirroring_->stats().deltas > 0 : light_->deltas() > 0; }
  [[nodiscard]] std::uint64_t mismatched_ticks() const { return mirroring_ ? mirroring_->stats().mismatched_ticks : 0; }
  [[nodiscard]] std::uint64_t verified_ticks() const { return mirroring_ ? mirroring_->stats().verified_ticks : 0; }
  // Null if it has no mirror.
  [[nodiscard]] client::Connection* mirroring() { return mirroring_.get(); }

 private:
  std::unique_ptr<LightClient> light_;
  std::unique_ptr<client::Connection> mirroring_;
};

}  // namespace mobula::bench
