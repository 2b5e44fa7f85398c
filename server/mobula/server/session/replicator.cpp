#include <algorithm>
#include <array>
#include <mobula/server/session/replicator.hpp>
#include <mobula/wire/messages.hpp>
#include <optional>

namespace mobula::server {
namespace {

constexpr std::uint32_t reclaimed_per_second_max = 1024;            // prototypes that are checked for use
constexpr core::Nanoseconds measuring_timeout = 10 * core::second;  // since the last call of measure()

}  // namespace

Replicator::Replicator(const ServerConfig& config, World& world, Game& game, ServerStats& stats, TickPhases& phases)
    : config_(config),
      world_(world),
      stats_(stats),
      phases_(phases),
      publisher_(world.registry(), world.schema(), config.history_bytes),
      encoded_deltas_(publisher_.published()),
      interest_(world.registry(), game.layers()),
      visibility_(world.registry(), publisher_, interest_, game.interest_rule() != nullptr) {
  interest_.set_rule(game.interest_rule());
}

void Replicator::publish() {
  const std::span<const std::uint32_t> changed = publisher_.publish();
  if (level_ != nullptr) level_->note(changed);
  if (level_ == nullptr && offers_level_) level_ = LevelOffer::make(world_, publisher_.published());
  offers_level_ = offers_level_ && level_ != nullptr;
  if (level_ != nullptr) encoded_deltas_.set_level(&level_->copy());
  encoded_deltas_.begin_tick(world_.tick());
  for (const std::uint32_t index : publisher_.despawned()) interest_.remove(index);
  for (const std::uint32_t index : publisher_.spawned()) interest_.add(index);
  interest_.update();
  // Once per second, so that a prototype that is unused for a moment keeps its id at the clients.
  reclaimed_ = {};
  if (world_.tick() % config_.ticks_per_second == 0)
    reclaimed_ = world_.registry().prototypes().reclaim(reclaimed_per_second_max);
  publisher_.forget(reclaimed_);
}

std::shared_ptr<const LevelOffer> Replicator::offered_level(std::span<const core::ContentHash> resources) const {
  if (level_ == nullptr || !offers_level_) return nullptr;
  return std::ranges::find(resources, level_->copy().identity()) != resources.end() ? level_ : nullptr;
}

// --- The beginning of a view ---------------------------------------------------------------------------------------

core::Status Replicator::begin_view(ClientSession& session, transport::Session& lanes) {
  const bool chosen = config_.verify_one_in != 0 && session.player.id % config_.verify_one_in == 0;
  session.view =
      std::make_unique<ClientView>(publisher_.published(), encoded_deltas_, workspace_, session.verifies || chosen);
  session.last_query.interest_version = 0;
  if (session.level == nullptr) return core::Done{};
  session.view->begin_with_level(session.level);
  const auto sent = lanes.send_reliable(wire::encode(session.level->message()));
  return sent ? core::Status(core::Done{}) : sent.error();
}

core::Status Replicator::begin_play(ClientSession& session, transport::Session& lanes) {
  if (session.last_query.interest_version == 0) {
    visibility_.update(session);
    want_prototypes(session);
  }
  if (core::Status announced = session.announce_prototypes(world_.registry(), lanes); !announced) return announced;
  if (!lanes.reliable_delivered(session.welcome)) return core::Done{};
  session.was_playing = true;
  session.state = ClientSession::State::playing;
  return core::Done{};
}

// Wants at most as many as one message holds. Most entities of a level that the client has need none.
void Replicator::want_prototypes(ClientSession& session) {
  AnnouncedPrototypes& prototypes = session.view->prototypes();
  for (const std::uint32_t index : session.view->visible()) {
    if (prototypes.wanted().size() == wire::max_prototypes_per_message) return;
    const PublishedEntity& entity = publisher_.published().entity(index);
    if (session.level == nullptr || !session.level->copy().contains(entity.entity))
      static_cast<void>(prototypes.find_or_want(entity.prototype));
  }
}

void Replicator::forget_reclaimed(ClientSession& session) const {
  if (session.view != nullptr) session.view->forget(reclaimed_);
}

// --- Deltas --------------------------------------------------------------------------------------------------------

core::Status Replicator::send_deltas(ClientSession& session, transport::Session& lanes, core::Nanoseconds now) {
  const std::size_t budget = std::min<std::size_t>(config_.delta_bytes_per_tick_max, lanes.budget_bytes(now));
  const SentBytes* const measured = session.view->measured();
  if (measured != nullptr && now - measured->asked_at > measuring_timeout) session.view->measure(nullptr);
  visibility_.update(session);
  choose(session, budget);
  phases_.end(TickPhase::choose);
  write_deltas(session, lanes, budget);
  phases_.end(TickPhase::encode);
  return session.announce_prototypes(world_.registry(), lanes);
}

void Replicator::choose(ClientSession& session, std::size_t budget) {
  std::optional<Interest::Observer> observer;  // looked up only if there is more to send than the budget allows
  session.view->choose(world_.tick(), budget, [&](std::uint32_t index) {
    if (!observer) observer = interest_.observer(*session.viewer);
    return interest_.importance(*observer, index);
  });
}

void Replicator::write_deltas(ClientSession& session, transport::Session& lanes, std::size_t budget) {
  static_assert(wire::delta_bytes_max <= transport::max_unreliable_size);
  std::array<std::byte, wire::delta_bytes_max> datagram;
  const std::uint64_t sent_before = stats_.delta_bytes_sent;
  do {
    const std::size_t size = session.view->write_delta(datagram, world_.tick(), session.commands.feedback());
    if (const core::Status queued = lanes.send_unreliable({datagram.data(), size}); !queued) break;
    ++stats_.deltas_sent;
    stats_.delta_bytes_sent += size;
    budget -= std::min(budget, size);
  } while (budget >= datagram.size() && session.view->has_chosen());  // the next delta may need all of the datagram
  stats_.client_bytes.add(stats_.delta_bytes_sent - sent_before);
}

// --- Events --------------------------------------------------------------------------------------------------------

core::Status Replicator::send_events(ClientSession& session, transport::Session& lanes) const {
  const Viewer& viewer = *session.viewer;
  // The view may still have an entity that is out of reach, until the next query or while the client is sent nothing.
  const auto sees = [&](ecs::Entity entity) {
    const bool lives = world_.registry().valid(entity);
    if (lives && !interest_.may_stay(viewer, entity.index)) return false;  // cheaper than to search the view for it
    if (!session.view->is_visible(entity))
      return lives && session.view->has_unmodified(entity) && interest_.may_enter(viewer, entity.index);
    return lives || interest_.would_have_stayed(viewer, entity);
  };
  const Events::ForClient& events = world_.events().for_client(
      world_.tick(), session.player.id, sees, [&](std::uint32_t group) { return viewer.is_in(group); });
  for (const core::Bytes& message : events.reliable)
    if (const core::Result<transport::ReliableId> sent = lanes.send_reliable(message); !sent) return sent.error();
  for (const core::Bytes& batch : events.unreliable) static_cast<void>(lanes.send_unreliable(batch));
  return core::Done{};
}

const SentBytes* Replicator::measure(ClientSession& session, core::Nanoseconds now) {
  if (session.view == nullptr) return nullptr;
  ClientView& view = *session.view;
  if (view.measured() == nullptr) view.measure(std::make_unique<SentBytes>(SentBytes{.since = now}));
  view.measured()->asked_at = now;
  return view.measured();
}

}  // namespace mobula::server
