#include <algorithm>
#include <bots/bot.hpp>
#include <mobula/core/format.hpp>

namespace mobula::client {
namespace {

constexpr core::Nanoseconds token_retry = 100 * core::millisecond;
constexpr core::Nanoseconds open_retry = core::second;
constexpr double um_per_metre = 1e6;
constexpr double correction_max_metres = 1e6;  // greater ones count as this

std::uint64_t in_us(core::Nanoseconds time) {
  return static_cast<std::uint64_t>(std::max<core::Nanoseconds>(time, 0) / core::microsecond);
}

// Accounts are NAME-1, NAME-2 and so on: players without one cannot go to other worlds.
Access access_of(const Access& access, std::uint32_t number) {
  Access own = access;
  if (is_in_cluster(access)) own.options.account = core::format("{}-{}", access.options.account, number + 1);
  return own;
}

TokenSource tokens_of(const Access& access, TokenStock* stock) {
  if (stock == nullptr) return token_source_of(access);
  return [stock](const std::string&) -> core::Result<std::optional<WorldToken>> {
    if (std::optional<transport::ConnectToken> token = stock->take(core::unix_now()))
      return std::optional(WorldToken{std::move(*token)});
    return core::Error{"no token", "there is no token at the moment"};
  };
}

}  // namespace

void ReasonCounts::add(const std::string& reason) {
  ++total_;
  const bool room = by_reason_.contains(reason) || by_reason_.size() < reasons_max;
  ++by_reason_[room ? reason : "other"];
}

Bot::Bot(const BotSetup& setup, const Self& self)
    : setup_(setup),
      self_(self),
      access_(access_of(setup.access, self.number)),
      tokens_(tokens_of(access_, setup.tokens)),
      random_(self.seed),
      numbers_(core::format("{:x}", self.seed)) {}

core::Status Bot::update(core::Nanoseconds now) {
  if (client_ != nullptr) {
    client_->update();
    note_correction();
    note_repeated_numbers();
    check_connection(now);
  }
  if (!wanted_) {
    if (client_ != nullptr) leave(now);
    wants_in_ = true;
    return core::Done{};
  }
  if (now >= next_decision_) ask(BotMoment::due, now);
  return about_to_join() && now >= entered_at_ ? enter(now) : core::Done{};
}

core::Status Bot::enter(core::Nanoseconds now) {
  core::Result<std::optional<WorldToken>> requested = tokens_({});
  if (!requested) {
    entered_at_ = now + token_retry;
    if (setup_.tokens == nullptr) setup_.tally.refusals.add(requested.error().reason);
    return core::Done{};
  }
  std::optional<WorldToken>& token = *requested;
  if (!token) return core::Done{};  // not yet
  entered_at_ = now;
  const bool predicts = setup_.predicts.rules != nullptr && self_.mirrors;
  ConnectionConfig config{.transport = {},
                          .name = core::format("bot {}", self_.number + 1),
                          .schema = setup_.predicts.schema,
                          .resources = predicts ? setup_.predicts.level : nullptr,
                          .decode = self_.mirrors};
  config.transport.token = std::move(token->token);
  core::Result<std::unique_ptr<PipeClient>> client =
      PipeClient::open(setup_.loop, access_, std::move(config), self_.seed + joins_++);
  if (!client) {
    entered_at_ = now + open_retry;
    return client.error();
  }
  client_ = std::move(*client);
  if (predicts) client_->predict(*setup_.predicts.rules, setup_.predicts.config);
  client_->set_token_source(tokens_);
  client_->on_received([this](core::Nanoseconds received) { note_ticks(received); });
  counted_ = {};
  counted_prediction_ = {};
  losses_ = 0;
  place_ = Place::entering;
  wants_in_ = by_choice_ = failed_ = false;
  ticks_ = 0;
  last_tick_at_ = 0;
  next_decision_ = never;
  return core::Done{};
}

void Bot::check_connection(core::Nanoseconds now) {
  if (client_->losses() != losses_) lost(now);
  if (client_ != nullptr && place_ == Place::entering && last_tick_at_ != 0) begin_to_play(now);
}

void Bot::begin_to_play(core::Nanoseconds now) {
  place_ = Place::playing;
  ever_joined_ = true;
  by_choice_ = false;
  ++setup_.tally.now.counts[Count::joins];
  setup_.tally.now.joins_us.add(in_us(last_tick_at_ - entered_at_));
  ask(BotMoment::plays, now);
}

// The connection is lost. The client reconnects by itself unless it is over.
void Bot::lost(core::Nanoseconds now) {
  losses_ = client_->losses();
  count();
  const bool played = place_ == Place::playing;
  const bool over = client_->over();
  if (!by_choice_ && (played || over)) note_loss(played ? setup_.tally.disconnects : setup_.tally.refusals);
  if (played && !by_choice_) entered_at_ = now;
  place_ = Place::entering;
  last_tick_at_ = 0;
  next_decision_ = never;
  if (!over) return;
  failed_ = !by_choice_;
  go_out(now);
}

void Bot::note_loss(ReasonCounts& kind) {
  const transport::Reason& reason = client_->last_loss();
  kind.add(to_string(reason));
  if (setup_.tally.first_loss.empty()) setup_.tally.first_loss = to_string(reason) + std::string(advice(reason.code));
}

void Bot::go_out(core::Nanoseconds now) {
  client_.reset();
  place_ = Place::out;
  wants_in_ = false;
  ask(BotMoment::out, now);
}

void Bot::leave(core::Nanoseconds now) {
  if (client_ == nullptr) return;
  count();
  client_->close();
  go_out(now);
}

void Bot::ask(BotMoment moment, core::Nanoseconds now) {
  const BotDecision decision = self_.behaviour->decide({moment, place_ == Place::playing}, random_);
  next_decision_ = now + decision.next_in;
  act(decision, now);
}

void Bot::act(const BotDecision& decision, core::Nanoseconds now) {
  Counts& counts = setup_.tally.now.counts;
  switch (decision.act) {
    case BotAct::nothing: return;
    case BotAct::join: wants_in_ = true; return;
    case BotAct::command: return give_command(decision.command);
    case BotAct::send_number: return give_command(numbers_.next_command());
    case BotAct::leave:
      ++counts[Count::leaves];
      leave(now);
      return;
    case BotAct::vanish:
      ++counts[Count::leaves];
      count();
      go_out(now);
      return;
    case BotAct::lose_path:
      ++counts[Count::leaves];
      by_choice_ = true;
      entered_at_ = now;
      client_->drop_pipe();
      return;
  }
}

void Bot::give_command(core::ByteView command) {
  ++setup_.tally.now.counts[Count::commands];
  client_->set_command(command);
}

void Bot::note_repeated_numbers() {
  for (const ReceivedEvent& event : connection()->events())
    if (numbers_.is_repeated(event.bytes)) ++setup_.tally.now.counts[Count::commands_twice];
}

void Bot::note_ticks(core::Nanoseconds now) {
  const std::uint64_t ticks = connection()->stats().ticks;
  if (ticks == ticks_) return;
  ticks_ = ticks;
  if (last_tick_at_ != 0) setup_.tally.now.intervals_us.add(in_us(now - last_tick_at_));
  last_tick_at_ = now;
}

void Bot::count() {
  if (client_ == nullptr) return;
  const ConnectionStats& stats = connection()->stats();
  const transport::SessionStats& session = connection()->session().stats();
  const bool is_new = stats.rejoins != counted_.connection.rejoins || session.datagrams_sent < counted_.session_out;
  if (is_new) counted_.losses_out = counted_.session_out = 0;
  // A datagram that was given up may be acknowledged later. The session then subtracts it, but this count keeps it.
  const Counted present{client_->counters(), stats, std::max(session.datagrams_lost, counted_.losses_out),
                        session.datagrams_sent};
  Counts& counts = setup_.tally.now.counts;
  counts[Count::bytes_in] += present.pipes.bytes_received - counted_.pipes.bytes_received;
  counts[Count::bytes_out] += present.pipes.bytes_sent - counted_.pipes.bytes_sent;
  counts[Count::datagrams_in] += present.pipes.datagrams_received - counted_.pipes.datagrams_received;
  counts[Count::datagrams_out] += present.pipes.datagrams_sent - counted_.pipes.datagrams_sent;
  counts[Count::session_datagrams_out] += present.session_out - counted_.session_out;
  counts[Count::losses_in] += stats.lost_deltas - counted_.connection.lost_deltas;
  counts[Count::losses_out] += present.losses_out - counted_.losses_out;
  counts[Count::deltas] += stats.deltas - counted_.connection.deltas;
  counts[Count::verified_ticks] += stats.verified_ticks - counted_.connection.verified_ticks;
  counts[Count::mismatches] += stats.mismatched_ticks - counted_.connection.mismatched_ticks;
  counts[Count::corrections] += stats.corrections - counted_.connection.corrections;
  counts[Count::events] += stats.events - counted_.connection.events;
  counts[Count::rejoins] += stats.resumed - counted_.connection.resumed;
  counted_ = present;
  count_prediction();
  if (playing() && session.rtt > 0) setup_.tally.now.rtts_us.add(in_us(session.rtt));
}

// Called after each update, which makes one correction at most.
void Bot::note_correction() {
  if (client_->prediction() == nullptr) return;
  const PredictionStats& stats = client_->prediction()->stats();
  if (std::exchange(counted_prediction_.corrections, stats.corrections) == stats.corrections) return;
  const double metres = std::min(stats.last_correction, correction_max_metres);
  setup_.tally.now.corrections_um.add(static_cast<std::uint64_t>(metres * um_per_metre + 0.5));
}

void Bot::count_prediction() {
  if (client_->prediction() == nullptr) return;
  const PredictionStats& stats = client_->prediction()->stats();
  const PredictionStats before = std::exchange(counted_prediction_.stats, stats);
  Counts& counts = setup_.tally.now.counts;
  counts[Count::predicted_ticks] += stats.ticks - before.ticks;
  counts[Count::replayed_ticks] += stats.ticks_replayed - before.ticks_replayed;
  counts[Count::rollbacks] += stats.rollbacks - before.rollbacks;
  counts[Count::late_mispredictions] += stats.late_mispredictions - before.late_mispredictions;
  counts[Count::remote_mispredictions] += stats.remote_mispredictions - before.remote_mispredictions;
  counts[Count::level_mispredictions] += stats.level_mispredictions - before.level_mispredictions;
  counts[Count::prediction_stalls] += stats.stalls - before.stalls;
  if (!client_->prediction()->started()) return;
  const double seconds = stats.input_delay / connection()->ticks_per_second();
  setup_.tally.now.input_delays_us.add(in_us(static_cast<core::Nanoseconds>(seconds * core::second)));
}

core::Nanoseconds Bot::note_silence(core::Nanoseconds now) {
  const core::Nanoseconds silence = playing() ? now - last_tick_at_ : 0;
  if (silence < silence_max) return 0;
  setup_.tally.now.intervals_us.add(in_us(silence));
  return silence;
}

}  // namespace mobula::client
