// A court with its server and predicting clients on a simulated network, frame by frame: three frames to a tick.
#pragma once

#include <gtest/gtest.h>

#include <client/prediction/court_rules.hpp>
#include <functional>
#include <map>
#include <memory>
#include <mobula/client/prediction/prediction.hpp>
#include <mobula/core/random.hpp>
#include <optional>
#include <server/hamlet.hpp>

namespace mobula::test {

// Follows the notices of effects: each effect is begun once and ends once.
class EffectLedger {
 public:
  void follow(const client::EffectTable& effects) {
    for (std::size_t i = 0; i < effects.notices(); ++i) {
      const client::EffectNotice notice = effects.notice(i);
      State& state = states_[{notice.effect.name.value, notice.effect.key}];
      if (notice.kind == client::EffectNotice::Kind::begun) {
        faults += state.begun++ == 0 ? 0 : 1;
        continue;
      }
      faults += state.begun == 1 && state.ended++ == 0 ? 0 : 1;
      ++(notice.kind == client::EffectNotice::Kind::confirmed ? confirmed : cancelled[notice.effect.name.value]);
    }
  }
  // With a new mirror all have ended. The commands' numbers begin anew, and effects are named by these.
  void end_session() {
    faults += running();
    states_.clear();
  }
  [[nodiscard]] std::size_t running() const {
    std::size_t count = 0;
    for (const auto& [key, state] : states_) count += state.ended == 0 ? 1 : 0;
    return count;
  }

  std::size_t faults = 0;
  std::size_t confirmed = 0;
  std::map<std::uint32_t, std::size_t> cancelled;  // by name

 private:
  struct State {
    int begun = 0;
    int ended = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint64_t>, State> states_;
};

class Court {
 public:
  static constexpr core::Nanoseconds frame_length = Village::tick_length / 3;

  struct Guest {
    Guest(Village::Client& client_, const client::PredictionConfig& config)
        : client(client_), prediction(court_rules(), config, client_.connection) {}

    [[nodiscard]] client::Connection& connection() const { return client.connection; }
    [[nodiscard]] ecs::Entity avatar() const { return client.connection.player_entity(); }
    [[nodiscard]] std::optional<court::Body> shown(ecs::Entity entity) const {
      return client::sample<court::Body>(prediction, *connection().mirror(), entity, prediction.moment());
    }

    Village::Client& client;
    client::Prediction prediction;
    EffectLedger effects;
    std::map<client::SpawnNotice::Kind, std::size_t> spawns;
    std::uint32_t mirror_number = 0;
    core::Nanoseconds ahead = 0;  // time by which its clock differs
    bool paused = false;
    bool deaf = false;     // nothing arrives from the server
    bool unheard = false;  // nothing arrives at the server
  };

  explicit Court(std::size_t crate_count, const transport::NetworkConditions& conditions = {}, std::uint64_t seed = 1,
                 const server::ServerConfig& config = {})
      : game(crate_count), village(game, config, conditions, seed), random(seed) {}

  Guest& join(const client::PredictionConfig& config = {}) {
    return *guests.emplace_back(std::make_unique<Guest>(village.join("somebody", court_schema()), config));
  }
  // Waits until the guest predicts, with a clock that has settled.
  Guest& join_settled(const client::PredictionConfig& config = {}) {
    Guest& guest = join(config);
    ticks(100);
    EXPECT_TRUE(guest.prediction.is_predicted(guest.avatar()));
    return guest;
  }
  void frame() {
    village.network.deliver(
        village.now, [&](const transport::Address& from, const transport::Address& to, core::ByteView datagram) {
          const auto is_unheard = [&](const auto& guest) { return guest->unheard && guest->client.port.from == from; };
          if (to == village_address && std::ranges::any_of(guests, is_unheard)) return;
          if (to == village_address) return village.server->receive(from, datagram, village.now, village.server_port);
          for (const auto& guest : guests)
            if (guest->client.port.from == to && !guest->paused && !guest->deaf)
              guest->client.input->receive(from, datagram, now(*guest));
        });
    for (const auto& guest : guests) {
      if (guest->paused) continue;
      guest->client.input->update(now(*guest), guest->client.port);
      guest->prediction.update(now(*guest));
      guest->effects.follow(guest->prediction.effects());
      const std::uint32_t mirror = guest->connection().mirror_number();
      if (std::exchange(guest->mirror_number, mirror) != mirror) guest->effects.end_session();
      for (const client::SpawnNotice& notice : guest->prediction.spawns().notices()) ++guest->spawns[notice.kind];
    }
    if (++frames % 3 == 0 && !server_paused) village.server->tick(village.now, village.server_port);
    village.now += frame_length;
  }
  void ticks(int count) {
    for (int i = 0; i < 3 * count; ++i) frame();
  }
  // Runs a tick with this disturbance.
  void disturb_once(std::function<void(server::World&)> change) {
    game.disturb = std::move(change);
    ticks(1);
    game.disturb = nullptr;
  }
  // Runs ticks in which each guest walks about and throws stones.
  void play(int count) {
    for (int i = 0; i < 3 * count; ++i) {
      for (const auto& guest : guests) act(*guest);
      frame();
    }
  }
  // Gives a command, half of the time towards the first crate.
  void act(Guest& guest) {
    if (random.chance(1, 2)) return;
    float x = random.uniform(-1, 1);
    float z = random.uniform(-1, 1);
    if (!game.crates.empty() && truth().valid(guest.avatar()) && random.chance(1, 2)) {
      const auto& own = truth().get<const court::Body>(guest.avatar()).position;
      const auto& crate = truth().get<const court::Body>(game.crates[0]).position;
      x = std::clamp(crate.x - own.x, -1.0f, 1.0f);
      z = std::clamp(crate.z - own.z, -1.0f, 1.0f);
    }
    guest.client.input->set_command(random.chance(1, 8) ? court_throw(x, z) : court_walk(x, z));
  }
  // Returns the time of a guest's clock.
  [[nodiscard]] core::Nanoseconds now(const Guest& guest) const { return village.now + guest.ahead; }
  // Reconnects a guest that has lost its connection, as a program does.
  void reconnect(Guest& guest) {
    if (guest.connection().state() != client::Connection::State::closed) return;
    if (guest.connection().can_rejoin()) return guest.client.input->rejoin(now(guest));
    if (guest.connection().can_reconnect()) guest.client.input->reconnect(test_token(++tokens_), now(guest));
  }
  [[nodiscard]] ecs::Registry& truth() { return village.server->world().registry(); }
  // Returns the value that a guest predicts; nothing if it predicts none.
  template <class T>
  [[nodiscard]] static std::optional<T> predicted(const Guest& guest, ecs::Entity entity) {
    constexpr core::StringId32 id(T::component_name);
    const std::byte* const found =
        guest.prediction.predicted(entity, guest.connection().mirror()->registry().find_pool(id, id));
    return found == nullptr ? std::nullopt : std::optional(core::load<T>(found));
  }
  // Returns whether a guest predicts what the server has. Nothing moves any more.
  template <class T>
  [[nodiscard]] bool agrees(const Guest& guest, ecs::Entity entity) {
    const std::optional<T> own = predicted<T>(guest, entity);
    return own.has_value() && *own == truth().get<const T>(entity);
  }

  CourtGame game;
  Village village;
  core::Random random;
  std::vector<std::unique_ptr<Guest>> guests;
  std::uint64_t frames = 0;
  bool server_paused = false;

 private:
  std::uint64_t tokens_ = 1000;
};

}  // namespace mobula::test
