#include <algorithm>
#include <mobula/client/connection/connection.hpp>
#include <mobula/client/connection/recording.hpp>
#include <mobula/core/log.hpp>

namespace mobula::client {
namespace {

// The server takes no more than 16; a program that updates with each frame of a fast screen would never be heard.
constexpr core::Nanoseconds inputs_per_tick_max = 4;
static_assert(inputs_per_tick_max * wire::ack_history <= Mirror::acknowledged_kept);
// A mirror that is wrong may not be able to read what rests on it. By then what it has wrong must have come again.
constexpr core::Nanoseconds unreadable_for_at_most = 10 * core::second;
constexpr double ticks_max = 0xffffffffu;  // whatever the server says of its clock

}  // namespace

Connection::Connection(const ConnectionConfig& config, core::Nanoseconds now)
    : config_(config), endpoint_(std::make_unique<transport::ClientEndpoint>(config.transport, now)) {
  MOBULA_ASSERT(config_.decode || config_.recording == nullptr, "what is recorded is mirrored");
  if (config_.recording != nullptr) config_.recording->begin(config_, now);
}

void Connection::receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now) {
  if (config_.recording != nullptr) config_.recording->received(from, datagram, now);
  stats_.bytes_received += datagram.size();
  endpoint_->receive(from, datagram, now);
  take_inbox(now);
}

void Connection::take_inbox(core::Nanoseconds now) {
  // Reliable messages first: deltas refer to what they announced.
  for (const transport::Lane lane : {transport::Lane::control, transport::Lane::bulk})
    while (!failure_ && endpoint_->session().next_reliable(buffer_, lane)) take_message(buffer_);
  while (!failure_ && endpoint_->session().next_unreliable(buffer_)) take_unreliable(buffer_, now);
}

void Connection::update(core::Nanoseconds now, transport::Output& output) {
  if (config_.recording != nullptr) config_.recording->updated(output.ready(endpoint_->server()), now);
  due_events_ = events_.take_due(progress_.last_tick);
  stats_.events += due_events_.size();
  if (state_ == State::closed) return;
  if (state_ == State::connecting && endpoint_->connected()) say_hello();
  if (failure_) endpoint_->close({transport::ReasonCode::protocol_error, failure_->message}, output);
  if (state_ == State::playing && endpoint_->connected()) {
    clock_->on_link(endpoint_->session().stats(), now);
    give_command(now);
    if (now >= next_input_) send_input(now);
    if (mirror_ != nullptr) tell_hashes(now);
  }
  endpoint_->update(now, output);
  if (endpoint_->closed()) {
    state_ = State::closed;
    reason_ = endpoint_->reason();
  }
}

void Connection::close(transport::Output& output) {
  if (config_.recording != nullptr) config_.recording->closed();
  if (state_ == State::closed) return;
  endpoint_->close({transport::ReasonCode::left, ""}, output);
  state_ = State::closed;
  reason_ = endpoint_->reason();
}

void Connection::pipe_closed(std::string_view why, core::Nanoseconds now) {
  if (config_.recording != nullptr) config_.recording->pipe_closed(why, now);
  endpoint_->pipe_closed(why, now);
}

void Connection::set_command(core::ByteView command) {
  if (config_.recording != nullptr) config_.recording->commanded(command);
  command_.assign(command.begin(), command.end());
}

bool Connection::can_rejoin() const { return lost() && !rejoin_tokens_.empty(); }

bool Connection::lost() const {
  using transport::ReasonCode;
  constexpr std::array mendable{ReasonCode::timed_out, ReasonCode::pipe_lost, ReasonCode::no_answer,
                                ReasonCode::handshake_timed_out};
  const bool mendable_end = std::find(mendable.begin(), mendable.end(), reason_.code) != mendable.end();
  return state_ == State::closed && mendable_end && welcomed();
}

void Connection::rejoin(core::Nanoseconds now) {
  MOBULA_ASSERT(can_rejoin(), "there is nothing to come back to");
  if (config_.recording != nullptr) config_.recording->rejoined(now);
  // Where the first one led: the server may have other addresses for itself.
  if (config_.transport.servers.empty()) config_.transport.servers = config_.transport.token.servers;
  config_.transport.token = std::move(rejoin_tokens_.back());
  rejoin_tokens_.pop_back();
  begin_again(now);
}

void Connection::enter_again(const transport::ConnectToken& token, core::Nanoseconds now) {
  MOBULA_ASSERT(state_ == State::closed, "who is in does not come in again");
  if (config_.recording != nullptr) config_.recording->entered_again(token, now);
  config_.transport.token = token;
  rejoin_tokens_.clear();
  command_.clear();  // it was meant for what was there
  begin_again(now);
}

void Connection::begin_again(core::Nanoseconds now) {
  endpoint_ = std::make_unique<transport::ClientEndpoint>(config_.transport, now);
  state_ = State::connecting;
  reason_ = {};
  failure_.reset();
  closing_.reset();
  progress_.complete = false;
  reception_ = {};
  asked_for_.clear();
  next_input_ = 0;
  ++stats_.rejoins;
}

void Connection::fail(const core::Error& error) {
  core::log_error("client", "the server's bytes make no sense: {}: {}", error.reason, error.message);
  failure_ = error;
}

void Connection::say_hello() {
  wire::Hello hello{.version = wire::protocol_version,
                    .schema_fingerprint = {},
                    .name = config_.name,
                    .verify = config_.verify && config_.decode,
                    .spectate = config_.spectate};
  if (config_.schema != nullptr) hello.schema_fingerprint = config_.schema->fingerprint();
  hello.resume = welcomed();
  if (config_.resources != nullptr) stored_ = config_.resources->newest(wire::max_resources);
  for (const std::shared_ptr<const resource::Resource>& resource : stored_) {
    hello.resources.push_back(resource->identity());
    hello.schemas.push_back(resource->schema().fingerprint());
  }
  if (const auto sent = endpoint_->session().send_reliable(wire::encode(hello)); !sent) return fail(sent.error());
  state_ = State::joining;
}

void Connection::take_message(core::ByteView bytes) {
  core::Result<wire::Message> message = wire::decode_message(bytes);
  if (!message) return fail(message.error());
  const core::Status taken = std::visit([&](auto& body) { return take(body); }, *message);
  if (!taken) fail(taken.error());
}

core::Status Connection::take(const wire::Hello& /*message*/) {
  return core::Error{"out of turn", "a server does not say Hello"};
}

core::Status Connection::take(const wire::Welcome& message) {
  if (state_ != State::joining) return core::Error{"out of turn", "one Welcome is enough"};
  if (message.resumed && !welcomed()) return core::Error{"out of turn", "nothing was there to be resumed"};
  if (!message.resumed) {
    if (const core::Status begun = begin(message); !begun) return begun;
  }
  resources_ = message.resources;
  state_ = State::playing;
  ask_for_next_resource();
  return core::Done{};
}

core::Status Connection::begin(const wire::Welcome& message) {
  if (config_.decode)
    if (const core::Status begun = begin_mirror(message); !begun) return begun;
  check_ = {};
  progress_ = {};
  commands_ = {};
  events_ = {};
  due_events_ = {};
  ticks_per_second_ = message.ticks_per_second;
  clock_ = std::make_unique<ServerClock>(ticks_per_second_);
  return core::Done{};
}

// An empty one.
core::Status Connection::begin_mirror(const wire::Welcome& message) {
  if (config_.schema != nullptr && config_.schema->fingerprint() != message.schema_fingerprint)
    return core::Error{"other schema", "the server has another schema than this program"};
  std::shared_ptr<const reflect::Schema> schema = find_schema(message.schema_fingerprint);
  if (!message.schema.empty()) {
    core::Result<std::shared_ptr<const reflect::Schema>> loaded = reflect::Schema::load(message.schema);
    if (!loaded) return loaded.error();
    schema = *loaded;
  }
  if (schema == nullptr || schema->fingerprint() != message.schema_fingerprint)
    return core::Error{"other schema", "the server's schema is not the one it names"};
  core::Result<std::unique_ptr<Mirror>> mirror = Mirror::make(std::move(schema), message.entities_max);
  if (!mirror) return mirror.error();
  mirror_ = std::move(*mirror);
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
    asked_for_.push_back(wanted.identity);
    const wire::ResourceRequest request{wanted.identity, reception_.received()};
    if (const auto sent = endpoint_->session().send_reliable(wire::encode(request)); !sent) fail(sent.error());
  }
}

core::Status Connection::take(const wire::ResourceRequest& /*message*/) {
  return core::Error{"out of turn", "a server does not ask for resources"};
}

core::Status Connection::take(const wire::ResourcePart& message) {
  if (std::ranges::find(asked_for_, message.identity) == asked_for_.end())
    return core::Error{"out of turn", "a part of a resource that was not asked for"};
  // Of one that was given up, what was on its way still comes.
  if (!(message.identity == reception_.identity()) || !reception_.under_way()) return core::Done{};
  const core::Result<bool> whole = reception_.append(message.offset, message.bytes);
  if (!whole && reception_.under_way()) return whole.error();
  if (whole && !*whole) return core::Done{};
  if (!whole)
    core::log_warn("client", "resource {:.16} is not kept: {}", to_string(message.identity), whole.error().message);
  if (whole) core::log_info("client", "resource {:.16} is there", to_string(message.identity));
  ask_for_next_resource();
  return core::Done{};
}

// That the program was compiled with, or that of a level it has.
std::shared_ptr<const reflect::Schema> Connection::find_schema(const core::ContentHash& fingerprint) const {
  if (config_.schema != nullptr) return config_.schema;
  for (const std::shared_ptr<const resource::Resource>& resource : stored_)
    if (resource->schema().fingerprint() == fingerprint) return {resource, &resource->schema()};
  return nullptr;
}

core::Status Connection::take(const wire::Level& message) {
  if (!welcomed()) return core::Error{"out of turn", "a level before Welcome"};
  const auto found =
      std::ranges::find_if(stored_, [&](const auto& each) { return each->identity() == message.identity; });
  if (found == stored_.end()) return core::Error{"other level", "a level that this client did not name"};
  return mirror_ != nullptr ? mirror_->load_level(message, *found) : core::Status(core::Done{});
}

core::Status Connection::take(const wire::MirrorHashes& /*message*/) {
  return core::Error{"out of turn", "a server does not say what a mirror has"};
}

core::Status Connection::take(const wire::MirrorDifference& /*message*/) {
  return core::Error{"out of turn", "a server does not say what a mirror has"};
}

core::Status Connection::take(const wire::MirrorCorrection& message) {
  if (mirror_ == nullptr) return core::Error{"out of turn", "a correction of no mirror"};
  ++stats_.corrections;
  const core::Result<std::vector<wire::MirrorDifference>> differences = check_.take(*mirror_, message);
  if (!differences) return differences.error();
  for (const wire::MirrorDifference& difference : *differences)
    static_cast<void>(endpoint_->session().send_reliable(wire::encode(difference)));
  return core::Done{};
}

core::Status Connection::take(wire::Events& message) {
  if (!welcomed()) return core::Error{"out of turn", "events before Welcome"};
  return events_.take(std::move(message));
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
  if (!welcomed()) return core::Error{"out of turn", "names before Welcome"};
  return mirror_ != nullptr ? mirror_->add_names(message) : core::Status(core::Done{});
}

core::Status Connection::take(const wire::Prototypes& message) {
  if (!welcomed()) return core::Error{"out of turn", "prototypes before Welcome"};
  return mirror_ != nullptr ? mirror_->add_prototypes(message) : core::Status(core::Done{});
}

core::Status Connection::take(const wire::Closing& message) {
  core::log_info("client", "the server closes in {} s: {}", message.seconds, message.reason);
  closing_ = message;
  return core::Done{};
}

core::Status Connection::take(const wire::PlayerEntity& message) {
  player_entity_ = message.entity;
  return core::Done{};
}

void Connection::take_unreliable(core::ByteView bytes, core::Nanoseconds now) {
  if (bytes.empty() || bytes[0] != std::byte{wire::event_batch_kind}) return take_delta(bytes, now);
  if (const core::Status decoded = wire::decode_event_batch(bytes, batch_); !decoded) return fail(decoded.error());
  events_.take(batch_);
}

void Connection::take_delta(core::ByteView bytes, core::Nanoseconds now) {
  if (!welcomed()) return fail({"out of turn", "a delta before Welcome"});
  const core::Result<wire::DeltaHeader> header = wire::read_delta_header(bytes);
  if (!header) return fail(header.error());
  clock_->on_delta(header->tick, now);
  clock_->on_feedback(header->commands, now);
  commands_.on_feedback(header->commands);
  progress_.heard_ack = std::max(progress_.heard_ack, header->ack);
  const bool late = header->sequence < progress_.input.newest;
  if (late) ++stats_.late_deltas;
  if (!is_new(header->sequence)) return;
  if (mirror_ != nullptr && !apply(*header, bytes, now)) return;
  if (!late) progress_.unreadable_since = 0;
  if (header->tick > progress_.last_tick) ++stats_.ticks;
  progress_.last_tick = std::max(progress_.last_tick, header->tick);
  ++stats_.deltas;
  note_received(header->sequence);
  if (!late) progress_.told_all = header->complete;
  progress_.complete = progress_.told_all && none_missing();
  if (mirror_ != nullptr) verify(*header, now);
}

// False: it has the fate of a lost one.
bool Connection::apply(const wire::DeltaHeader& header, core::ByteView delta, core::Nanoseconds now) {
  const core::Status applied = mirror_->apply(header, delta);
  if (applied) return true;
  const bool too_late = applied.error().reason == std::string_view("too late");
  if (!too_late && !pass_over_unreadable(header, now)) fail(applied.error());
  return false;
}

// Neither there already, nor so late that the server has given it up.
bool Connection::is_new(std::uint32_t sequence) const {
  if (sequence > progress_.input.newest) return true;
  const std::uint32_t age = progress_.input.newest - sequence;
  return age < wire::late_max && !progress_.input.has(age);
}

void Connection::note_received(std::uint32_t sequence) {
  wire::InputDatagram& acks = progress_.input;
  if (sequence < acks.newest) {
    const std::uint32_t age = acks.newest - sequence;
    acks.received[age / 64] |= 1ull << age % 64;
    return;
  }
  const std::uint32_t steps = sequence - acks.newest;
  note_lost(steps);
  std::array<std::uint64_t, wire::input_words_max> shifted{};
  for (std::uint32_t age = 0; age + steps < wire::ack_history && steps < wire::ack_history; ++age)
    if (acks.has(age)) shifted[(age + steps) / 64] |= 1ull << (age + steps) % 64;
  shifted[0] |= 1;
  acks.received = shifted;
  acks.newest = sequence;
}

// Before the newest goes on by so many: those that are then too old to be taken.
void Connection::note_lost(std::uint32_t steps) {
  const wire::InputDatagram& acks = progress_.input;
  const std::uint32_t never_seen = steps > wire::late_max ? steps - wire::late_max : 0;
  stats_.lost_deltas += never_seen;
  for (std::uint32_t age = wire::late_max - std::min(steps, wire::late_max); age < wire::late_max; ++age)
    if (age < acks.newest && !acks.has(age)) ++stats_.lost_deltas;
}

// Of the deltas of whose fate the server had not heard when it wrote the newest: of all others it knew what was lost.
bool Connection::none_missing() const {
  const std::uint32_t open = progress_.input.newest - newest_heard_of();
  if (open > wire::ack_history) return false;
  for (std::uint32_t age = 0; age < open; ++age)
    if (!progress_.input.has(age)) return false;
  return true;
}

// The newest delta of which the server has been told what became of it. 0: none, or it is long ago.
std::uint32_t Connection::newest_heard_of() const {
  const bool remembers = progress_.input.ack - progress_.heard_ack < acks_kept;
  return remembers ? progress_.newest_at[progress_.heard_ack % acks_kept] : 0;
}

void Connection::verify(const wire::DeltaHeader& header, core::Nanoseconds now) {
  const std::optional<bool> same = mirror_->verify(header);
  if (!same || header.ack <= progress_.last_verified) return;
  progress_.last_verified = header.ack;
  if (*same) {
    ++stats_.verified_ticks;
    return;
  }
  if (stats_.mismatched_ticks++ == 0)
    core::log_error("client", "mismatch at tick {}: the mirror is not what the server says", header.tick);
  check_.suspect(now);
}

// Values are coded by what they were: where those are wrong, what follows may mean nothing.
bool Connection::pass_over_unreadable(const wire::DeltaHeader& header, core::Nanoseconds now) {
  if (!header.verifies || header.ack == 0) return false;
  if (progress_.unreadable_since == 0) progress_.unreadable_since = now;
  if (now - progress_.unreadable_since > unreadable_for_at_most) return false;
  if (stats_.unreadable_deltas++ == 0)
    core::log_error("client", "unreadable at tick {}: the mirror may not be what the server says", header.tick);
  check_.suspect(now);
  return true;
}

void Connection::tell_hashes(core::Nanoseconds now) {
  const std::optional<wire::MirrorHashes> part = check_.next(*mirror_, now);
  // A lane that is full can take another list later.
  if (part) static_cast<void>(endpoint_->session().send_reliable(wire::encode(*part)));
}

void Connection::give_command(core::Nanoseconds now) {
  if (command_.empty() || !clock_->known()) return;
  const auto tick = static_cast<ecs::Tick>(std::clamp(clock_->target_tick(now), 0.0, ticks_max));
  if (const auto given = commands_.add(command_, tick, clock_->view_tick(now)); !given)
    core::log_warn("client", "a command is not sent: {}", given.error().message);
  command_.clear();
}

void Connection::send_input(core::Nanoseconds now) {
  next_input_ = now + core::second / (ticks_per_second_ * inputs_per_tick_max);
  wire::InputDatagram& input = progress_.input;
  ++input.ack;
  // Of deltas further back the server knows what became of them.
  const std::uint32_t open = std::min(input.newest - newest_heard_of() + wire::late_max, wire::ack_history);
  input.words = static_cast<std::uint8_t>(std::max(1u, (open + 63) / 64));
  commands_.fill(input);
  progress_.newest_at[input.ack % acks_kept] = input.newest;
  if (mirror_ != nullptr) mirror_->acknowledged(input.ack);
  buffer_.resize(wire::input_bytes_max);
  buffer_.resize(wire::encode_input(input, buffer_).bytes);
  // One that does not fit the queue is like one that is lost: the next acknowledgement says more.
  static_cast<void>(endpoint_->session().send_unreliable(buffer_));
}

}  // namespace mobula::client
