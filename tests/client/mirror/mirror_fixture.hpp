// A mirror of a random world, for tests that apply deltas one by one.
#pragma once

#include <gtest/gtest.h>

#include <client/listed.hpp>
#include <client/mirrored_world.hpp>

namespace mobula::client {

class MirrorTest : public testing::Test {
 protected:
  template <class T>
  T mirrored(ecs::Entity entity, std::string_view instance = T::component_name) {
    const ecs::Registry& mirrored = mirror().registry();
    const ecs::PoolId pool = mirrored.find_pool(core::StringId32(T::component_name), core::StringId32(instance));
    const std::byte* bytes = mirrored.try_read(entity, pool);
    return bytes == nullptr ? T{} : core::load<T>(bytes);
  }
  Mirror& mirror() { return *source.mirror; }
  // Returns the changes since the last call.
  std::span<const Change> changes() {
    mirror().hand_out_changes();
    return mirror().changes();
  }
  ecs::PoolId pool_of(std::string_view component) {
    return mirror().registry().find_pool(core::StringId32(component), core::StringId32(component));
  }
  // Returns the delta of a tick in which the health changes. It is not applied.
  core::Bytes delta_of_health(ecs::Entity entity, std::uint16_t health) {
    registry.get<demo::Health>(entity).current = health;
    return source.delta();
  }
  void apply(const core::Bytes& delta) {
    const core::Status applied = source.apply(delta);
    ASSERT_TRUE(applied.ok()) << applied.error().message;
    mirror().check();
  }
  struct Late {
    core::Bytes gained;
    core::Bytes lost;
  };
  // Makes the entity visible, invisible and visible again under another id. Applies only the last delta, with health 7.
  // Returns the other two.
  Late gain_twice(ecs::Entity entity) {
    core::Bytes gained = source.delta();
    source.view.remove_visible({&entity.index, 1});
    core::Bytes lost = source.delta();
    source.view.add_visible(entity.index, false);
    apply(delta_of_health(entity, 7));
    return {std::move(gained), std::move(lost)};
  }
  void expect_equal() {
    EXPECT_EQ(mirror().hash(), source.published_hash());
    EXPECT_EQ(mirror().size(), source.world.publisher.published().size());
  }

  test::MirroredWorld source;
  ecs::Registry& registry = source.world.registry;
};

}  // namespace mobula::client
