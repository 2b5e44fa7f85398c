#include <algorithm>
#include <array>
#include <mobula/client/connection/connection.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/core/overloaded.hpp>
#include <mobula/core/text.hpp>
#include <mobula/wire/player_name.hpp>

namespace mobula::client {
namespace {

// The server's rate limit is 16. A program that updates with each frame of a fast screen must stay below it.
constexpr core::Nanoseconds inputs_per_tick_max = 4;
static_assert(inputs_per_tick_max * wire::ack_history <= Mirror::acknowledged_kept);
static_assert(player_name_bytes_max == wire::player_name_bytes_max);
constexpr double ticks_max = 0xffffffffu;  // bounds what a server can make of the clock

constexpr core::Nanoseconds rejoin_tokens_kept_max = 24 * 3600 * core::second;

// By this client's clock, as it may differ from the server's.
core::Nanoseconds lifetime(const transport::ConnectToken& token) {
  constexpr std::uint64_t seconds_max = rejoin_tokens_kept_max / core::second;
  return static_cast<core::Nanoseconds>(std::min(token.expire_time - token.create_time, seconds_max)) * core::second;
}

core::Error only_from_clients(const char* message) {
  return {"out of turn", core::format("the server sent {}, which only clients send", message)};
}

bool is_too_late(const core::Error& error) { return error.reason == std::string_view("too late"); }

core::Error before_welcome(const char* message) {
  return {"out of turn", core::format("the server sent {} before Welcome", message)};
}

}  // namespace

Connection::Connection(const ConnectionConfig& config, core::Nanoseconds now)
    : config_(config),
      endpoint_(std::make_unique<transport::ClientEndpoint>(config.transport, now)),
      pipe_(config.transport.servers.empty() ? transport::Pipe::udp : config.transport.servers.front().pipe),
      resources_(config.resources) {
  const std::string seen = wire::player_name(config.name);
  if (seen == config.name) return;
  constexpr std::size_t shown_bytes = 60;
  core::log_warn("client", "others see the name \"{}\" as \"{}\"; expected printable UTF-8 of at most {} bytes",
                 core::shown(config.name, shown_bytes), seen, player_name_bytes_max);
  if (config.name.size() > wire::max_text_bytes) config_.name = seen;  // a server refuses such a Hello
}

// --- Inputs --------------------------------------------------------------------------------------------------------

void Connection::receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now) {
  now_ = now;
  stats_.bytes_received += datagram.size();
  endpoint_->receive(from, datagram, now);
  read_inbox(now);
}

void Connection::update(core::Nanoseconds now, transport::Output& output) {
  now_ = now;
  due_events_ = events_.take_due(progress_.tick(), [this](const ReceivedEvent& event) { return presence_of(event); });
  stats_.events += due_events_.size();
  if (mirror_ != nullptr) mirror_->hand_out_changes();
  if (state_ == State::closed) return;
  if (state_ == State::connecting && endpoint_->connected()) send_hello();
  if (failure_) endpoint_->close({transport::ReasonCode::protocol_error, failure_->message}, output);
  if (state_ == State::playing && endpoint_->connected()) {
    clock_->on_link(endpoint_->session().stats(), now);
    send_command(now);
    if (wants_input(now)) send_input(now);
    request_next_resource();
    if (mirror_ != nullptr) send_hashes(now);
    if (report_ && endpoint_->session().send_reliable(wire::encode(*report_)).ok()) report_.reset();
  }
  if (const char* over = state_ == State::joining ? welcome_wait_.check(endpoint_->session(), now) : nullptr)
    endpoint_->close({transport::ReasonCode::handshake_timed_out, over}, output);
  has_sent_ = has_sent_ || output.ready(server());
  endpoint_->update(now, output);
  if (!endpoint_->closed()) return;
  state_ = State::closed;
  reason_ = endpoint_->reason();
  if (rejoining_ && !has_sent_) rejoin_tokens_.push_back(config_.transport.token);  // the server knows it still
}

void Connection::set_command(core::ByteView command) { command_.assign(command.begin(), command.end()); }

void Connection::pipe_closed(std::string_view why, core::Nanoseconds now) { endpoint_->pipe_closed(why, now); }

void Connection::close(transport::Output& output) {
  if (state_ == State::closed) return;
  endpoint_->close({transport::ReasonCode::left, ""}, output);
  rejoining_ = false;
  state_ = State::closed;
  reason_ = endpoint_->reason();
}

bool Connection::can_rejoin() const { return lost() && rejoin_tokens() > 0; }

bool Connection::lost() const {
  using transport::ReasonCode;
  constexpr std::array mendable{ReasonCode::timed_out, ReasonCode::pipe_lost, ReasonCode::no_answer,
                                ReasonCode::handshake_timed_out};
  const bool mendable_end = std::find(mendable.begin(), mendable.end(), reason_.code) != mendable.end();
  return state_ == State::closed && mendable_end && welcomed();
}

// A server that ends an attempt to rejoin refuses it, also if the datagrams with its reason are lost.
bool Connection::can_reconnect() const {
  using transport::ReasonCode;
  const bool ended = reason_.code == ReasonCode::refused || reason_.code == ReasonCode::left;
  return lost() || (state_ == State::closed && rejoining_ && ended);
}

std::string_view Connection::moved_to() const {
  const bool moved = state_ == State::closed && reason_.code == transport::ReasonCode::moved;
  return moved ? std::string_view(reason_.text) : std::string_view();
}

void Connection::rejoin(core::Nanoseconds now) {
  MOBULA_CHECK(can_rejoin(), "only a lost connection with a rejoin token can rejoin");
  // The first token's addresses: the server may know itself by others that this client cannot reach.
  if (config_.transport.servers.empty()) {
    config_.transport.servers = config_.transport.token.servers;
    has_servers_of_token_ = true;
  }
  config_.transport.token = std::move(rejoin_tokens_.back());
  rejoin_tokens_.pop_back();
  rejoining_ = true;
  begin_session(now);
}

void Connection::reconnect(const transport::ConnectToken& token, core::Nanoseconds now) {
  MOBULA_CHECK(state_ == State::closed, "only a closed connection can reconnect");
  if (std::exchange(has_servers_of_token_, false) || !moved_to().empty()) config_.transport.servers.clear();
  config_.transport.token = token;
  for (transport::Address& server : config_.transport.token.servers) server.pipe = pipe_;
  rejoin_tokens_.clear();
  rejoining_ = false;
  command_.clear();  // it was meant for the former session
  begin_session(now);
}

void Connection::begin_session(core::Nanoseconds now) {
  endpoint_ = std::make_unique<transport::ClientEndpoint>(config_.transport, now);
  state_ = State::connecting;
  reason_ = {};
  failure_.reset();
  closing_.reset();
  progress_.interrupt();
  resources_.end_session();
  last_input_ = 0;
  has_sent_ = false;
  ++stats_.rejoins;
}

// --- Sending -------------------------------------------------------------------------------------------------------

void Connection::fail(const core::Error& error) {
  core::log_error("client", "the server broke the protocol, disconnecting: {}: {}", error.reason, error.message);
  failure_ = error;
}

void Connection::send(const wire::Message& message) {
  if (const auto sent = endpoint_->session().send_reliable(wire::encode(message)); !sent) fail(sent.error());
}

void Connection::send_hello() {
  wire::Hello hello{.version = wire::protocol_version,
                    .schema_fingerprint = {},
                    .name = config_.name,
                    .verify = config_.verify && config_.decode,
                    .spectate = config_.spectate,
                    .refusals = true};
  if (config_.schema != nullptr) hello.schema_fingerprint = config_.schema->fingerprint();
  hello.resume = welcomed();
  resources_.announce(hello);
  send(hello);
  if (failure_) return;
  state_ = State::joining;
  welcome_wait_ = WelcomeWait(now_);
}

void Connection::send_command(core::Nanoseconds now) {
  if (command_.empty() || !clock_->known()) return;
  const auto tick = static_cast<ecs::Tick>(std::clamp(clock_->target_tick(now), 0.0, ticks_max));
  const std::uint32_t arrivals = progress_.arrivals().count();
  if (const auto added = commands_.add(command_, tick, clock_->view_tick(now), arrivals); !added)
    core::log_warn("client", "a command is not sent: {}", added.error().message);
  command_.clear();
}

// An input that acknowledges nothing new and repeats no command is sent once per tick.
bool Connection::wants_input(core::Nanoseconds now) const {
  if (last_input_ == 0) return true;
  const bool has_news = progress_.has_news() || commands_.has_unacknowledged();
  const core::Nanoseconds tick = core::second / ticks_per_second_;
  return now - last_input_ >= (has_news ? tick / inputs_per_tick_max : tick);
}

void Connection::send_input(core::Nanoseconds now) {
  last_input_ = now;
  wire::InputDatagram& input = progress_.acknowledge();
  commands_.fill(input, progress_.arrivals());
  if (mirror_ != nullptr) mirror_->acknowledged(input.ack);
  buffer_.resize(std::min(wire::input_bytes_max, endpoint_->session().unreliable_bytes_max()));
  buffer_.resize(wire::encode_input(input, buffer_).bytes);
  // A full queue is like a lost datagram: the next acknowledgement covers the same and more.
  static_cast<void>(endpoint_->session().send_unreliable(buffer_));
}

void Connection::send_hashes(core::Nanoseconds now) {
  const std::optional<wire::MirrorHashes> part = verification_.next_hashes(*mirror_, now);
  // Dropped if the lane is full: a later list covers the same entities.
  if (part) static_cast<void>(endpoint_->session().send_reliable(wire::encode(*part)));
}

bool Connection::send_report(const wire::PredictionReport& report) {
  if (state_ != State::playing || report_) return false;
  report_ = report;
  return true;
}

void Connection::request_next_resource() {
  if (const std::optional<wire::ResourceRequest> request = resources_.next_request(now_)) send(*request);
}

// --- Reliable messages ---------------------------------------------------------------------------------------------

void Connection::read_inbox(core::Nanoseconds now) {
  // Reliable messages first: deltas refer to what they announced.
  for (const transport::Lane lane : {transport::Lane::control, transport::Lane::bulk})
    while (!failure_ && endpoint_->session().next_reliable(buffer_, lane)) on_message(buffer_);
  while (!failure_ && endpoint_->session().next_unreliable(buffer_)) on_unreliable(buffer_, now);
}

void Connection::on_message(core::ByteView bytes) {
  core::Result<wire::Message> decoded = wire::decode_message(bytes);
  if (!decoded) return fail(decoded.error());
  const core::Overloaded handlers{
      [this](wire::Welcome& message) { return on_welcome(message); },
      [this](wire::Level& message) { return on_level(message); },
      [this](wire::Names& message) { return on_names(message); },
      [this](wire::Prototypes& message) { return on_prototypes(message); },
      [this](wire::PlayerEntity& message) { return on_player_entity(message); },
      [this](wire::RejoinTokens& message) { return on_rejoin_tokens(message); },
      [this](wire::ResourceOffer& message) { return on_resource_offer(message); },
      [this](wire::ResourcePart& message) { return on_resource_part(message); },
      [this](wire::Events& message) { return on_events(message); },
      [this](wire::MirrorCorrection& message) { return on_correction(message); },
      [this](wire::Closing& message) { return on_closing(message); },
      [this](wire::CommandRefused& message) { return on_command_refused(message); },
      [this](wire::DeltaBody& message) { return on_delta_body(message); },
      [](wire::Hello&) { return core::Status(only_from_clients("Hello")); },
      [](wire::ResourceRequest&) { return core::Status(only_from_clients("ResourceRequest")); },
      [](wire::MirrorHashes&) { return core::Status(only_from_clients("MirrorHashes")); },
      [](wire::MirrorDifference&) { return core::Status(only_from_clients("MirrorDifference")); },
      [](wire::PredictionReport&) { return core::Status(only_from_clients("PredictionReport")); },
  };
  if (const core::Status handled = std::visit(handlers, *decoded); !handled) fail(handled.error());
}

core::Status Connection::on_welcome(const wire::Welcome& message) {
  if (state_ != State::joining) return core::Error{"out of turn", "the server sent a second Welcome"};
  if (message.resumed && !welcomed())
    return core::Error{"out of turn", "the server resumed a session that this client never had"};
  if (!message.resumed) {
    if (const core::Status begun = begin_player(message); !begun) return begun;
  }
  prediction_seed_ = message.prediction_seed;
  player_ = message.session;
  resources_.on_offered(message.resources);
  rejoining_ = false;
  state_ = State::playing;
  request_next_resource();
  return core::Done{};
}

core::Status Connection::begin_player(const wire::Welcome& message) {
  if (config_.decode)
    if (const core::Status made = make_mirror(message); !made) return made;
  verification_ = {};
  progress_ = {};
  commands_ = {};
  report_.reset();
  events_ = {};
  due_events_ = {};
  resources_.begin_player();
  player_entity_ = {};  // a former player's, until the message with the new one arrives
  ticks_per_second_ = message.ticks_per_second;
  clock_ = std::make_unique<ServerClock>(ticks_per_second_);
  return core::Done{};
}

core::Status Connection::make_mirror(const wire::Welcome& message) {
  if (config_.schema != nullptr && config_.schema->fingerprint() != message.schema_fingerprint)
    return core::Error{"other schema",
                       "the server has another schema than this client; compile both from the same schema"};
  std::shared_ptr<const reflect::Schema> schema = find_schema(message.schema_fingerprint);
  if (!message.schema.empty()) {
    core::Result<std::shared_ptr<const reflect::Schema>> loaded = reflect::Schema::load(message.schema);
    if (!loaded) return loaded.error();
    schema = *loaded;
  }
  if (schema == nullptr || schema->fingerprint() != message.schema_fingerprint)
    return core::Error{"other schema", "the schema that the server sent has another fingerprint than announced"};
  core::Result<std::unique_ptr<Mirror>> mirror = Mirror::make(std::move(schema), message.entities_max);
  if (!mirror) return mirror.error();
  mirror_ = std::move(*mirror);
  ++mirror_number_;
  return core::Done{};
}

// Returns the schema that the program was compiled with, or that of a level on disk.
std::shared_ptr<const reflect::Schema> Connection::find_schema(const core::ContentHash& fingerprint) const {
  return config_.schema != nullptr ? config_.schema : resources_.schema(fingerprint);
}

core::Status Connection::on_level(const wire::Level& message) {
  if (!welcomed()) return before_welcome("a level");
  const std::shared_ptr<const resource::Resource> level = resources_.announced(message.identity);
  if (level == nullptr) return core::Error{"other level", "the server chose a level that this client did not announce"};
  return mirror_ != nullptr ? mirror_->load_level(message, level) : core::Status(core::Done{});
}

core::Status Connection::on_names(const wire::Names& message) {
  if (!welcomed()) return before_welcome("names");
  return mirror_ != nullptr ? mirror_->add_names(message) : core::Status(core::Done{});
}

core::Status Connection::on_prototypes(const wire::Prototypes& message) {
  if (!welcomed()) return before_welcome("prototypes");
  return mirror_ != nullptr ? mirror_->add_prototypes(message) : core::Status(core::Done{});
}

core::Status Connection::on_player_entity(const wire::PlayerEntity& message) {
  player_entity_ = message.entity;
  return core::Done{};
}

core::Status Connection::on_rejoin_tokens(const wire::RejoinTokens& message) {
  std::vector<transport::ConnectToken> tokens;
  core::Nanoseconds end = now_ + rejoin_tokens_kept_max;
  for (core::ByteView rest = message.tokens; !rest.empty(); rest = rest.subspan(wire::rejoin_token_bytes)) {
    core::Result<transport::ConnectToken> token = transport::read_token(rest.first(wire::rejoin_token_bytes));
    if (!token) return token.error();
    end = std::min(end, now_ + lifetime(*token));
    tokens.push_back(std::move(*token));
  }
  rejoin_tokens_ = std::move(tokens);
  rejoin_tokens_end_ = end;
  rejoin_grace_ = message.grace_seconds * core::second;
  return core::Done{};
}

core::Status Connection::on_resource_offer(wire::ResourceOffer& message) {
  if (!welcomed()) return before_welcome("resources");
  resources_.on_offered(std::move(message.resources));
  request_next_resource();
  return core::Done{};
}

core::Status Connection::on_resource_part(const wire::ResourcePart& message) {
  if (const core::Status stored = resources_.on_part(message); !stored) return stored;
  request_next_resource();
  return core::Done{};
}

core::Status Connection::on_events(wire::Events& message) {
  if (!welcomed()) return before_welcome("events");
  return events_.add(std::move(message));
}

// Nothing if the entity may still come. The server sent the event because it was in view.
std::optional<Presence> Connection::presence_of(const ReceivedEvent& event) const {
  if (mirror_ == nullptr) return Presence::unknown;
  const Presence presence = mirror_->presence(event.about, event.tick);
  if (presence != Presence::unknown) return presence;
  // A complete mirror lacks nothing that is in view, so the entity is no longer.
  return complete() ? std::optional(Presence::removed) : std::nullopt;
}

core::Status Connection::on_correction(const wire::MirrorCorrection& message) {
  if (mirror_ == nullptr) return core::Error{"out of turn", "the server corrected a client that has no mirror"};
  const core::Result<std::vector<wire::MirrorDifference>> differences =
      verification_.on_correction(*mirror_, message, stats_);
  if (!differences) return differences.error();
  // A report that does not fit the lane is dropped: it only informs the server's log.
  for (const wire::MirrorDifference& difference : *differences)
    static_cast<void>(endpoint_->session().send_reliable(wire::encode(difference)));
  return core::Done{};
}

core::Status Connection::on_closing(const wire::Closing& message) {
  core::log_info("client", "the server closes in {} s: {}", message.seconds, message.reason);
  closing_ = message;
  return core::Done{};
}

core::Status Connection::on_command_refused(const wire::CommandRefused& message) {
  ++stats_.refused_commands;
  core::log_warn("client", "the server refused command {}: {}", message.number, message.reason);
  return core::Done{};
}

core::Status Connection::on_delta_body(wire::DeltaBody& message) {
  if (!welcomed()) return before_welcome("a delta's body");
  return mirror_ != nullptr ? mirror_->add_body(std::move(message)) : core::Status(core::Done{});
}

// --- Unreliable messages -------------------------------------------------------------------------------------------

void Connection::on_unreliable(core::ByteView bytes, core::Nanoseconds now) {
  if (bytes.empty() || bytes[0] != std::byte{wire::event_batch_kind}) return on_delta(bytes, now);
  if (const core::Status decoded = wire::decode_event_batch(bytes, batch_); !decoded) return fail(decoded.error());
  events_.add(batch_);
}

void Connection::on_delta(core::ByteView bytes, core::Nanoseconds now) {
  if (!welcomed()) return fail(before_welcome("a delta"));
  const core::Result<wire::DeltaHeader> header = wire::read_delta_header(bytes, progress_.known());
  if (!header) return is_too_late(header.error()) ? void(++stats_.late_deltas) : fail(header.error());
  clock_->on_delta(header->tick, now);
  clock_->on_feedback(header->commands, now);
  commands_.on_feedback(header->commands);
  progress_.on_acknowledged(header->ack);
  const bool late = progress_.is_late(header->sequence);
  if (late) ++stats_.late_deltas;
  if (!progress_.is_new(header->sequence)) return;
  if (mirror_ != nullptr && !apply(*header, bytes, now)) return;
  if (!late) verification_.on_decoded();
  if (header->tick > progress_.tick()) ++stats_.ticks;
  ++stats_.deltas;
  stats_.lost_deltas += progress_.on_received(*header);
  if (mirror_ != nullptr) verification_.on_delta(*mirror_, *header, now, stats_);
}

// Returns false for a delta that is treated as lost: it is never acknowledged.
bool Connection::apply(const wire::DeltaHeader& header, core::ByteView delta, core::Nanoseconds now) {
  const core::Status applied = mirror_->apply(header, delta);
  if (applied) return true;
  if (!is_too_late(applied.error()) && !verification_.skip_unreadable(header, now, stats_)) fail(applied.error());
  return false;
}

}  // namespace mobula::client
