#include "recordings/player.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <mobula/client/mirror/mirror.hpp>
#include <mobula/core/clock.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/random.hpp>
#include <mobula/index/prototype_hash.hpp>
#include <mobula/server/replication/client_view.hpp>
#include <mobula/server/replication/publisher.hpp>
#include <mobula/transport/packet.hpp>
#include <mobula/transport/session_body.hpp>

#include "delta_acks.hpp"

namespace mobula::bench {
namespace {

constexpr std::uint32_t entities_max = 1u << 12;
constexpr std::size_t join_ticks_max = 10'000;
constexpr std::uint64_t seed = 1;

// Returns the size of a datagram with one delta that is the nth of its session, without the header of UDP.
std::size_t datagram_bytes(std::size_t delta, std::uint64_t nth) {
  const std::size_t sequence = static_cast<std::size_t>(std::bit_width(nth | 1) + 7) / 8;
  return 1 + sequence + transport::body_header_bytes + transport::entry_header_bytes + delta + core::seal_bytes;
}

class Player {
 public:
  Player(const PlayedWorld& world, const PlayOptions& options)
      : world_(world),
        options_(options),
        schema_(*reflect::Schema::load(world.schema)),
        publisher_(registry_with(registry_, *schema_), *schema_),
        encoded_(publisher_.published()),
        view_(publisher_.published(), encoded_, workspace_, false),
        mirror_(std::move(*client::Mirror::make(schema_, entities_max))) {
    MOBULA_CHECK(world.entities < entities_max, "more entities than the player's worlds hold");
    for (std::size_t i = 0; i < world.entities; ++i) entities_.push_back(registry_.create());
  }

  core::Result<PlayReport> run();

 private:
  struct Input {
    ecs::Tick tick;
    wire::InputDatagram acks;
    bool knows_all;
  };

  static ecs::Registry& registry_with(ecs::Registry& registry, const reflect::Schema& schema) {
    static_cast<void>(reflect::register_components(registry, schema).value());
    return registry;
  }

  // Runs one tick: the world takes the frame's state, deltas arrive at once, their acknowledgement later.
  FrameTraffic play(std::size_t frame);
  void set(std::size_t frame);
  void deliver_inputs();
  void write_deltas(FrameTraffic& result);
  void announce();
  void apply_deltas(FrameTraffic& result);
  void send_input();
  [[nodiscard]] std::uint64_t mismatches() const;
  [[nodiscard]] bool lost() { return random_.chance(options_.loss_percent, 100); }

  const PlayedWorld& world_;
  PlayOptions options_;
  std::shared_ptr<const reflect::Schema> schema_;
  ecs::Registry registry_;
  server::Publisher publisher_;
  server::EncodedDeltaCache encoded_;
  server::ViewWorkspace workspace_;
  server::ClientView view_;
  std::unique_ptr<client::Mirror> mirror_;
  DeltaAcks acks_;
  core::Random random_{seed};
  std::vector<ecs::Entity> entities_;
  std::vector<std::size_t> frame_of_tick_;
  std::deque<Input> inputs_;
  std::vector<core::Bytes> deltas_;  // deltas of this tick that were not lost
  std::uint64_t datagrams_ = 0;
  bool joined_ = false;  // the server knows that the client has a complete mirror
};

void Player::set(std::size_t frame) {
  for (std::size_t i = 0; i < entities_.size(); ++i) world_.set(registry_, entities_[i], frame, i);
  frame_of_tick_.resize(registry_.tick() + 1);
  frame_of_tick_[registry_.tick()] = frame;
}

void Player::deliver_inputs() {
  for (; !inputs_.empty() && inputs_.front().tick + options_.baseline_age <= registry_.tick(); inputs_.pop_front()) {
    if (lost()) continue;
    static_cast<void>(view_.acknowledge(inputs_.front().acks).value());
    joined_ = joined_ || inputs_.front().knows_all;
  }
}

// Announces prototypes, which a session sends as a reliable message.
void Player::announce() {
  for (const auto& [prototype, id] : view_.prototypes().wanted()) {
    wire::Names names;
    for (const ecs::PoolId pool : registry_.prototypes().pools(prototype))
      names.texts.push_back(registry_.pool(pool).instance_name());
    static_cast<void>(mirror_->add_names(names).value());
    std::vector<index::ComponentRef> components = index::components(registry_, prototype);
    const wire::Prototypes message{{{id, index::prototype_hash(components), components}}};
    static_cast<void>(mirror_->add_prototypes(message).value());
    view_.prototypes().delivered(id);
  }
  view_.prototypes().clear_wanted();
}

void Player::write_deltas(FrameTraffic& result) {
  const ecs::Tick tick = registry_.tick();
  core::Bytes datagram(wire::delta_bytes_max);
  deltas_.clear();
  view_.choose(tick, ~std::size_t{0}, [](std::uint32_t) { return 1.0f; });
  do {
    const std::size_t size = view_.write_delta(datagram, tick, {});
    const core::ByteView delta(datagram.data(), size);
    ++result.deltas;
    result.delta_bytes += size;
    result.state_bytes += size - wire::header_size(wire::read_delta_header(delta, acks_.known()).value());
    result.datagram_bytes += datagram_bytes(size, ++datagrams_);
    if (!lost()) deltas_.emplace_back(delta.begin(), delta.end());
  } while (view_.has_chosen());
}

void Player::apply_deltas(FrameTraffic& result) {
  const core::Nanoseconds begin = core::monotonic_now();
  for (const core::Bytes& delta : deltas_) {
    const wire::DeltaHeader header = wire::read_delta_header(delta, acks_.known()).value();
    if (mirror_->apply(header, delta)) acks_.on_delta(header);
  }
  result.decode = core::monotonic_now() - begin;
  mirror_->hand_out_changes();
}

void Player::send_input() {
  const wire::InputDatagram& input = acks_.next();
  mirror_->acknowledged(input.ack);
  inputs_.push_back({registry_.tick(), input, mirror_->size() == entities_.size()});
}

FrameTraffic Player::play(std::size_t frame) {
  FrameTraffic result;
  set(frame);
  deliver_inputs();
  const core::Nanoseconds begin = core::monotonic_now();
  publisher_.publish();
  encoded_.begin_tick(registry_.tick());
  view_.note_published();
  for (const std::uint32_t index : publisher_.spawned()) view_.add_visible(index, false);
  write_deltas(result);
  result.encode = core::monotonic_now() - begin;
  announce();
  apply_deltas(result);
  send_input();
  registry_.clear_journal();
  registry_.set_tick(registry_.tick() + 1);
  return result;
}

// Compares every entity with the newest frame, or with loss, with the frame of its last update. Without loss a mirror
// that is behind the newest tick has nothing right.
std::uint64_t Player::mismatches() const {
  const client::Mirror& mirror = *mirror_;
  const std::size_t newest = frame_of_tick_.size() - 1;
  const bool exact = options_.loss_percent == 0;
  if (exact && mirror.tick() != newest) return entities_.size();
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < entities_.size(); ++i) {
    const ecs::Tick tick = mirror.tick_of(entities_[i]);
    const ecs::Tick at = exact ? mirror.tick() : tick;
    count += tick == 0 || !world_.is_right(mirror, entities_[i], at, frame_of_tick_[at], i) ? 1 : 0;
  }
  return count;
}

core::Result<PlayReport> Player::run() {
  PlayReport report{.noun = world_.noun, .entities = world_.entities};
  report.frames = std::min(options_.frames, world_.frames);
  if (report.frames < 2) return core::Error{"too short", "it takes two frames: the client joins on the first"};
  for (; !joined_; ++report.join_ticks) {
    if (report.join_ticks == join_ticks_max)
      return core::Error{"never joined",
                         core::format("the client's mirror was not complete after {} ticks", join_ticks_max)};
    report.join_bytes += play(0).delta_bytes;
  }
  report.mismatches = mismatches();
  std::vector<FrameTraffic> frames;
  for (std::size_t frame = 1; frame < report.frames; ++frame) {
    frames.push_back(play(frame));
    report.mismatches += mismatches();
  }
  add_traffic(report, frames);
  return report;
}

}  // namespace

core::Result<PlayReport> play(const PlayedWorld& world, const PlayOptions& options) {
  return Player(world, options).run();
}

}  // namespace mobula::bench
