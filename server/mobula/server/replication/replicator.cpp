#include <algorithm>
#include <array>
#include <mobula/server/game/hook.hpp>
#include <mobula/server/replication/replicator.hpp>
#include <mobula/wire/messages.hpp>
#include <optional>

namespace mobula::server {
namespace {

constexpr std::uint32_t reclaimed_per_second_max = 1024;  // prototypes that are checked for use
constexpr std::size_t body_part_bytes_min = 512;
constexpr std::size_t backlog_bytes_max = 64 * 1024;  // on the control lane, whose other messages must not wait long

std::vector<Layer> declared_layers(const Game& game) {
  return run_hook("Game::layers", [&] {
    std::vector<Layer> layers = game.layers();
    check_layers(layers);
    return layers;
  });
}

}  // namespace

Replicator::Replicator(const ReplicationConfig& config, World& world, Game& game, ReplicationStats& stats,
                       TickPhases& phases)
    : config_(config),
      world_(world),
      stats_(stats),
      phases_(phases),
      publisher_(world.registry(), world.schema(), config.history_bytes, 1.0 / config.ticks_per_second),
      encoded_deltas_(publisher_.published()),
      interest_(world.registry(), declared_layers(game)),
      visibility_(world.registry(), publisher_, interest_, game.interest_rule() != nullptr) {
  interest_.set_rule(run_hook("Game::interest_rule", [&] { return game.interest_rule(); }));
  workspace_.parents = &interest_.parents();
}

std::span<const std::uint32_t> Replicator::publish() {
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
  publisher_.published().forget_past(world_.tick());
  return changed;
}

std::shared_ptr<const LevelOffer> Replicator::offered_level(std::span<const core::ContentHash> resources) const {
  if (level_ == nullptr || !offers_level_) return nullptr;
  return std::ranges::find(resources, level_->copy().identity()) != resources.end() ? level_ : nullptr;
}

// --- The beginning of a view ---------------------------------------------------------------------------------------

core::Status Replicator::begin_view(ClientReplication& client, transport::Session& connection) {
  const bool chosen = config_.verify_one_in != 0 && client.viewer->player() % config_.verify_one_in == 0;
  client.view =
      std::make_unique<ClientView>(publisher_.published(), encoded_deltas_, workspace_, client.verifies || chosen);
  client.last_query.interest_version = 0;
  if (client.level == nullptr) return core::Done{};
  client.view->begin_with_level(client.level);
  const auto sent = connection.send_reliable(wire::encode(client.level->message()));
  return sent ? core::Status(core::Done{}) : sent.error();
}

core::Status Replicator::prepare_view(ClientReplication& client, transport::Session& connection) {
  if (client.last_query.interest_version == 0) {
    visibility_.update(client);
    want_prototypes(client);
  }
  return client.announce_prototypes(world_.registry(), connection);
}

// Wants at most as many as one message holds. Most entities of a level that the client has need none.
void Replicator::want_prototypes(ClientReplication& client) {
  AnnouncedPrototypes& prototypes = client.view->prototypes();
  for (const std::uint32_t index : client.view->visible()) {
    if (prototypes.wanted().size() == wire::max_prototypes_per_message) return;
    const PublishedEntity& entity = publisher_.published().entity(index);
    if (client.level == nullptr || !client.level->copy().contains(entity.entity))
      static_cast<void>(prototypes.find_or_want(entity.prototype));
  }
}

void Replicator::forget_reclaimed(ClientReplication& client) const {
  if (client.view != nullptr) client.view->forget(reclaimed_);
}

// --- Deltas --------------------------------------------------------------------------------------------------------

core::Status Replicator::send_deltas(ClientReplication& client, transport::Session& connection,
                                     const wire::CommandFeedback& feedback, core::Nanoseconds now) {
  const std::size_t budget = std::min<std::size_t>(config_.delta_bytes_per_tick_max, connection.budget_bytes(now));
  client.view->set_lacks_offer(!client.offer.is_delivered(connection));
  const ComponentBytes* const measured = client.view->measured();
  if (measured != nullptr && now - measured->asked_at > measuring_timeout) client.view->measure(nullptr);
  visibility_.update(client);
  choose(client, budget);
  phases_.end(TickPhase::choose);
  write_deltas(client, connection, feedback, budget);
  phases_.end(TickPhase::encode);
  return client.announce_prototypes(world_.registry(), connection);
}

void Replicator::choose(ClientReplication& client, std::size_t budget) {
  std::optional<Interest::Observer> observer;  // looked up only if there is more to send than the budget allows
  client.view->choose(world_.tick(), budget, [&](std::uint32_t index) {
    if (!observer) observer = interest_.observer(*client.viewer);
    return interest_.importance(*observer, index);
  });
}

void Replicator::write_deltas(ClientReplication& client, transport::Session& connection,
                              const wire::CommandFeedback& feedback, std::size_t budget) {
  static_assert(wire::delta_bytes_max <= transport::max_unreliable_size);
  std::array<std::byte, wire::delta_bytes_max> datagram;
  const std::uint64_t sent_before = stats_.delta_bytes_sent;
  const std::size_t reserved = bytes_reserved(client, budget);
  budget -= reserved;
  do {
    const std::size_t size =
        client.view->write_delta(datagram, world_.tick(), feedback, connection.unreliable_bytes_max());
    if (!send_delta(connection, {datagram.data(), size})) break;
    budget -= std::min(budget, size);
  } while (budget >= datagram.size() && client.view->has_chosen());  // the next delta may need all of the datagram
  send_bodies(client, connection, feedback, budget + reserved);
  stats_.client_bytes.add(stats_.delta_bytes_sent - sent_before);
}

bool Replicator::send_delta(transport::Session& connection, core::ByteView delta) {
  if (const core::Status queued = connection.send_unreliable(delta); !queued) return false;
  ++stats_.deltas_sent;
  stats_.delta_bytes_sent += delta.size();
  return true;
}

// Returns what is left of the budget for entities that do not fit a datagram: half, so that all others still have
// theirs.
std::size_t Replicator::bytes_reserved(ClientReplication& client, std::size_t budget) {
  const DeltaBodies* const bodies = client.view->bodies();
  if (bodies == nullptr || !bodies->any_unannounced()) return 0;
  return std::max(budget / 2, std::min(budget, body_part_bytes_min));
}

// Parts of bodies are sent first. Announcements take a few bytes each, and there are at most as many as bodies.
void Replicator::send_bodies(ClientReplication& client, transport::Session& connection,
                             const wire::CommandFeedback& feedback, std::size_t budget) {
  DeltaBodies* const bodies = client.view->bodies();
  if (bodies == nullptr) return;
  bodies->note_delivered([&](transport::ReliableId id) { return connection.reliable_delivered(id); });
  if (connection.reliable_backlog_bytes() < backlog_bytes_max)
    stats_.delta_bytes_sent += bodies->send_parts(budget, [&](const wire::DeltaBody& part) {
      const core::Result<transport::ReliableId> sent = connection.send_reliable(wire::encode(part));
      return sent ? *sent : 0;
    });
  std::array<std::byte, wire::delta_bytes_max> datagram;
  while (const std::size_t size = client.view->write_announcement(datagram, feedback))
    if (!send_delta(connection, {datagram.data(), size})) return;
}

// --- Events --------------------------------------------------------------------------------------------------------

core::Status Replicator::send_events(ClientReplication& client, transport::Session& connection) const {
  const Viewer& viewer = *client.viewer;
  // The view may still have an entity that is out of reach, until the next query or while the client is sent nothing.
  const auto sees = [&](ecs::Entity entity) {
    const bool lives = world_.registry().valid(entity);
    // Cheaper than to search the view for it.
    const bool may_stay = lives && interest_.may_stay(viewer, entity.index);
    if (lives && !may_stay && interest_.parents().count() == 0) return false;
    if (!client.view->is_visible(entity))
      return may_stay && client.view->has_unmodified(entity) && interest_.may_enter(viewer, entity.index);
    if (!lives) return interest_.would_have_stayed(viewer, entity, client.view->visible());
    return may_stay || interest_.may_stay_for_others(viewer, entity, client.view->visible());
  };
  const std::optional<ZoneRegion>& zone = viewer.zone() ? viewer.zone() : world_.zone();
  const Events::ForClient& events = world_.events().for_client(
      world_.tick(), {.player = viewer.player(), .zone = zone ? zone->zone : 0, .is_zone = viewer.zone().has_value()},
      sees, [&](std::uint32_t group) { return viewer.is_in(group); });
  for (const core::Bytes& message : events.reliable)
    if (const core::Result<transport::ReliableId> sent = connection.send_reliable(message); !sent) return sent.error();
  for (const core::Bytes& batch : events.unreliable) static_cast<void>(connection.send_unreliable(batch));
  return core::Done{};
}

const ComponentBytes* Replicator::measure(ClientReplication& client, core::Nanoseconds now) {
  if (client.view == nullptr) return nullptr;
  ClientView& view = *client.view;
  if (view.measured() == nullptr) view.measure(std::make_unique<ComponentBytes>(ComponentBytes{.since = now}));
  view.measured()->asked_at = now;
  return view.measured();
}

}  // namespace mobula::server
