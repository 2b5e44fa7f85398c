// Arbitrary claims of a client about what it saw, to a game that rewinds each command. A view that is taken is one that
// the client can have had; all that is drawn of it is finite. Input: steps.
//   0                         a tick
//   1 claim                   an input with a command
//   2 u16 length, bytes       arbitrary bytes as an input
//   3                         the connection is lost and the client rejoins
// A claim: tick and view (signed, from the newest delta), fraction, the number's distance to the last one, deltas that
// are missing (eight bits), how far the acknowledgement is behind, and how many deltas arrived after the command.
#include <cmath>
#include <fuzz/fuzz.hpp>
#include <fuzz/small_server.hpp>
#include <mobula/core/log.hpp>
#include <server/raw_client.hpp>
#include <server/rewind/shooting_game.hpp>
#include <string_view>

namespace fuzz_claims {

using namespace mobula;

namespace {

constexpr std::size_t steps_max = 200;

class Claimant {
 public:
  Claimant() {
    game_.config.window = 600 * core::millisecond;
    game_.config.view_age_max = 500 * core::millisecond;
    server_ = std::move(*server::Server::start(fuzz::small_server(), game_));
    server_->set_unix_time(test::test_unix_time);
    client_ = std::make_unique<test::RawClient>(*server_, 1);
    client_->connect();
    hello(false);
    for (int i = 0; i < 6; ++i) tick();
  }

  void step(fuzz::Input& input) {
    switch (input.byte() % 4) {
      case 0: break;
      case 1: claim(input); break;
      case 2: client_->send_input(input.bytes(input.word())); break;
      default: rejoin();
    }
    tick();
  }

 private:
  void hello(bool resume) {
    client_->send_message(
        wire::Hello{.schema_fingerprint = test::game_schema()->fingerprint(), .name = "ada", .resume = resume});
  }
  void rejoin() {
    client_->cut_pipe();
    if (client_->rejoin_tokens.empty()) return;
    client_->connect(transport::ConnectToken(client_->rejoin_tokens.back()));
    hello(true);
  }
  void claim(fuzz::Input& input) {
    const auto tick = static_cast<std::int8_t>(input.byte());
    const auto view = static_cast<std::int8_t>(input.byte());
    const auto from_newest = [&](int by) {
      return static_cast<ecs::Tick>(std::max(static_cast<int>(newest_tick_) + by, 0));
    };
    wire::InputDatagram made{.words = 1};
    std::uint8_t fraction = input.byte();
    number_ += 1 + input.byte() % 4;
    made.received[0] = ~std::uint64_t{input.byte()};
    made.ack = newest_ - std::min<std::uint32_t>(newest_, input.byte() % 8);
    made.newest = newest_;
    made.arrivals = static_cast<std::uint8_t>(std::min<std::uint32_t>(input.byte() % 4, newest_));
    for (std::uint8_t i = 0; i < made.arrivals; ++i) made.arrived[i] = newest_ - made.arrivals + 1 + i;
    made.first_command = number_;
    const ecs::Tick due = from_newest(tick);
    const ecs::Tick seen = std::min(from_newest(view), due);
    if (seen == due) fraction = 0;  // no view is after its command
    const core::Bytes shot = test::move_command(1, 1);
    made.commands.push_back(
        {.tick = due, .view_tick = seen, .view_fraction = fraction, .bytes = shot, .arrived_before = 0});
    client_->send_input(made);
  }
  void tick() {
    client_->tick();
    for (; !client_->deltas.empty(); client_->deltas.pop_front()) {
      const auto header = wire::read_delta_header(client_->deltas.front());
      if (!header || header->sequence < newest_) continue;
      newest_ = header->sequence;
      newest_tick_ = header->tick;
    }
    client_->messages.clear();
    check();
  }
  void check() {
    const auto now = static_cast<double>(server_->world().tick());
    for (const auto& [key, judged] : game_.judged) {
      if (judged.refused != nullptr) continue;
      fuzz::require(judged.view < now, "a view of the past");
      fuzz::require(judged.view >= 1, "a view of a client that has joined");
      for (const auto& [entity, pose] : judged.shown)
        fuzz::require(std::isfinite(pose.position.x) && std::isfinite(pose.rotation.w), "a finite pose");
    }
    game_.judged.clear();
    server_->published().check();
  }

  test::ShootingGame game_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<test::RawClient> client_;
  std::uint32_t newest_ = 0;
  ecs::Tick newest_tick_ = 0;
  std::uint32_t number_ = 0;
};

int run_target(const std::uint8_t* data, std::size_t size) {
  core::set_log_level(core::LogLevel::off);
  Claimant claimant;
  fuzz::Input input(fuzz::view(data, size));
  for (std::size_t steps = 0; steps < steps_max && !input.empty(); ++steps) claimant.step(input);
  return 0;
}

const mobula::fuzz::Target target("claims", run_target);

}  // namespace
}  // namespace fuzz_claims
