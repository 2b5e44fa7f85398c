// The server's side of the example of docs/prediction.md.
#pragma once

#include <client/prediction/court_rules.hpp>
#include <client/prediction/page_example.hpp>

namespace mobula::test {

// A game whose players slide about as on the page. Commands are single letters.
class SlideGame : public server::Game {
 public:
  [[nodiscard]] core::ByteView schema() const override { return court::schema_bytes(); }
  [[nodiscard]] const prediction::Rules* rules() const override { return &page_rules(); }
  core::Result<ecs::Entity> join(server::World& world, const server::Player& player) override {
    const core::Result<ecs::Entity> avatar = world.create(court::Body{}, court::Surface{});
    if (avatar) world.registry().add<server::Relevance>(*avatar).owner = player.id;
    return avatar;
  }
  void leave(server::World& world, const server::Player& player) override { world.destroy(player.entity); }
  server::CommandTable commands() override {
    const auto open = [](core::ByteView bytes) {
      return bytes.size() == 1 ? std::optional(server::CommandTable::Opened{1, bytes.data()}) : std::nullopt;
    };
    server::CommandTable table(open);
    table.add_predicted(1, "step", {});
    return table;
  }
};

}  // namespace mobula::test
