#include <algorithm>
#include <array>
#include <cmath>
#include <mobula/client/connection/connection.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/core/text.hpp>
#include <mobula/wire/player_name.hpp>

namespace mobula::client {
namespace {

// The server's rate limit is 16. A program that updates with each frame of a fast screen must stay below it.
constexpr core::Nanoseconds inputs_per_tick_max = 4;
static_assert(inputs_per_tick_max * wire::ack_history <= Mirror::acknowledged_kept);
static_assert(player_name_bytes_max == wire::player_name_bytes_max);
constexpr double ticks_max = 0xffffffffu;  // bounds what a server can make of the clock

transport::Pipe pipe_of(const transport::ClientEndpointConfig& config) {
  const std::vector<transport::Address>& servers = config.servers.empty() ? config.token.servers : config.servers;
  return servers.empty() ? transport::Pipe::udp : servers.front().pipe;
}

}  // namespace

Connection::Connection(const ConnectionConfig& config, core::Nanoseconds now)
    : config_(config),
      endpoint_(std::make_unique<transport::ClientEndpoint>(config.transport, now)),
      pipe_(pipe_of(config.transport)),
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
  if (first_ == nullptr)
    hand_out();
  else if (!player_entity_)
    events_ = {};  // they are for those in the other zone
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

void Connection::hand_out() {
  due_events_ = events_.take_due(progress_.tick(), [this](const ReceivedEvent& event) { return presence_of(event); });
  stats_.events += due_events_.size();
  if (mirror_ != nullptr) mirror_->hand_out_changes();
}

void Connection::set_command(core::ByteView command) { command_.assign(command.begin(), command.end()); }

void Connection::pipe_closed(std::string_view why, core::Nanoseconds now) { endpoint_->pipe_closed(why, now); }

void Connection::close(transport::Output& output) { end({transport::ReasonCode::left, ""}, output); }

void Connection::drop(transport::Output& output) { end({transport::ReasonCode::pipe_lost, ""}, output); }

void Connection::end(const transport::Reason& reason, transport::Output& output) {
  if (state_ == State::closed) return;
  endpoint_->close(reason, output);
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
  using transport::ReasonCode;
  MOBULA_CHECK(state_ == State::closed, "only a closed connection can reconnect");
  if (has_servers_of_token_ || sent_after_player_ || !moved_to().empty()) config_.transport.servers.clear();
  has_servers_of_token_ = sent_after_player_ = false;
  // Else it would play as a new player until its own arrives. The server waits for some seconds, then the session times
  // out.
  config_.awaits_player = !moved_to().empty() || (config_.awaits_player && reason_.code != ReasonCode::timed_out);
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

void Connection::follow(Connection&& second) {
  MOBULA_CHECK(second.first_ == this, "it is the second connection of this one");
  const bool continues = second.mirror_ != nullptr && mirror_ != nullptr && second.mirror_->continue_from(*mirror_);
  second.mirror_number_ = continues ? mirror_number_ : mirror_number_ + 1;
  second.stats_ += stats_;
  second.command_ = std::move(command_);
  const bool times_known = clock_->known() && second.clock_->known();
  const double present = times_known ? std::clamp(second.clock_->target_tick(now_), 0.0, ticks_max) : 0;
  const double ahead = times_known ? present - clock_->target_tick(now_) : 0;
  commands_.move_to(std::lround(ahead), static_cast<ecs::Tick>(present), second.progress_.arrivals().count());
  second.commands_ = std::move(commands_);
  second.first_ = nullptr;
  *this = std::move(second);
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
                    .refusals = true,
                    .follows = config_.follows,
                    .awaits_player = config_.awaits_player,
                    .commands_continue = first_ != nullptr};
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

bool Connection::send_to_zone(const wire::Message& message) {
  return state_ == State::playing && endpoint_->session().send_reliable(wire::encode(message)).ok();
}

void Connection::request_next_resource() {
  if (const std::optional<wire::ResourceRequest> request = resources_.next_request(now_)) send(*request);
}

}  // namespace mobula::client
