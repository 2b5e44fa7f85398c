// A random world, one client's view of it, and the client's mirror, without a network between. A test decides which
// delta arrives when.
#pragma once

#include <client/apply_delta.hpp>
#include <functional>
#include <memory>
#include <mobula/server/replication/client_view.hpp>
#include <server/announcement.hpp>
#include <server/random_world.hpp>

namespace mobula::test {

class MirroredWorld {
 public:
  static constexpr std::uint32_t entities_max = 1000;

  explicit MirroredWorld(std::uint64_t seed = 1, std::shared_ptr<const reflect::Schema> schema = game_schema())
      : world(seed, std::move(schema)), mirror(empty_mirror(world.schema)) {}

  static std::unique_ptr<client::Mirror> empty_mirror(std::shared_ptr<const reflect::Schema> schema = game_schema()) {
    return std::move(*client::Mirror::make(std::move(schema), entities_max));
  }

  ecs::Entity create() {
    const ecs::Entity entity = world.create();
    world.registry.add<demo::Health>(entity).current = 50;
    return entity;
  }
  // Ends the tick and returns its delta. Spawned entities become visible; the delta holds all changes that fit.
  core::Bytes delta() {
    world.publish();
    view.note_published();
    for (const std::uint32_t index : world.publisher.spawned()) view.add_visible(index, false);
    view.forget(world.reclaimed);
    encoded.begin_tick(world.registry.tick());
    for (const std::uint32_t index : view.visible())
      view.prototypes().find_or_want(world.publisher.published().entity(index).prototype);
    announce();
    choose();
    core::Bytes bytes(wire::delta_bytes_max);
    bytes.resize(view.write_delta(bytes, world.registry.tick(), {}));
    world.end_tick();
    return bytes;
  }
  // Applies a delta to the mirror and notes it as received.
  core::Status apply(const core::Bytes& delta) {
    core::Status applied = apply_delta(*mirror, delta);
    if (!applied) return applied;
    history_.push_back({delta, [delta](client::Mirror& other) { static_cast<void>(apply_delta(other, delta).ok()); }});
    note(wire::read_delta_header(delta)->sequence);
    return applied;
  }
  // Acknowledges to the view all deltas received so far.
  void acknowledge() {
    ++input_.ack;
    mirror->acknowledged(input_.ack);
    history_.push_back({{}, [ack = input_.ack](client::Mirror& other) { other.acknowledged(ack); }});
    const core::Status acknowledged = view.acknowledge(input_);
    MOBULA_ASSERT(acknowledged.ok(), "only sent deltas were acknowledged");
  }
  // Runs a tick: writes its delta, applies it and acknowledges it. Returns the delta.
  core::Bytes replicate() {
    core::Bytes sent = delta();
    const core::Status applied = apply(sent);
    MOBULA_ASSERT(applied.ok(), "a server's delta can be applied");
    mirror->check();
    acknowledge();
    return sent;
  }
  // A delta, announcement or acknowledgement in the mirror's history.
  struct Event {
    core::Bytes delta;  // empty if the event is not a delta
    std::function<void(client::Mirror&)> replay;
  };
  [[nodiscard]] const std::vector<Event>& history() const { return history_; }
  // Returns another mirror with the same history.
  [[nodiscard]] std::unique_ptr<client::Mirror> twin() const {
    std::unique_ptr<client::Mirror> made = empty_mirror(world.schema);
    for (const Event& event : history_) event.replay(*made);
    return made;
  }
  [[nodiscard]] std::uint32_t ack() const { return input_.ack; }
  [[nodiscard]] std::uint64_t published_hash() const { return world.publisher.published().hash(); }

  RandomWorld world;
  server::EncodedDeltaCache encoded{world.publisher.published()};
  server::ViewWorkspace workspace;
  server::ClientView view{world.publisher.published(), encoded, workspace, true};
  std::unique_ptr<client::Mirror> mirror;

 private:
  void choose() {
    view.choose(world.registry.tick(), wire::delta_bytes_max, [](std::uint32_t) { return 1.0f; });
  }
  // Announces the prototypes that the view wants, and marks them as delivered.
  void announce() {
    if (view.prototypes().wanted().empty()) return;
    const Announcement made = take_wanted(view, world.registry);
    for (const std::uint32_t id : made.ids) view.prototypes().delivered(id);
    const bool added = made.apply(*mirror);
    MOBULA_ASSERT(added, "a server's announcement can be added");
    history_.push_back({{}, [made](client::Mirror& other) { static_cast<void>(made.apply(other)); }});
  }
  void note(std::uint32_t sequence) {
    for (; input_.newest < sequence; ++input_.newest) {
      for (std::size_t i = std::size(input_.received); i-- > 0;)
        input_.received[i] = input_.received[i] << 1 | (i > 0 ? input_.received[i - 1] >> 63 : 0);
    }
    const std::uint32_t age = input_.newest - sequence;
    input_.received[age / 64] |= 1ull << age % 64;
  }

  wire::InputDatagram input_{.words = wire::input_words_max};
  std::vector<Event> history_;
};

}  // namespace mobula::test
