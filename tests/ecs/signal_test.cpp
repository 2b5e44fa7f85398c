#include <gtest/gtest.h>

#include <memory>
#include <mobula/ecs/signal.hpp>
#include <stdexcept>
#include <string>

namespace mobula::ecs {
namespace {

constexpr Entity one_entity[] = {{1, 1}};

struct SignalTest : testing::Test {
  Signal signal;
  std::string called;

  auto appends(char letter) {
    return [this, letter](std::span<const Entity>) { called += letter; };
  }
  std::string emit() {
    called.clear();
    signal.emit(one_entity);
    return called;
  }
};

TEST_F(SignalTest, ListenersAreCalledInConnectionOrder) {
  for (const char letter : {'a', 'b', 'c'}) signal.connect(appends(letter));
  EXPECT_EQ(emit(), "abc");
}

TEST_F(SignalTest, TheSpanArrivesUnchangedInOneCall) {
  std::vector<Entity> many(1000);
  for (std::uint32_t i = 0; i < 1000; ++i) many[i] = {i, 1};
  int calls = 0;
  signal.connect([&](std::span<const Entity> entities) {
    ++calls;
    EXPECT_EQ(entities.data(), many.data());
    EXPECT_EQ(entities.size(), many.size());
  });
  signal.emit(many);
  EXPECT_EQ(calls, 1);
}

TEST_F(SignalTest, NoEntitiesMeansNoCall) {
  signal.connect(appends('a'));
  signal.emit({});
  EXPECT_EQ(called, "");
}

TEST_F(SignalTest, DisconnectedListenersAreNotCalled) {
  const Signal::Connection a = signal.connect(appends('a'));
  signal.connect(appends('b'));
  EXPECT_FALSE(signal.empty());
  signal.disconnect(a);
  signal.disconnect(a);
  EXPECT_EQ(emit(), "b");
}

TEST_F(SignalTest, AConnectionIsNeverReused) {
  const Signal::Connection a = signal.connect(appends('a'));
  signal.disconnect(a);
  EXPECT_TRUE(signal.empty());
  const Signal::Connection b = signal.connect(appends('b'));
  EXPECT_NE(a, b);
  signal.disconnect(a);
  EXPECT_EQ(emit(), "b");
}

TEST_F(SignalTest, AListenerMayDisconnectItself) {
  Signal::Connection self = 0;
  signal.connect(appends('a'));
  self = signal.connect([&](std::span<const Entity>) {
    called += 's';
    signal.disconnect(self);
    called += 'S';  // its captures are still there
  });
  signal.connect(appends('b'));
  EXPECT_EQ(emit(), "asSb");
  EXPECT_EQ(emit(), "ab");
}

TEST_F(SignalTest, AListenerMayDisconnectEarlierAndLaterOnes) {
  Signal::Connection behind = 0;
  const Signal::Connection before = signal.connect(appends('a'));
  signal.connect([&](std::span<const Entity>) {
    signal.disconnect(before);
    signal.disconnect(behind);
    called += 'm';
  });
  behind = signal.connect(appends('b'));
  EXPECT_EQ(emit(), "am");
  EXPECT_EQ(emit(), "m");
}

TEST_F(SignalTest, ListenersConnectedInAnEmissionGetTheNext) {
  bool first = true;
  signal.connect([&](std::span<const Entity>) {
    called += 'm';
    if (std::exchange(first, false))
      for (int i = 0; i < 100; ++i) signal.connect(appends('n'));  // enough to move the slots
  });
  signal.connect(appends('b'));
  EXPECT_EQ(emit(), "mb");
  EXPECT_EQ(emit(), "mb" + std::string(100, 'n'));
}

TEST_F(SignalTest, NestedEmissionsAreComplete) {
  int depth = 0;
  Signal::Connection last = 0;
  signal.connect([&](std::span<const Entity>) {
    called += '(';
    if (++depth < 3) signal.emit(one_entity);
    if (depth == 3) signal.disconnect(last);
    called += ')';
  });
  last = signal.connect(appends('x'));
  EXPECT_EQ(emit(),
            "((("
            ")"
            ")"
            ")")
      << "the innermost emission disconnects x before any reaches it";
  EXPECT_EQ(emit(), "()");
}

TEST_F(SignalTest, ListenersMayBeMoveOnlyAndEndWithTheSignal) {
  const auto owned = std::make_shared<int>(1);
  {
    Signal other;
    other.connect([mine = owned, alone = std::make_unique<int>(2)](std::span<const Entity>) {});
    EXPECT_EQ(owned.use_count(), 2);
    const Signal::Connection second = other.connect([mine = owned](std::span<const Entity>) {});
    EXPECT_EQ(owned.use_count(), 3);
    other.disconnect(second);
    EXPECT_EQ(owned.use_count(), 2);
  }
  EXPECT_EQ(owned.use_count(), 1);
}

TEST_F(SignalTest, AListenersExceptionReachesTheEmitter) {
  signal.connect(appends('a'));
  Signal::Connection self = 0;
  self = signal.connect([&](std::span<const Entity>) {
    signal.disconnect(self);
    throw std::runtime_error("no");
  });
  signal.connect(appends('b'));
  EXPECT_THROW(signal.emit(one_entity), std::runtime_error);
  EXPECT_EQ(called, "a");
  EXPECT_EQ(emit(), "ab") << "the aborted emission is over, and the disconnected listener is removed";
}

}  // namespace
}  // namespace mobula::ecs
