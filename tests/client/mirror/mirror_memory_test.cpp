// Memory of a mirror whose client has seen many entities: prototypes, entities, their states and hashes, and the
// schema. A connection's session, its queues and a level's copy are not counted.
#include <gtest/gtest.h>

#include <client/apply_delta.hpp>
#include <deque>
#include <mobula/client/mirror/mirror.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/server/replication/client_view.hpp>
#include <mobula/server/replication/publisher.hpp>
#include <server/hamlet.hpp>
#include <set>

#include "ecs/allocations.hpp"

namespace mobula::client {
namespace {

constexpr std::uint32_t columns = 400;
constexpr std::uint32_t rows = 250;
constexpr std::uint32_t entities = columns * rows;
constexpr std::uint32_t side = 10;  // side length of the visible square
constexpr std::int64_t bytes_max = 245 * 1000;

// Entities on a field. A client sees a square of them. All visible entities move and turn.
class Field {
 public:
  Field() : publisher_(registry_, *test::game_schema()) {
    static_cast<void>(reflect::register_components(registry_, *test::game_schema()).value());
    all_.resize(entities);
    EXPECT_TRUE(registry_.create(std::span(all_), engine::Transform{}, demo::Velocity{}, demo::Health{}));
  }

  // Moves the visible square to a corner.
  void look_at(std::uint32_t column, std::uint32_t row) {
    std::set<std::uint32_t> entering;
    for (std::uint32_t i = 0; i < side * side; ++i) entering.insert((row + i / side) * columns + column + i % side);
    std::vector<std::uint32_t> leaving;
    for (const std::uint32_t index : view_.visible())
      if (entering.erase(index) == 0) leaving.push_back(index);
    view_.remove_visible(leaving);
    for (const std::uint32_t index : entering) view_.add_visible(index, false);
  }
  void publish() {
    for (const std::uint32_t index : view_.visible()) move(all_[index]);
    publisher_.publish();
    view_.note_published();
    encoded_.begin_tick(registry_.tick());
  }
  core::Bytes delta() {
    view_.choose(registry_.tick(), wire::delta_bytes_max, [](std::uint32_t) { return 1.0f; });
    core::Bytes bytes(wire::delta_bytes_max);
    bytes.resize(view_.write_delta(bytes, registry_.tick(), {}));
    return bytes;
  }
  void end_tick() {
    registry_.clear_journal();
    registry_.set_tick(registry_.tick() + 1);
  }
  [[nodiscard]] const ecs::Registry& registry() const { return registry_; }
  [[nodiscard]] server::ClientView& view() { return view_; }

 private:
  void move(ecs::Entity entity) {
    engine::Transform& transform = registry_.get<engine::Transform>(entity);
    transform.position.x = random_.uniform(-9, 9);
    transform.position.z += random_.uniform(-1, 1);
    transform.rotation = {random_.uniform(-1, 1), 0, 0, 1};
    if (random_.chance(1, 10)) registry_.get<demo::Velocity>(entity).linear.x = random_.uniform(-9, 9);
  }

  core::Random random_{7};
  ecs::Registry registry_;
  server::Publisher publisher_;
  server::EncodedDeltaCache encoded_{publisher_.published()};
  server::ViewWorkspace workspace_;
  server::ClientView view_{publisher_.published(), encoded_, workspace_, true};
  std::vector<ecs::Entity> all_;
};

// Counts the allocations of a mirror, and no others.
class CountedMirror {
 public:
  CountedMirror() {
    const core::ByteView bytes = test::game_schema()->bytes();
    count([&] { schema_ = *reflect::Schema::load(bytes); });
    schema_bytes_ = held_;
    count([&] { mirror_ = std::move(*Mirror::make(std::move(schema_), entities)); });
    empty_bytes_ = held_;
  }
  ~CountedMirror() {
    count([&] { mirror_.reset(); });
    EXPECT_EQ(held_, 0);
  }
  // Calls a function with the mirror and counts its allocations.
  template <class Function>
  void change(Function&& function) {
    count([&] { function(*mirror_); });
    most_ = std::max(most_, held_);
  }
  [[nodiscard]] std::int64_t held() const { return held_; }
  [[nodiscard]] std::int64_t schema_bytes() const { return schema_bytes_; }
  [[nodiscard]] std::int64_t empty_bytes() const { return empty_bytes_; }  // with the schema
  [[nodiscard]] std::int64_t take_most() { return std::exchange(most_, 0); }
  [[nodiscard]] Mirror& operator*() { return *mirror_; }

 private:
  template <class Function>
  void count(Function&& function) {
    const ecs::test::CountedBytes bytes;
    function();
    held_ += bytes.held();
  }

  std::shared_ptr<const reflect::Schema> schema_;
  std::unique_ptr<Mirror> mirror_;
  std::int64_t held_ = 0;
  std::int64_t most_ = 0;
  std::int64_t schema_bytes_ = 0;
  std::int64_t empty_bytes_ = 0;
};

class MirrorMemoryTest : public testing::Test {
 protected:
  static constexpr std::size_t ticks_until_received = 4;

  void tick(std::uint32_t column, std::uint32_t row) {
    const ecs::Tick now = field.registry().tick();
    field.publish();
    field.look_at(column, row);
    for (const std::uint32_t index : field.view().visible())
      field.view().prototypes().find_or_want(field.registry().prototype(field.registry().entities().at(index)));
    announce();
    do {
      const core::Bytes delta = field.delta();
      const std::uint32_t sequence = wire::read_delta_header(delta)->sequence;
      if (sequence % 37 == 0) continue;  // lost
      mirror.change([&](Mirror& changed) { ASSERT_TRUE(test::apply_delta(changed, delta).ok()); });
      note(sequence);
    } while (field.view().has_chosen());
    field.end_tick();
    ++input_.ack;
    mirror.change([&](Mirror& changed) {
      changed.acknowledged(input_.ack);
      changed.set_view_tick(now - 2.5);
      changed.hand_out_changes();
    });
    inputs_.push_back(input_);
    if (inputs_.size() <= ticks_until_received) return;
    ASSERT_TRUE(field.view().acknowledge(inputs_.front()).ok());
    inputs_.pop_front();
  }

  Field field;
  CountedMirror mirror;

 private:
  void announce() {
    for (const auto& [prototype, id] : field.view().prototypes().wanted()) {
      std::vector<index::ComponentRef> components = index::components(field.registry(), prototype);
      const wire::Prototypes message{{{id, index::prototype_hash(components), components}}};
      mirror.change([&](Mirror& changed) { ASSERT_TRUE(changed.add_prototypes(message).ok()); });
      field.view().prototypes().delivered(id);
    }
    field.view().prototypes().clear_wanted();
  }
  void note(std::uint32_t sequence) {
    for (; input_.newest < sequence; ++input_.newest)
      for (std::size_t i = std::size(input_.received); i-- > 0;)
        input_.received[i] = input_.received[i] << 1 | (i > 0 ? input_.received[i - 1] >> 63 : 0);
    input_.received[0] |= 1;
  }

  wire::InputDatagram input_{.words = wire::input_words_max};
  std::deque<wire::InputDatagram> inputs_;
};

TEST_F(MirrorMemoryTest, DependsOnTheViewAndNotOnTheEntitiesSeen) {
  std::uint32_t column = 0;
  std::uint32_t row = 0;
  std::int64_t settled = 0;
  for (std::uint32_t step = 0; step < 1500; ++step) {
    // The square moves to and fro over the columns and jumps to another row every 100 steps.
    column = step / (columns - side) % 2 == 0 ? step % (columns - side) : columns - side - step % (columns - side);
    row = step / 100 * 37 % (rows - side);
    ASSERT_NO_FATAL_FAILURE(tick(column, row));
    if (step == 750) settled = mirror.take_most();
  }
  mirror.change([](Mirror& changed) { changed.check(); });
  const std::int64_t most = mirror.take_most();
  EXPECT_NEAR((*mirror).size(), side * side, side * 2);
  RecordProperty("bytes", std::to_string(mirror.held()));
  RecordProperty("bytes_of_schema", std::to_string(mirror.schema_bytes()));
  RecordProperty("bytes_empty", std::to_string(mirror.empty_bytes()));
  RecordProperty("bytes_most", std::to_string(most));
  EXPECT_LE(most, bytes_max);
  EXPECT_LE(most, settled + settled / 20);
  for (int i = 0; i < 20; ++i) ASSERT_NO_FATAL_FAILURE(tick(column, row));
  EXPECT_EQ((*mirror).size(), side * side);
}

}  // namespace
}  // namespace mobula::client
