#include <algorithm>
#include <mobula/client/connection.hpp>
#include <mobula/core/log.hpp>

namespace mobula::client {

Connection::Connection(const ConnectionConfig& config, core::Nanoseconds now)
    : config_(config), endpoint_(std::make_unique<transport::ClientEndpoint>(config.transport, now)) {}

void Connection::receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now) {
  stats_.bytes_received += datagram.size();
  endpoint_->receive(from, datagram, now);
  take_inbox();
}

void Connection::take_inbox() {
  // Reliable messages first: deltas refer to what they announced.
  for (const transport::Lane lane : {transport::Lane::control, transport::Lane::bulk})
    while (!failure_ && endpoint_->session().next_reliable(buffer_, lane)) take_message(buffer_);
  while (!failure_ && endpoint_->session().next_unreliable(buffer_)) take_delta(buffer_);
}

void Connection::update(core::Nanoseconds now, transport::Output& output) {
  if (state_ == State::closed) return;
  if (state_ == State::connecting && endpoint_->connected()) say_hello();
  if (failure_) endpoint_->close({transport::ReasonCode::protocol_error, failure_->message}, output);
  if (state_ == State::playing && endpoint_->connected()) send_input();
  endpoint_->update(now, output);
  if (endpoint_->closed()) {
    state_ = State::closed;
    reason_ = endpoint_->reason();
  }
}

void Connection::close(transport::Output& output) {
  if (state_ == State::closed) return;
  endpoint_->close({transport::ReasonCode::left, ""}, output);
  state_ = State::closed;
  reason_ = endpoint_->reason();
}

bool Connection::can_rejoin() const {
  using transport::ReasonCode;
  constexpr std::array mendable{ReasonCode::timed_out, ReasonCode::pipe_lost, ReasonCode::no_answer,
                                ReasonCode::handshake_timed_out};
  const bool lost = std::find(mendable.begin(), mendable.end(), reason_.code) != mendable.end();
  return state_ == State::closed && lost && !rejoin_tokens_.empty();
}

void Connection::rejoin(core::Nanoseconds now) {
  MOBULA_ASSERT(can_rejoin(), "there is nothing to come back to");
  // Where the first one led: the server may have other addresses for itself.
  if (config_.transport.servers.empty()) config_.transport.servers = config_.transport.token.servers;
  config_.transport.token = std::move(rejoin_tokens_.back());
  rejoin_tokens_.pop_back();
  endpoint_ = std::make_unique<transport::ClientEndpoint>(config_.transport, now);
  state_ = State::connecting;
  reason_ = {};
  mirror_.reset();
  progress_ = {};
  reception_ = {};
  ++stats_.rejoins;
}

void Connection::fail(const core::Error& error) {
  core::log_error("client", "the server's bytes make no sense: {}: {}", error.reason, error.message);
  failure_ = error;
}

void Connection::say_hello() {
  wire::Hello hello{.version = wire::protocol_version, .schema_fingerprint = {}, .name = config_.name};
  if (config_.schema != nullptr) hello.schema_fingerprint = config_.schema->fingerprint();
  if (const auto sent = endpoint_->session().send_reliable(wire::encode(hello)); !sent) return fail(sent.error());
  state_ = State::joining;
}

void Connection::take_message(core::ByteView bytes) {
  core::Result<wire::Message> message = wire::decode_message(bytes);
  if (!message) return fail(message.error());
  const core::Status taken = std::visit([&](const auto& body) { return take(body); }, *message);
  if (!taken) fail(taken.error());
}

core::Status Connection::take(const wire::Hello& /*message*/) {
  return core::Error{"out of turn", "a server does not say Hello"};
}

core::Status Connection::take(const wire::Welcome& message) {
  if (state_ != State::joining || mirror_ != nullptr) return core::Error{"out of turn", "one Welcome is enough"};
  std::shared_ptr<const reflect::Schema> schema = config_.schema;
  if (!message.schema.empty()) {
    core::Result<std::shared_ptr<const reflect::Schema>> loaded = reflect::Schema::load(message.schema);
    if (!loaded) return loaded.error();
    schema = *loaded;
  }
  if (schema == nullptr || schema->fingerprint() != message.schema_fingerprint)
    return core::Error{"other schema", "the server's schema is not the one it names"};
  core::Result<std::unique_ptr<Mirror>> mirror = Mirror::make(std::move(schema), message.index_limit);
  if (!mirror) return mirror.error();
  mirror_ = std::move(*mirror);
  ticks_per_second_ = message.ticks_per_second;
  resources_ = message.resources;
  state_ = State::playing;
  ask_for_next_resource();
  return core::Done{};
}

// One after the other. What cannot be kept is done without.
void Connection::ask_for_next_resource() {
  while (config_.resources != nullptr && !resources_.empty() && !reception_.under_way()) {
    const wire::Resource wanted = resources_.back();
    resources_.pop_back();
    if (config_.resources->find(wanted.identity) != nullptr) continue;
    core::Result<ResourceStore::Reception> reception = config_.resources->receive(wanted.identity, wanted.size);
    if (!reception) {
      if (config_.resources->find(wanted.identity) != nullptr) continue;  // another process was faster
      core::log_warn("client", "resource {:.16} is not kept: {}", to_string(wanted.identity),
                     reception.error().message);
      continue;
    }
    reception_ = std::move(*reception);
    const wire::ResourceRequest request{wanted.identity, reception_.received()};
    if (const auto sent = endpoint_->session().send_reliable(wire::encode(request)); !sent) fail(sent.error());
  }
}

core::Status Connection::take(const wire::ResourceRequest& /*message*/) {
  return core::Error{"out of turn", "a server does not ask for resources"};
}

core::Status Connection::take(const wire::ResourcePart& message) {
  if (!(message.identity == reception_.identity()))
    return core::Error{"out of turn", "a part of a resource that was not asked for"};
  if (!reception_.under_way()) return core::Done{};  // given up; what was on its way still comes
  const core::Result<bool> whole = reception_.append(message.offset, message.bytes);
  if (!whole && reception_.under_way()) return whole.error();
  if (whole && !*whole) return core::Done{};
  if (!whole)
    core::log_warn("client", "resource {:.16} is not kept: {}", to_string(message.identity), whole.error().message);
  if (whole) core::log_info("client", "resource {:.16} is there", to_string(message.identity));
  ask_for_next_resource();
  return core::Done{};
}

core::Status Connection::take(const wire::RejoinTokens& message) {
  std::vector<transport::ConnectToken> tokens;
  for (core::ByteView rest = message.tokens; !rest.empty(); rest = rest.subspan(wire::rejoin_token_bytes)) {
    core::Result<transport::ConnectToken> token = transport::read_token(rest.first(wire::rejoin_token_bytes));
    if (!token) return token.error();
    tokens.push_back(std::move(*token));
  }
  rejoin_tokens_ = std::move(tokens);
  return core::Done{};
}

core::Status Connection::take(const wire::Names& message) {
  if (mirror_ == nullptr) return core::Error{"out of turn", "names before Welcome"};
  return mirror_->add_names(message);
}

core::Status Connection::take(const wire::Prototypes& message) {
  if (mirror_ == nullptr) return core::Error{"out of turn", "prototypes before Welcome"};
  return mirror_->add_prototypes(message);
}

core::Status Connection::take(const wire::PlayerEntity& message) {
  player_entity_ = message.entity;
  return core::Done{};
}

void Connection::take_delta(core::ByteView bytes) {
  if (mirror_ == nullptr) return fail({"out of turn", "a delta before Welcome"});
  const core::Result<wire::DeltaHeader> header = wire::read_delta_header(bytes);
  if (!header) return fail(header.error());
  if (header->sequence <= progress_.acks.newest) {
    ++stats_.late_deltas;
    return;
  }
  if (core::Status applied = mirror_->apply(bytes); !applied) return fail(applied.error());
  if (header->tick != progress_.last_tick) ++stats_.ticks;
  progress_.last_tick = header->tick;
  ++stats_.deltas;
  note_received(header->sequence);
  progress_.complete = header->complete && none_missing();
  verify(*header);
}

void Connection::note_received(std::uint32_t sequence) {
  const std::uint32_t steps = sequence - progress_.acks.newest;
  std::array<std::uint64_t, wire::ack_history / 64> shifted{};
  for (std::uint32_t age = 0; age + steps < wire::ack_history && steps < wire::ack_history; ++age)
    if (progress_.acks.has(age)) shifted[(age + steps) / 64] |= 1ull << (age + steps) % 64;
  shifted[0] |= 1;
  progress_.acks.received = shifted;
  progress_.acks.newest = sequence;
}

bool Connection::none_missing() const {
  for (std::uint32_t age = 0; age < std::min(settled_deltas, progress_.acks.newest); ++age)
    if (!progress_.acks.has(age)) return false;
  return true;
}

void Connection::verify(const wire::DeltaHeader& header) {
  const Sum& sum = progress_.sums[header.verified_ack % sums_kept];
  if (header.verified_ack <= progress_.last_verified || sum.ack != header.verified_ack) return;
  progress_.last_verified = header.verified_ack;
  if (sum.hash == header.verified_hash) {
    ++stats_.verified_ticks;
    return;
  }
  if (stats_.mismatched_ticks++ == 0)
    core::log_error("client", "mismatch at tick {}: the mirror was {:016x}, the server says {:016x}", header.tick,
                    sum.hash, header.verified_hash);
}

void Connection::send_input() {
  ++progress_.acks.ack;
  progress_.sums[progress_.acks.ack % sums_kept] = {progress_.acks.ack, mirror_->rows().hash()};
  buffer_.resize(wire::input_header_size);
  wire::write_header(progress_.acks, buffer_);
  buffer_.insert(buffer_.end(), command_.begin(), command_.end());
  command_.clear();
  // One that does not fit the queue is like one that is lost: the next acknowledgement says more.
  static_cast<void>(endpoint_->session().send_unreliable(buffer_));
}

}  // namespace mobula::client
