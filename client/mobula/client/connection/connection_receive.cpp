// Handlers of the server's messages.
#include <algorithm>
#include <mobula/client/connection/connection.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/core/overloaded.hpp>

namespace mobula::client {
namespace {

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
      [this](wire::Follow& message) { return on_follow(message); },
      [](wire::Hello&) { return core::Status(only_from_clients("Hello")); },
      [](wire::ResourceRequest&) { return core::Status(only_from_clients("ResourceRequest")); },
      [](wire::MirrorHashes&) { return core::Status(only_from_clients("MirrorHashes")); },
      [](wire::MirrorDifference&) { return core::Status(only_from_clients("MirrorDifference")); },
      [](wire::PredictionReport&) { return core::Status(only_from_clients("PredictionReport")); },
      [](wire::Visit&) { return core::Status(only_from_clients("Visit")); },
      [](wire::Forward&) { return core::Status(only_from_clients("Forward")); },
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
  stats_.resumed += message.resumed ? 1 : 0;
  rejoining_ = config_.awaits_player = false;
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
  core::Result<std::unique_ptr<Mirror>> mirror =
      Mirror::make(std::move(schema), message.entities_max, first_ != nullptr ? first_->mirror() : nullptr);
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
  for (core::ByteView rest = message.tokens; !rest.empty(); rest = rest.subspan(wire::token_bytes)) {
    core::Result<transport::ConnectToken> token = transport::read_token(rest.first(wire::token_bytes));
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

core::Status Connection::on_follow(wire::Follow& message) {
  if (!welcomed()) return before_welcome("Follow");
  if (const core::Result<transport::ConnectToken> token = transport::read_token(message.token); !token)
    return token.error();
  follow_ = std::move(message);
  sent_after_player_ = true;
  return core::Done{};
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
