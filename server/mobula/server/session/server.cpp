#include <algorithm>
#include <array>
#include <mobula/core/log.hpp>
#include <mobula/server/session/server.hpp>
#include <mobula/wire/messages.hpp>

namespace mobula::server {
namespace {

constexpr std::size_t messages_per_tick_max = 16;
constexpr std::size_t inputs_per_tick_max = 16;
constexpr std::uint32_t prototypes_looked_at_per_second = 1024;  // for those that nobody needs
constexpr core::Nanoseconds hello_timeout = 5 * core::second;
constexpr core::Nanoseconds measured_max = 10 * core::second;  // without a question

core::Nanoseconds no_clock() { return 0; }

}  // namespace

core::Result<std::unique_ptr<Server>> Server::start(ServerConfig config, Game& game) {
  core::Result<std::shared_ptr<const reflect::Schema>> schema = reflect::Schema::load(game.schema());
  if (!schema) return schema.error();
  core::Result<std::shared_ptr<const resource::Resource>> first = first_level(config);
  if (!first) return first.error();
  const std::shared_ptr<const resource::Resource> newest = std::exchange(config.level, std::move(*first));
  // A saved level need not be one to begin with any more, where another takes its place.
  const resource::Resource* const played = newest != nullptr ? newest.get() : config.level.get();
  if (core::Status playable = game.check_level(played); !playable) return playable.error();
  core::Result<std::unique_ptr<World>> world =
      World::make({.schema = *schema,
                   .level = config.level,
                   .spawners = game.spawners(),
                   .ticks_per_second = config.ticks_per_second,
                   .seed = config.seed,
                   .entities_max = config.entities_max,
                   .incarnation = config.store != nullptr ? config.store->incarnation() : 0});
  if (!world) return world.error();
  std::unique_ptr<Server> server(new Server(std::move(config), game, std::move(*world)));
  if (core::Status begun = server->begin_world(); !begun) return begun.error();
  if (core::Status updated = server->update_level(newest); !updated) return updated.error();
  game.systems(server->world(), *server->schedule_);
  server->saved_tick_ = server->world_->tick();
  if (server->config_.store != nullptr)
    if (core::Status begun = server->config_.store->begin(server->world_->registry()); !begun) return begun.error();
  return server;
}

core::Result<LevelChange> Server::reload_level(std::shared_ptr<const resource::Resource> level) {
  if (core::Status playable = game_.check_level(level.get()); !playable) return playable.error();
  core::Result<LevelChange> change = world_->reload_level(level);
  if (change) {
    config_.level = std::move(level);
    offers_level_ = false;
  }
  return change;
}

Server::Server(ServerConfig config, Game& game, std::unique_ptr<World> world)
    : config_(std::move(config)),
      game_(game),
      commands_(game.commands(), config_.ticks_per_second),
      world_(std::move(world)),
      schedule_(std::make_unique<ecs::Schedule>(world_->registry(),
                                                config_.phase_clock != nullptr ? config_.phase_clock : no_clock)),
      publisher_(std::make_unique<Publisher>(world_->registry(), world_->schema(), config_.history_bytes)),
      encoded_(std::make_unique<EncodedDeltaCache>(publisher_->published())),
      interest_(std::make_unique<Interest>(world_->registry(), game.layers())),
      endpoint_(config_.transport),
      bans_(std::move(config_.bans)),
      secrets_(config_.secret),
      rejoin_ids_(config_.secret),
      phases_(config_.phase_clock) {
  interest_->set_rule(game.interest_rule());
}

void Server::set_unix_time(std::uint64_t seconds) {
  unix_time_ = seconds;
  endpoint_.set_unix_time(seconds);
}

const SentBytes* Server::measure(std::uint32_t player) {
  const auto found = std::ranges::find_if(sessions_, [&](const auto& each) { return each->player.id == player; });
  if (player == 0 || found == sessions_.end() || (*found)->view == nullptr) return nullptr;
  ClientView& view = *(*found)->view;
  if (view.measured() == nullptr) view.measure(std::make_unique<SentBytes>(SentBytes{.since = now_}));
  view.measured()->asked_at = now_;
  return view.measured();
}

void Server::tick(core::Nanoseconds now, transport::Output& output) {
  const core::LogScope about({.tick = world_->tick()});
  phases_.begin();
  now_ = now;
  if (world_->tick() >= ecs::ticks_max && !draining_) drain("the world has had all its ticks", 0);
  take_events(now);
  for (const std::unique_ptr<Session>& session : sessions_) {
    if (transport::Session* lanes = endpoint_.find(session->transport_id)) {
      take_messages(*session, *lanes, now);
      if (session->state == Session::State::greeting && now - session->connected_at > hello_timeout)
        give_up_greeting(*session, now);
    }
  }
  end_absent(now);
  report_drops(now);
  run_commands(now);
  phases_.end(TickPhase::receive);
  run_game();
  phases_.end(TickPhase::game);

  publish();
  // Once per second: a composition that is not there for a moment keeps its place at the clients.
  std::span<const ecs::PrototypeId> reclaimed;
  if (world_->tick() % config_.ticks_per_second == 0)
    reclaimed = world_->registry().prototypes().reclaim(prototypes_looked_at_per_second);
  publisher_->forget(reclaimed);
  phases_.end(TickPhase::publish);
  for (std::size_t at = 0; at < sessions_.size(); ++at) {
    prefetch_after(at);
    Session& session = *sessions_[at];
    if (session.view != nullptr) session.view->forget(reclaimed);
    transport::Session* lanes = endpoint_.find(session.transport_id);
    if (lanes == nullptr) continue;
    if (const core::Status told = tell(session, *lanes, now, output); !told)
      close(session, transport::ReasonCode::kicked, told.error(), now);
  }
  save_if_due();
  world_->end_tick();
  phases_.end(TickPhase::encode);
  drop_closed(now, output);
  endpoint_.update(now, output);
  output.flush();
  phases_.end(TickPhase::seal);
}

// --- What they say -------------------------------------------------------------------------------------------------

void Server::take_messages(Session& session, transport::Session& lanes, core::Nanoseconds now) {
  const core::LogScope about(session.log_fields());
  for (std::size_t i = 0; i < messages_per_tick_max && lanes.next_reliable(buffer_); ++i) {
    if (session.state == Session::State::closing) return;
    core::Result<wire::Message> message = wire::decode_message(buffer_);
    core::Status taken =
        message ? core::Error{"out of turn", "a client says Hello, once, and then asks or answers"} : message.error();
    if (message) {
      if (const auto* hello = std::get_if<wire::Hello>(&*message)) taken = take(session, lanes, *hello, now);
      if (const auto* request = std::get_if<wire::ResourceRequest>(&*message)) taken = take(session, *request, now);
      if (const auto* said = std::get_if<wire::MirrorHashes>(&*message)) taken = take(session, lanes, *said, now);
      if (const auto* said = std::get_if<wire::MirrorDifference>(&*message)) taken = take(session, *said, now);
    }
    if (!taken) close(session, transport::ReasonCode::protocol_error, taken.error(), now);
  }
  for (std::size_t i = 0; i < inputs_per_tick_max && lanes.next_unreliable(buffer_); ++i)
    take_input(session, buffer_, now);
}

core::Status Server::take(Session& session, const wire::ResourceRequest& request, core::Nanoseconds now) {
  if (!session.joined) return core::Error{"out of turn", "a resource was asked for before Hello"};
  if (const core::Status begun = session.transfer.start(config_.level, request); !begun)
    count_refusal(begun.error(), session, now);
  return core::Done{};
}

void Server::take_input(Session& session, core::ByteView bytes, core::Nanoseconds now) {
  if (session.state != Session::State::playing) return;
  if (const core::Status read = wire::decode_input(bytes, input_); !read)
    return count_refusal(read.error(), session, now);
  take_acks(session, now);
  session.acks = {.ack = input_.ack, .newest = input_.newest, .words = input_.words, .received = input_.received};
  // What is refused here an honest client says too, after a pause: it comes again, and is counted alone.
  if (const core::Status taken = session.commands.take(input_, world_->tick()); !taken)
    ++stats_.refusals[taken.error().reason];
}

void Server::take_acks(Session& session, core::Nanoseconds now) {
  if (!session.acks) return;
  if (const core::Status taken = session.view->acknowledge(*session.acks); !taken)
    count_refusal(taken.error(), session, now);
  session.acks.reset();
}

void Server::run_commands(core::Nanoseconds now) {
  for (const std::unique_ptr<Session>& session : sessions_) {
    if (!session->joined || session->state == Session::State::closing) continue;
    const core::LogScope about(session->log_fields());
    for (const auto& [context, bytes] : session->commands.due(world_->tick())) {
      const core::Status done = session->player.spectator
                                    ? core::Error{"spectator", "who looks on gives no commands"}
                                    : commands_.run(*world_, session->player, session->gates, bytes, context);
      done ? void(++stats_.commands) : count_refusal(done.error(), *session, now);
    }
  }
}

void Server::run_game() {
  game_.tick(*world_);
  schedule_->run();
  world_->hierarchy().update();
  for (const World::Kick& each : world_->take_kicks()) take(each);
}

// --- What they are told --------------------------------------------------------------------------------------------

void Server::publish() {
  const std::span<const std::uint32_t> changed = publisher_->publish();
  if (level_ != nullptr) level_->note(changed);
  if (level_ == nullptr && offers_level_) level_ = LevelOffer::make(*world_, publisher_->published());
  offers_level_ = offers_level_ && level_ != nullptr;
  if (level_ != nullptr) encoded_->set_level(&level_->copy());
  encoded_->begin_tick(world_->tick());
  for (const std::uint32_t index : publisher_->despawned()) interest_->remove(index);
  for (const std::uint32_t index : publisher_->spawned()) interest_->add(index);
  interest_->update();
}

// Fails if the lane is full: the client has not read for long and is lost. Events come behind Welcome on their lane, so
// that who joins is told what the game says to them then.
core::Status Server::tell(Session& session, transport::Session& lanes, core::Nanoseconds now,
                          const transport::Output& output) {
  const core::LogScope about(session.log_fields());
  session.transfer.pump(lanes);
  if (session.wants_rejoin_tokens(now)) hand_rejoin_tokens(session, lanes, now);
  if (session.state == Session::State::joining)
    if (const core::Status begun = begin_play(session, lanes); !begun) return begun;
  if (session.state != Session::State::joining && session.state != Session::State::playing) return core::Done{};
  // Nothing is encoded for a pipe that cannot take it.
  if (session.state == Session::State::playing && output.ready(endpoint_.address(session.transport_id))) {
    replicate(session, lanes, now);
    if (const core::Status told = session.announce_prototypes(world_->registry(), lanes); !told) return told;
  }
  return tell_events(session, lanes);
}

core::Status Server::tell_events(Session& session, transport::Session& lanes) {
  const Viewer& viewer = *session.viewer;
  // Who is told nothing, or has to take turns, may have something in view that is within reach no more.
  const auto sees = [&](ecs::Entity entity) {
    const bool lives = world_->registry().valid(entity);
    if (lives && !interest_->may_stay(viewer, entity.index)) return false;  // cheaper than to look for it in the view
    if (!session.view->is_visible(entity))
      return lives && session.view->has_unmodified(entity) && interest_->may_enter(viewer, entity.index);
    return lives || interest_->would_have_stayed(viewer, entity);
  };
  const Events::ForClient& told = world_->events().for_client(world_->tick(), session.player.id, sees,
                                                              [&](std::uint32_t group) { return viewer.is_in(group); });
  for (const core::Bytes& message : told.reliable)
    if (const core::Result<transport::ReliableId> sent = lanes.send_reliable(message); !sent) return sent.error();
  for (const core::Bytes& batch : told.unreliable) static_cast<void>(lanes.send_unreliable(batch));
  return core::Done{};
}

// Of many sessions none is in the cache when its turn comes; what points to the next memory comes a turn before that.
void Server::prefetch_after(std::size_t at) const {
  const auto session = [&](std::size_t turns) -> const Session& {
    return *sessions_[std::min(at + turns, sessions_.size() - 1)];
  };
  core::prefetch_for_write(&session(3), sizeof(Session));
  if (const ClientView* const second = session(2).view.get()) second->prefetch();
  const Session& next = session(1);
  endpoint_.prefetch(next.transport_id);
  if (next.view != nullptr) next.view->prefetch_slots();
}

// The view is there from now on, as what the client is told of the level is of this moment.
core::Status Server::begin_view(Session& session, transport::Session& lanes) {
  const bool chosen = config_.verify_one_in != 0 && session.player.id % config_.verify_one_in == 0;
  session.view = std::make_unique<ClientView>(publisher_->published(), *encoded_, session.verifies || chosen);
  session.looked.at = 0;
  if (session.level == nullptr) return core::Done{};
  session.view->begin_with_level(session.level);
  const auto sent = lanes.send_reliable(wire::encode(session.level->message()));
  return sent ? core::Status(core::Done{}) : sent.error();
}

// When the client has its Welcome, deltas flow. Prototypes that they need are told with it: else they would wait for
// those another round trip.
core::Status Server::begin_play(Session& session, transport::Session& lanes) {
  if (session.looked.at == 0) {
    look(session);
    want_prototypes(session);
  }
  if (core::Status told = session.announce_prototypes(world_->registry(), lanes); !told) return told;
  if (!lanes.reliable_delivered(session.welcome)) return core::Done{};
  session.was_playing = true;
  session.state = Session::State::playing;
  return core::Done{};
}

// As many as a message holds. What is of a level that the client has mostly needs none.
void Server::want_prototypes(Session& session) {
  AnnouncedPrototypes& prototypes = session.view->prototypes();
  for (const std::uint32_t index : session.view->visible()) {
    if (prototypes.wanted().size() == wire::max_prototypes_per_message) return;
    const PublishedEntity& entity = publisher_->published().entity(index);
    if (session.level == nullptr || !session.level->copy().contains(entity.entity))
      static_cast<void>(prototypes.find_or_want(entity.prototype));
  }
}

void Server::replicate(Session& session, transport::Session& lanes, core::Nanoseconds now) {
  static_assert(wire::delta_bytes_max <= transport::max_unreliable_size);
  std::array<std::byte, wire::delta_bytes_max> datagram;
  std::size_t budget = std::min<std::size_t>(config_.delta_bytes_per_tick_max, lanes.budget_bytes(now));
  const std::uint64_t sent_before = stats_.delta_bytes_sent;
  if (const SentBytes* measured = session.view->measured(); measured && now - measured->asked_at > measured_max)
    session.view->measure(nullptr);
  take_acks(session, now);
  phases_.end(TickPhase::receive);
  look(session);
  std::optional<Interest::Observer> observer;
  session.view->choose(world_->tick(), budget, [&](std::uint32_t index) {
    if (!observer) observer = interest_->observer(*session.viewer);
    return interest_->importance(*observer, index);
  });
  phases_.end(TickPhase::choose);
  do {
    const std::size_t size = session.view->write_delta(datagram, world_->tick(), session.commands.feedback());
    if (const core::Status queued = lanes.send_unreliable({datagram.data(), size}); !queued) break;
    ++stats_.deltas_sent;
    stats_.delta_bytes_sent += size;
    budget -= std::min(budget, size);
  } while (budget >= datagram.size() && session.view->has_chosen());  // what is next may need all of it
  stats_.client_bytes.add(stats_.delta_bytes_sent - sent_before);
  phases_.end(TickPhase::encode);
}

}  // namespace mobula::server
