// The demo with its server and predicting clients on a simulated network. Clients have copies of the level.
#pragma once

#include <examples/demo/demo_game.hpp>
#include <examples/demo/rules/rules.hpp>
#include <headless/temporary_folder.hpp>
#include <map>
#include <memory>
#include <mobula/client/files/resource_folder.hpp>
#include <mobula/client/prediction/prediction.hpp>
#include <mobula/core/random.hpp>
#include <mobula/schema/components.hpp>
#include <server/hamlet.hpp>

namespace demo::test {

class PredictedDemo {
 public:
  using Village = mobula::test::Village;

  struct Guest {
    explicit Guest(Village::Client& joined) : client(joined), prediction(rules, {}, joined.connection) {}
    [[nodiscard]] mobula::ecs::Entity avatar() const { return client.connection.player_entity(); }

    Village::Client& client;
    mobula::client::Prediction prediction;
    std::map<std::pair<std::uint32_t, std::uint64_t>, int> running;  // effects, by name and key
    std::size_t confirmed = 0;
    std::size_t cancelled = 0;
    std::size_t faults = 0;  // effects that were begun or ended twice
    std::map<mobula::client::SpawnNotice::Kind, std::size_t> spawns;
    std::vector<mobula::core::Bytes> events;
  };

  PredictedDemo(std::shared_ptr<const mobula::resource::Resource> level,
                const mobula::transport::NetworkConditions& conditions, std::uint64_t seed = 1)
      : level_(std::move(level)),
        folder_(std::move(*mobula::client::TemporaryFolder::make())),
        store_(*mobula::client::ResourceFolder::open(folder_.path())),
        village(game, {.level = level_, .seed = seed}, conditions, seed),
        random(seed) {
    keep(*level_);
  }

  // Gives the clients a copy of a level.
  void keep(const mobula::resource::Resource& level) {
    auto reception = store_.receive(level.identity(), level.clients_bytes().size());
    MOBULA_CHECK(*(*reception)->append(0, level.clients_bytes()), "the clients' copy of the level");
  }
  Guest& join(const std::string& name = "ada", bool has_levels = true) {
    Village::Client& client =
        village.join(mobula::client::ConnectionConfig{.transport = {},
                                                      .name = name,
                                                      .schema = mobula::test::game_schema(),
                                                      .resources = has_levels ? &store_ : nullptr});
    return *guests.emplace_back(std::make_unique<Guest>(client));
  }
  void tick() {
    village.tick();
    for (const auto& guest : guests) {
      guest->prediction.update(village.now);
      follow(*guest);
    }
  }
  void ticks(int count) {
    for (int i = 0; i < count; ++i) tick();
  }
  // Runs ticks in which each guest walks about among the obstacles and throws stones.
  void play(int count) {
    for (int i = 0; i < count; ++i) {
      for (const auto& guest : guests)
        if (random.chance(1, 6)) act(*guest);
      tick();
    }
  }
  // Stops all avatars, and waits until nothing moves any more.
  void settle() {
    for (const auto& guest : guests) guest->client.input->set_command(mobula::test::move_command(0, 0));
    ticks(150);
  }
  [[nodiscard]] mobula::ecs::Registry& truth() { return village.server->world().registry(); }
  // Moves an avatar as a teleport does.
  void put(mobula::ecs::Entity avatar, float x, float z) {
    truth().get<mobula::engine::Transform>(avatar).position = {x, 0, z};
  }
  // Returns whether a guest predicts what the server has. Nothing moves any more.
  template <class T>
  [[nodiscard]] bool agrees(const Guest& guest) {
    constexpr mobula::core::StringId32 id(T::component_name);
    const std::byte* const found =
        guest.prediction.predicted(guest.avatar(), guest.client.connection.mirror()->registry().find_pool(id, id));
    return found != nullptr && mobula::core::load<T>(found) == truth().get<const T>(guest.avatar());
  }

 private:
  void act(Guest& guest) {
    const float x = random.uniform(-0.6f, 0.6f);
    const float z = random.uniform(-0.6f, 0.6f);
    switch (random.below(4)) {
      case 0: return guest.client.input->set_command(mobula::test::move_command(x, z));
      case 1: return guest.client.input->set_command(mobula::test::walk_to_command(50 * x, 50 * z));
      default: return guest.client.input->set_command(mobula::client::throw_command(x, 0.3f, z));
    }
  }
  static void follow(Guest& guest) {
    using Kind = mobula::client::EffectNotice::Kind;
    const mobula::client::EffectTable& effects = guest.prediction.effects();
    for (std::size_t i = 0; i < effects.notices(); ++i) {
      const mobula::client::EffectNotice notice = effects.notice(i);
      int& state = guest.running[{notice.effect.name.value, notice.effect.key}];
      guest.faults += state == (notice.kind == Kind::begun ? 0 : 1) ? 0 : 1;
      ++state;
      if (notice.kind == Kind::confirmed) ++guest.confirmed;
      if (notice.kind == Kind::cancelled) ++guest.cancelled;
    }
    for (const mobula::client::SpawnNotice& notice : guest.prediction.spawns().notices()) ++guest.spawns[notice.kind];
    for (const mobula::client::ReceivedEvent& event : guest.client.connection.events())
      guest.events.emplace_back(event.bytes.begin(), event.bytes.end());
  }

  std::shared_ptr<const mobula::resource::Resource> level_;
  mobula::client::TemporaryFolder folder_;
  mobula::client::ResourceFolder store_;

 public:
  DemoGame game;
  Village village;
  mobula::core::Random random;
  std::vector<std::unique_ptr<Guest>> guests;
};

}  // namespace demo::test
