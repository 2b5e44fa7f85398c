// Components and fixture shared by the tests of Commands.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <mobula/ecs/commands.hpp>
#include <stdexcept>

#include "ecs/components.hpp"

namespace mobula::ecs::commands_test {

struct Health {
  static constexpr std::string_view component_name = "Health";
  std::int32_t current = 100;
};
struct Mark {  // server-only, plain bytes
  std::uint32_t value = 0;
};
// Server-only and move-only; counts its instances.
struct Thought {
  static inline int alive = 0;

  explicit Thought(int content = 0) : content_(std::make_unique<int>(content)) { ++alive; }
  Thought(Thought&& other) noexcept : content_(std::move(other.content_)) { ++alive; }
  Thought& operator=(Thought&&) = delete;
  ~Thought() { --alive; }
  [[nodiscard]] int content() const { return *content_; }

 private:
  std::unique_ptr<int> content_;
};
struct Thrower {
  explicit Thrower(bool throws) {
    if (throws) throw std::runtime_error("no");
  }
};

struct CommandsTest : testing::Test {
  Registry registry;
  Commands commands{registry};

  CommandsTest() { EXPECT_TRUE(registry.register_type(test::schema_type<Health>())); }
  ~CommandsTest() override { registry.check(); }

  const Health* health(Entity entity) { return registry.try_get<const Health>(entity); }
  int thought(Entity entity) { return registry.get<const Thought>(entity).content(); }
  // Counts the emissions of a signal.
  static void count(Signal& signal, int& times) {
    signal.connect([&times](std::span<const Entity>) { ++times; });
  }
};

struct alignas(64) Aligned {
  std::uint8_t byte = 1;
};
struct Huge {
  std::array<std::uint8_t, 3 * ValueArena::chunk_bytes> bytes{};
};

}  // namespace mobula::ecs::commands_test
