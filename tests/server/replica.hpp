// A client's view on the server, the client's mirror, and a lossy path between them, without transport or sessions.
#pragma once

#include <gtest/gtest.h>

#include <client/apply_delta.hpp>
#include <deque>
#include <functional>
#include <map>
#include <mobula/server/replication/client_view.hpp>
#include <mobula/wire/received_deltas.hpp>
#include <server/announcement.hpp>
#include <server/random_world.hpp>
#include <set>

namespace mobula::test {

inline constexpr std::uint32_t replica_entities_max = 1u << 16;

// Reference model of the published state: the words of each entity by the tick at which they changed.
class PublishedHistory {
 public:
  void note(server::Published& published, std::span<const std::uint32_t> changed, ecs::Tick tick) {
    for (const std::uint32_t index : changed) {
      const server::PublishedEntity& entity = published.entity(index);
      if (!entity.entity) continue;
      std::vector<std::uint32_t> words(published.codecs().entity(entity.prototype).words);
      published.words_now(index, words.data());
      states_[entity.entity][tick] = std::move(words);
    }
  }
  // Returns the words of an entity at the end of a tick; null if it did not exist.
  [[nodiscard]] const std::vector<std::uint32_t>* at(ecs::Entity entity, ecs::Tick tick) const {
    const auto states = states_.find(entity);
    if (states == states_.end()) return nullptr;
    auto state = states->second.upper_bound(tick);
    return state == states->second.begin() ? nullptr : &(--state)->second;
  }

 private:
  std::map<ecs::Entity, std::map<ecs::Tick, std::vector<std::uint32_t>>> states_;
};

// Reference model of a client: a mirror and the set of the deltas that it applied.
class ModelClient {
 public:
  explicit ModelClient(std::shared_ptr<const reflect::Schema> schema = game_schema())
      : mirror(std::move(*client::Mirror::make(std::move(schema), replica_entities_max))) {}

  void take(core::ByteView delta) {
    const wire::DeltaHeader header = wire::read_delta_header(delta, known_).value();
    const bool late = header.sequence < newest;
    if (taken_.contains(header.sequence) || (late && newest - header.sequence >= wire::late_max)) return;
    const core::Status applied = mirror->apply(header, delta);
    if (!applied) {
      ASSERT_STREQ(applied.error().reason, "too late") << applied.error().message;
      ++passed_over;
      return;
    }
    late_ones += late ? 1 : 0;
    newest = std::max(newest, header.sequence);
    known_.sequence = newest;
    known_.tick = std::max(known_.tick, header.tick);
    if (!header.short_numbers) known_.long_sequence = std::max(known_.long_sequence, header.sequence);
    taken_.insert(header.sequence);
    const std::optional<bool> verified = mirror->verify(header);
    verified_times += verified.has_value() ? 1 : 0;
    ASSERT_TRUE(verified.value_or(true)) << "delta " << header.sequence << " of acknowledgement " << header.ack;
  }
  // Returns the newest deltas that it has.
  [[nodiscard]] wire::SeenDeltas seen() const {
    wire::SeenDeltas seen{.newest = newest};
    for (std::uint32_t age = 0; age < 64 && age < newest; ++age)
      if (taken_.contains(newest - age)) seen.received |= 1ull << age;
    return seen;
  }
  wire::InputDatagram input() {
    wire::InputDatagram input{.ack = known_.ack = ++ack_, .newest = newest, .words = wire::input_words_max};
    for (std::uint32_t age = 0; age < wire::ack_history && age < newest; ++age)
      if (taken_.contains(newest - age)) input.received[age / 64] |= 1ull << age % 64;
    mirror->acknowledged(ack_);
    sums[ack_] = mirror->hash();
    return input;
  }

  std::unique_ptr<client::Mirror> mirror;
  std::uint32_t newest = 0;
  std::map<std::uint32_t, std::uint64_t> sums;  // by acknowledgement: the mirror's hash when it went out
  std::uint64_t late_ones = 0;
  std::uint64_t passed_over = 0;
  std::uint64_t verified_times = 0;

 private:
  std::set<std::uint32_t> taken_;
  wire::KnownNumbers known_;
  std::uint32_t ack_ = 0;
};

// A path on which things arrive some ticks later, in any order, twice, or never.
template <class T>
class LossyPipe {
 public:
  LossyPipe(core::Random& random, std::uint32_t loss, std::uint32_t delay)
      : loss_percent(loss), delay_max(delay), random_(random) {}

  void send(T thing) {
    if (random_.chance(loss_percent, 100)) return;
    if (random_.chance(loss_percent, 200)) under_way_.emplace(now_ + random_.below(delay_max + 1), thing);
    under_way_.emplace(now_ + delay_min + random_.below(delay_max - delay_min + 1), std::move(thing));
  }
  template <class Receive>
  void deliver(Receive&& receive) {
    for (++now_; !under_way_.empty() && under_way_.begin()->first < now_; under_way_.erase(under_way_.begin()))
      receive(under_way_.begin()->second);
  }

  // Loses everything that is under way.
  void clear() { under_way_.clear(); }

  std::uint32_t loss_percent;
  std::uint32_t delay_max;
  std::uint32_t delay_min = 0;

 private:
  core::Random& random_;
  std::uint32_t now_ = 0;
  std::multimap<std::uint32_t, T> under_way_;
};

class Replica {
 public:
  Replica(RandomWorld& world, std::uint32_t loss_percent, std::uint32_t delay_max)
      : encoded(world.publisher.published()),
        view(world.publisher.published(), encoded, workspace, true),
        client(world.schema),
        deltas(world.random, loss_percent, delay_max),
        inputs(world.random, loss_percent, delay_max),
        world_(world) {
    for (std::uint32_t index = 0; index < world.publisher.published().index_end(); ++index)
      if (world.publisher.published().entity(index).entity) view.add_visible(index, false);
  }

  // Makes all spawned entities visible, and updates whose they are. After publishing.
  void see_all() {
    for (const std::uint32_t index : world_.publisher.spawned()) view.add_visible(index, owns(index));
    view.update_owners(owns);
  }
  // Sends and delivers deltas, then inputs.
  void tick(std::size_t bytes_max = 800, std::size_t datagram_bytes = 400) {
    const ecs::Tick now = world_.registry.tick();
    encoded.begin_tick(now);
    view.forget(world_.reclaimed);
    view.note_published();
    view.choose(now, bytes_max, importance);
    std::size_t sent = 0;
    do {
      core::Bytes delta(datagram_bytes);
      delta.resize(view.write_delta(delta, now, feedback));
      sent += delta.size();
      deltas.send(std::move(delta));
      ASSERT_LE(view.unsettled(), server::SentDeltas::window_max);
    } while (view.has_chosen() && sent < bytes_max);
    send_bodies(bytes_max / 2);
    bytes_sent += sent;
    view.check();
    announce();
    deliver_bodies();
    deltas.deliver([&](const core::Bytes& delta) { client.take(delta); });
    inputs.send(client.input());
    inputs.deliver([&](const wire::InputDatagram& input) { acknowledge(input); });
  }
  void acknowledge(const wire::InputDatagram& input) {
    ASSERT_TRUE(view.acknowledge(input).ok());
    newest_ack_ = std::max(newest_ack_, input.ack);
    view.check();
    ASSERT_EQ(view.acknowledged_hash(), client.sums.at(newest_ack_)) << "acknowledgement " << newest_ack_;
  }
  void end_loss() {
    deltas.loss_percent = inputs.loss_percent = 0;
    deltas.delay_max = inputs.delay_max = 0;
    deltas.delay_min = inputs.delay_min = 0;
  }
  // Loses what is under way on the reliable lane, as with another connection.
  void lose_lane() {
    lane_.clear();
    bodies_received_ = bodies_known_ = bodies_sent_;
    view.bodies()->begin_again();
  }
  [[nodiscard]] bool converged() const {
    const server::Published& published = world_.publisher.published();
    std::uint64_t hash = published.hash();
    for (std::uint32_t index = 0; index < published.index_end(); ++index)
      if (published.entity(index).entity && owns(index)) hash += published.entity(index).owner_hash;
    return client.mirror->hash() == hash;
  }

  // Expects that each entity in view has the state that the server had at its tick, and that it is shown.
  void expect_true(const PublishedHistory& history) {
    if (++expectations_ % 16 == 0) client.mirror->check();  // slow: checks all prototypes
    client.mirror->registry().entities().each([&](ecs::Entity entity) {
      const ecs::Tick tick = client.mirror->tick_of(entity);
      if (tick == 0) return;  // stale
      const std::vector<std::uint32_t>* expected = history.at(entity, tick);
      ASSERT_NE(expected, nullptr) << to_string(entity) << " at tick " << tick;
      const client::MirroredEntity& known = *client.mirror->state().find(entity);
      const std::uint32_t* const words = known.versions.newest().words;
      const std::vector<std::uint32_t> mirrored(words, words + expected->size());
      ASSERT_EQ(mirrored, as_received(known, *expected)) << to_string(entity) << " at tick " << tick;
    });
  }

  server::EncodedDeltaCache encoded;
  server::ViewWorkspace workspace;
  wire::CommandFeedback feedback;  // in the next deltas
  server::ClientView view;
  ModelClient client;
  LossyPipe<core::Bytes> deltas;
  LossyPipe<wire::InputDatagram> inputs;
  std::size_t bytes_sent = 0;
  std::function<float(std::uint32_t)> importance = [](std::uint32_t) { return 1.0f; };  // by index
  std::function<bool(std::uint32_t)> owns = [](std::uint32_t) { return false; };        // for see_all(), by index
  std::size_t announcements = 0;

 private:
  // Returns the words of a state as the client has them: those that it does not receive are the defaults.
  [[nodiscard]] std::vector<std::uint32_t> as_received(const client::MirroredEntity& known,
                                                       std::vector<std::uint32_t> words) const {
    const wire::EntityLayout& layout = client.mirror->state().codecs.entity(known.prototype);
    for (const wire::EntityLayout::Row& row : layout.rows) {
      const std::uint32_t first = known.owner ? row.codec->common_words() : row.codec->public_words();
      const std::uint32_t end = known.owner ? row.codec->public_words() : row.codec->words();
      for (std::uint32_t i = row.first + first; i < row.first + end; ++i) words[i] = layout.defaults[i];
    }
    return words;
  }
  // Announces prototypes reliably and in order. Their acknowledgements are sometimes late.
  void announce() {
    const Announcement made = take_wanted(view, world_.registry);
    ASSERT_TRUE(made.apply(*client.mirror));
    announced_.insert(announced_.end(), made.ids.begin(), made.ids.end());
    while (!announced_.empty() && world_.random.chance(7, 8)) {
      view.prototypes().delivered(announced_.front());
      announced_.erase(announced_.begin());
    }
  }

  void send_bodies(std::size_t bytes_max) {
    server::DeltaBodies* const bodies = view.bodies();
    if (bodies == nullptr) return;
    bodies->note_delivered([&](transport::ReliableId id) { return id <= bodies_known_; });
    bodies->send_parts(bytes_max, [&](const wire::DeltaBody& part) {
      lane_.push_back(part);
      return ++bodies_sent_;
    });
    core::Bytes delta(wire::delta_bytes_max);
    while (const std::size_t size = view.write_announcement(delta, {})) {
      ++announcements;
      deltas.send({delta.begin(), delta.begin() + static_cast<std::ptrdiff_t>(size)});
    }
  }
  // Delivers parts in order, after a while, and acknowledges them later still.
  void deliver_bodies() {
    if (view.bodies() == nullptr) return;
    if (world_.random.chance(1, 2)) bodies_known_ = bodies_received_;
    for (; !lane_.empty() && world_.random.chance(3, 4); lane_.pop_front(), ++bodies_received_)
      ASSERT_TRUE(client.mirror->add_body(std::move(lane_.front())).ok());
  }

  RandomWorld& world_;
  std::deque<wire::DeltaBody> lane_;
  transport::ReliableId bodies_sent_ = 0;
  transport::ReliableId bodies_received_ = 0;
  transport::ReliableId bodies_known_ = 0;  // to the server
  std::vector<std::uint32_t> announced_;    // ids
  std::uint32_t newest_ack_ = 0;
  std::size_t expectations_ = 0;
};

// Returns the next delta of a view without a replica, of at most 400 bytes. The caller ends the tick.
inline core::Bytes next_delta(server::ClientView& view, server::EncodedDeltaCache& encoded, RandomWorld& world) {
  core::Bytes delta(400);
  encoded.begin_tick(world.registry.tick());
  view.note_published();
  view.choose(world.registry.tick(), 400, [](std::uint32_t) { return 1.0f; });
  delta.resize(view.write_delta(delta, world.registry.tick(), {}));
  return delta;
}

}  // namespace mobula::test
