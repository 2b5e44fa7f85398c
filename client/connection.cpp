#include <algorithm>
#include <mobula/client/connection.hpp>
#include <mobula/core/log.hpp>

namespace mobula::client {

Connection::Connection(const ConnectionConfig& config, core::Nanoseconds now)
    : config_(config), endpoint_(config.transport, now) {}

void Connection::receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now) {
  stats_.bytes_received += datagram.size();
  endpoint_.receive(from, datagram, now);
  take_inbox();
}

void Connection::take_inbox() {
  // Reliable messages first: deltas refer to what they announced.
  while (!failure_ && endpoint_.session().next_reliable(buffer_)) take_message(buffer_);
  while (!failure_ && endpoint_.session().next_unreliable(buffer_)) take_delta(buffer_);
}

void Connection::update(core::Nanoseconds now, transport::Output& output) {
  if (state_ == State::closed) return;
  if (state_ == State::connecting && endpoint_.connected()) say_hello();
  if (failure_) endpoint_.close({transport::ReasonCode::protocol_error, failure_->message}, output);
  if (state_ == State::playing && endpoint_.connected()) send_input();
  endpoint_.update(now, output);
  if (endpoint_.closed()) {
    state_ = State::closed;
    reason_ = endpoint_.reason();
  }
}

void Connection::close(transport::Output& output) {
  if (state_ == State::closed) return;
  endpoint_.close({transport::ReasonCode::left, ""}, output);
  state_ = State::closed;
  reason_ = endpoint_.reason();
}

void Connection::fail(const core::Error& error) {
  core::log_error("client", "the server's bytes make no sense: {}: {}", error.reason, error.message);
  failure_ = error;
}

void Connection::say_hello() {
  wire::Hello hello{.version = wire::protocol_version, .schema_fingerprint = {}, .name = config_.name};
  if (config_.schema != nullptr) hello.schema_fingerprint = config_.schema->fingerprint();
  if (const auto sent = endpoint_.session().send_reliable(wire::encode(hello)); !sent) return fail(sent.error());
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
  state_ = State::playing;
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
  if (header->sequence <= acks_.newest) {
    ++stats_.late_deltas;
    return;
  }
  if (core::Status applied = mirror_->apply(bytes); !applied) return fail(applied.error());
  if (header->tick != last_tick_) ++stats_.ticks;
  last_tick_ = header->tick;
  ++stats_.deltas;
  note_received(header->sequence);
  complete_ = header->complete && none_missing();
  verify(*header);
}

void Connection::note_received(std::uint32_t sequence) {
  const std::uint32_t steps = sequence - acks_.newest;
  std::array<std::uint64_t, wire::ack_history / 64> shifted{};
  for (std::uint32_t age = 0; age + steps < wire::ack_history && steps < wire::ack_history; ++age)
    if (acks_.has(age)) shifted[(age + steps) / 64] |= 1ull << (age + steps) % 64;
  shifted[0] |= 1;
  acks_.received = shifted;
  acks_.newest = sequence;
}

bool Connection::none_missing() const {
  for (std::uint32_t age = 0; age < std::min(settled_deltas, acks_.newest); ++age)
    if (!acks_.has(age)) return false;
  return true;
}

void Connection::verify(const wire::DeltaHeader& header) {
  const Sum& sum = sums_[header.verified_ack % sums_kept];
  if (header.verified_ack <= last_verified_ || sum.ack != header.verified_ack) return;
  last_verified_ = header.verified_ack;
  if (sum.hash == header.verified_hash) {
    ++stats_.verified_ticks;
    return;
  }
  if (stats_.mismatched_ticks++ == 0)
    core::log_error("client", "mismatch at tick {}: the mirror was {:016x}, the server says {:016x}", header.tick,
                    sum.hash, header.verified_hash);
}

void Connection::send_input() {
  ++acks_.ack;
  sums_[acks_.ack % sums_kept] = {acks_.ack, mirror_->rows().hash()};
  buffer_.resize(wire::input_header_size);
  wire::write_header(acks_, buffer_);
  buffer_.insert(buffer_.end(), command_.begin(), command_.end());
  command_.clear();
  // One that does not fit the queue is like one that is lost: the next acknowledgement says more.
  static_cast<void>(endpoint_.session().send_unreliable(buffer_));
}

}  // namespace mobula::client
