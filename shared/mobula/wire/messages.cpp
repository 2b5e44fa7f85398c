#include <mobula/schema/wire_generated.h>

#include <algorithm>
#include <mobula/core/text.hpp>
#include <mobula/wire/delta.hpp>
#include <mobula/wire/messages.hpp>

namespace mobula::wire {
namespace {

core::Error malformed_message(const char* what) { return {"malformed message", what}; }

std::string text_of(const flatbuffers::String* text) { return text == nullptr ? std::string() : text->str(); }

bool too_long(const flatbuffers::String* text) { return text != nullptr && text->size() > max_text_bytes; }

bool is_short_and_printable(const flatbuffers::String* text) {
  return !too_long(text) && core::is_printable(text_of(text));
}

std::optional<core::ContentHash> hash_of(const flatbuffers::Vector<std::uint8_t>* bytes) {
  core::ContentHash hash;
  if (bytes == nullptr || bytes->size() != hash.bytes.size()) return std::nullopt;
  std::memcpy(hash.bytes.data(), bytes->data(), hash.bytes.size());
  return hash;
}

core::Bytes bytes_of(const flatbuffers::Vector<std::uint8_t>& flat) {
  const core::ByteView bytes = core::as_bytes(flat.data(), flat.size());
  return {bytes.begin(), bytes.end()};
}

// Reads up to `count_max` hashes; an absent vector has none.
bool read_hashes(const flatbuffers::Vector<std::uint8_t>* flat, std::size_t count_max,
                 std::vector<core::ContentHash>& hashes) {
  if (flat == nullptr) return true;
  constexpr std::size_t size = sizeof(core::ContentHash::bytes);
  if (flat->size() % size != 0 || flat->size() > count_max * size) return false;
  for (core::ByteView rest = core::as_bytes(flat->data(), flat->size()); !rest.empty(); rest = rest.subspan(size))
    std::copy_n(rest.begin(), size, hashes.emplace_back().bytes.begin());
  return true;
}

core::Result<Message> read(const flat::Hello& flat) {
  if (too_long(flat.name())) return malformed_message("Hello: the name is longer than 256 bytes");
  Hello hello{.version = flat.version(),
              .schema_fingerprint = hash_of(flat.schema_fingerprint()),
              .name = text_of(flat.name()),
              .verify = flat.verify(),
              .resources = {},
              .schemas = {},
              .resume = flat.resume(),
              .spectate = flat.spectate(),
              .refusals = flat.refusals(),
              .follows = flat.follows(),
              .awaits_player = flat.awaits_player(),
              .commands_continue = flat.commands_continue()};
  if (flat.schema_fingerprint() != nullptr && !hello.schema_fingerprint)
    return malformed_message("Hello: a fingerprint has 32 bytes");
  if (!read_hashes(flat.resources(), max_resources, hello.resources) ||
      !read_hashes(flat.schemas(), max_known_schemas, hello.schemas))
    return malformed_message("Hello: at most 16 resources and 16 schemas, of 32 bytes each");
  return Message(std::move(hello));
}

using FlatResources = flatbuffers::Vector<flatbuffers::Offset<flat::Resource>>;

core::Status read_resources(const FlatResources* flat, std::vector<Resource>& resources) {
  if (flat == nullptr) return core::Done{};
  if (flat->size() > max_resources) return malformed_message("more than 16 resources");
  for (const flat::Resource* each : *flat) {
    const std::optional<core::ContentHash> identity = hash_of(each->identity());
    if (!identity) return malformed_message("Resource: an identity has 32 bytes");
    resources.push_back({*identity, each->size(), each->first_tick()});
  }
  return core::Done{};
}

core::Result<Message> read(const flat::Welcome& flat) {
  const std::optional<core::ContentHash> fingerprint = hash_of(flat.schema_fingerprint());
  if (!fingerprint) return malformed_message("Welcome: a fingerprint has 32 bytes");
  if (flat.ticks_per_second() == 0 || flat.ticks_per_second() > 1000)
    return malformed_message("Welcome: 1 to 1000 ticks per second");
  if (flat.index_limit() == 0 || flat.index_limit() > entities_max_limit)
    return malformed_message("Welcome: entities_max is 1 to 4194304");
  Welcome welcome{.session = flat.session(),
                  .ticks_per_second = flat.ticks_per_second(),
                  .entities_max = flat.index_limit(),
                  .schema_fingerprint = *fingerprint,
                  .schema = {},
                  .resources = {},
                  .resumed = flat.resumed(),
                  .prediction_seed = flat.prediction_seed()};
  if (flat.schema() != nullptr) welcome.schema = bytes_of(*flat.schema());
  if (const core::Status listed = read_resources(flat.resources(), welcome.resources); !listed) return listed.error();
  return Message(std::move(welcome));
}

core::Result<Message> read(const flat::ResourceOffer& flat) {
  ResourceOffer offer;
  if (const core::Status listed = read_resources(flat.resources(), offer.resources); !listed) return listed.error();
  return Message(std::move(offer));
}

core::Result<Message> read(const flat::Names& flat) {
  if (flat.texts()->size() > max_names) return malformed_message("Names: more than 4096");
  Names names;
  for (const flatbuffers::String* text : *flat.texts()) {
    if (too_long(text)) return malformed_message("Names: a name is longer than 256 bytes");
    if (!core::is_printable(text_of(text))) return malformed_message("Names: a name is printable UTF-8");
    names.texts.push_back(text_of(text));
  }
  return Message(std::move(names));
}

core::Result<Prototype> read_prototype(const flat::Prototype& flat) {
  if (flat.components()->size() > max_components_per_prototype)
    return malformed_message("Prototype: more than 256 components");
  Prototype prototype{.id = flat.id(), .hash = flat.hash(), .components = {}};
  for (const flat::ComponentRef* component : *flat.components())
    prototype.components.push_back({core::StringId32(component->type()), core::StringId32(component->instance())});
  const auto& all = prototype.components;
  if (std::adjacent_find(all.begin(), all.end(), [](const auto& a, const auto& b) { return a >= b; }) != all.end())
    return malformed_message("Prototype: components are not sorted, or not distinct");
  if (index::prototype_hash(all) != prototype.hash)
    return malformed_message("Prototype: the hash is not that of the components");
  return prototype;
}

core::Result<Message> read(const flat::Prototypes& flat) {
  if (flat.prototypes()->size() > max_prototypes_per_message) return malformed_message("Prototypes: more than 1024");
  Prototypes message;
  for (const flat::Prototype* entry : *flat.prototypes()) {
    core::Result<Prototype> prototype = read_prototype(*entry);
    if (!prototype) return prototype.error();
    message.prototypes.push_back(std::move(*prototype));
  }
  return Message(std::move(message));
}

core::Result<Message> read(const flat::PlayerEntity& flat) {
  return Message(PlayerEntity{{flat.entity()->index(), flat.entity()->generation()}});
}

core::Result<Message> read(const flat::Closing& flat) {
  if (!is_short_and_printable(flat.reason()))
    return malformed_message("Closing: a reason is at most 256 bytes of printable UTF-8");
  return Message(Closing{flat.seconds(), text_of(flat.reason())});
}

core::Result<Message> read(const flat::CommandRefused& flat) {
  if (!is_short_and_printable(flat.reason()))
    return malformed_message("CommandRefused: a reason is at most 256 bytes of printable UTF-8");
  return Message(CommandRefused{flat.number(), text_of(flat.reason())});
}

core::Result<Message> read(const flat::RejoinTokens& flat) {
  const std::size_t size = flat.tokens()->size();
  if (size == 0 || size % token_bytes != 0 || size > max_rejoin_tokens * token_bytes)
    return malformed_message("RejoinTokens: 1 to 4 tokens of 2048 bytes");
  return Message(RejoinTokens{bytes_of(*flat.tokens()), flat.grace_seconds()});
}

core::Result<Message> read(const flat::Follow& flat) {
  if (!is_short_and_printable(flat.world()))
    return malformed_message("Follow: a name is at most 256 bytes of printable UTF-8");
  if (flat.token()->size() != token_bytes) return malformed_message("Follow: a token has 2048 bytes");
  if (flat.addresses()->size() == 0 || flat.addresses()->size() > max_addresses)
    return malformed_message("Follow: 1 to 32 addresses");
  Follow follow{
      .world = text_of(flat.world()), .token = bytes_of(*flat.token()), .addresses = {}, .visit = flat.visit()};
  for (const flatbuffers::String* address : *flat.addresses()) {
    if (!is_short_and_printable(address))
      return malformed_message("Follow: an address is at most 256 bytes of printable UTF-8");
    follow.addresses.push_back(text_of(address));
  }
  return Message(std::move(follow));
}

core::Result<Message> read(const flat::Visit& flat) {
  if (flat.entity()->generation() == 0) return malformed_message("Visit: an entity of generation 0");
  return Message(Visit{flat.client_id(), {flat.entity()->index(), flat.entity()->generation()}});
}

core::Result<Message> read(const flat::Forward& flat) {
  if (flat.entity()->generation() == 0) return malformed_message("Forward: an entity of generation 0");
  if (flat.kind() > flat::Forwarded::MAX) return malformed_message("Forward: an unknown kind");
  const auto kind = static_cast<ForwardKind>(flat.kind());
  const std::size_t bytes_max = kind == ForwardKind::unreliable_event ? max_event_bytes : max_reliable_event_bytes;
  if (flat.bytes()->size() > bytes_max) return malformed_message("Forward: too many bytes");
  return Message(Forward{{flat.entity()->index(), flat.entity()->generation()},
                         kind,
                         flat.passed(),
                         flat.origin(),
                         bytes_of(*flat.bytes())});
}

core::Result<Message> read(const flat::ResourceRequest& flat) {
  const std::optional<core::ContentHash> identity = hash_of(flat.identity());
  if (!identity) return malformed_message("ResourceRequest: an identity has 32 bytes");
  return Message(ResourceRequest{*identity, flat.offset()});
}

core::Result<Message> read(const flat::ResourcePart& flat) {
  const std::optional<core::ContentHash> identity = hash_of(flat.identity());
  if (!identity) return malformed_message("ResourcePart: an identity has 32 bytes");
  if (flat.bytes()->size() == 0 || flat.bytes()->size() > max_resource_part_bytes)
    return malformed_message("ResourcePart: 1 to 65536 bytes");
  return Message(ResourcePart{*identity, flat.offset(), bytes_of(*flat.bytes())});
}

core::Result<Message> read(const flat::Events& flat) {
  if (flat.events()->size() == 0 || flat.events()->size() > max_events_per_message)
    return malformed_message("Events: 1 to 1024");
  Events message{.tick = flat.tick(), .events = {}};
  for (const flat::Event* event : *flat.events()) {
    if (!message.events.empty() && event->sequence() <= message.events.back().sequence)
      return malformed_message("Events: not by ascending sequence");
    if (event->bytes()->size() > max_reliable_event_bytes) return malformed_message("Event: longer than 16384 bytes");
    const flat::Handle* about = event->about();
    if (about != nullptr && about->generation() == 0)
      return malformed_message("Event: about an entity of generation 0");
    message.events.push_back({event->sequence(),
                              about == nullptr ? ecs::null_entity : ecs::Entity{about->index(), about->generation()},
                              bytes_of(*event->bytes())});
  }
  return Message(std::move(message));
}

core::Result<Message> read(const flat::Level& flat) {
  const std::optional<core::ContentHash> identity = hash_of(flat.identity());
  if (!identity) return malformed_message("Level: an identity has 32 bytes");
  const bool fits =
      flat.count() > 0 && flat.first() < entities_max_limit && flat.count() <= entities_max_limit - flat.first();
  if (!fits || flat.generation() == 0 || flat.tick() == 0) return malformed_message("Level: a range out of range");
  if (flat.present()->size() != (flat.count() + 7) / 8)
    return malformed_message("Level: `present` has not one bit per entity");
  return Message(
      Level{*identity, {flat.first(), flat.count(), flat.generation()}, flat.tick(), bytes_of(*flat.present())});
}

core::Result<Message> read(const flat::MirrorHashes& flat) {
  if (flat.hashes()->size() > max_mirror_hashes) return malformed_message("MirrorHashes: at most 1024");
  // The verifier checks the alignment of a vector's length only; these elements need 8 bytes.
  const auto place = reinterpret_cast<std::uintptr_t>(flat.hashes()->Data());
  if (flat.hashes()->size() > 0 && place % alignof(flat::MirrorHash) != 0)
    return malformed_message("MirrorHashes: the hashes are not aligned to 8 bytes");
  MirrorHashes message{
      .of_level = flat.of_level(), .first = flat.first(), .end = flat.end(), .tick = flat.tick(), .hashes = {}};
  std::uint64_t least = flat.first();
  for (const flat::MirrorHash* each : *flat.hashes()) {
    if (each->place() < least || each->place() >= flat.end() || each->generation() == 0)
      return malformed_message("MirrorHashes: places are not ascending from `first` to below `end`");
    least = each->place() + 1ull;
    message.hashes.push_back({each->place(), {each->index(), each->generation()}, each->tick(), each->hash()});
  }
  return Message(std::move(message));
}

core::Result<Message> read(const flat::MirrorCorrection& flat) {
  const bool known = flat.fault() <= flat::MirrorFault::missing && flat.entity()->generation() != 0;
  if (!known) return malformed_message("MirrorCorrection: an unknown fault, or an entity of generation 0");
  MirrorCorrection message{.fault = static_cast<MirrorFault>(flat.fault()),
                           .of_level = flat.of_level(),
                           .place = flat.place(),
                           .entity = {flat.entity()->index(), flat.entity()->generation()},
                           .tick = flat.tick(),
                           .prototype = flat.prototype(),
                           .owner = flat.owner(),
                           .words = {}};
  if (flat.words() == nullptr) return Message(std::move(message));
  if (flat.words()->size() > max_entity_words) return malformed_message("MirrorCorrection: more than 65536 words");
  message.words.assign(flat.words()->begin(), flat.words()->end());
  return Message(std::move(message));
}

core::Result<Message> read(const flat::DeltaBody& flat) {
  if (flat.number() == 0 || flat.size() > delta_body_bytes_max)
    return malformed_message("DeltaBody: a number from 1 on, and at most 16416 bytes");
  const std::size_t count = flat.bytes()->size();
  if (count == 0 || flat.offset() > flat.size() || count > flat.size() - flat.offset())
    return malformed_message("DeltaBody: a part is at least a byte, within the size");
  return Message(DeltaBody{flat.number(), flat.offset(), flat.size(), bytes_of(*flat.bytes())});
}

core::Result<Message> read(const flat::MirrorDifference& flat) {
  if (flat.entity()->generation() == 0) return malformed_message("MirrorDifference: an entity of generation 0");
  for (const flatbuffers::String* text : {flat.component(), flat.field(), flat.client(), flat.server()})
    if (!is_short_and_printable(text))
      return malformed_message("MirrorDifference: at most 256 bytes of printable UTF-8");
  return Message(MirrorDifference{.entity = {flat.entity()->index(), flat.entity()->generation()},
                                  .component = text_of(flat.component()),
                                  .field = text_of(flat.field()),
                                  .client = text_of(flat.client()),
                                  .server = text_of(flat.server())});
}

core::Result<Message> read(const flat::PredictionReport& flat) {
  const PredictionReport report{flat.ticks(),
                                flat.ticks_replayed(),
                                flat.rollbacks(),
                                flat.late_mispredictions(),
                                flat.remote_mispredictions(),
                                flat.stalls(),
                                flat.corrections(),
                                flat.corrections_mm(),
                                flat.greatest_correction_mm(),
                                flat.input_delay(),
                                flat.level_mispredictions()};
  return report.is_bounded() ? core::Result<Message>(report)
                             : malformed_message("PredictionReport: counts are at most 16777216");
}

}  // namespace

core::Result<Message> decode_message(core::ByteView bytes) {
  // A fresh vector is aligned for every type in it, which bytes inside a datagram need not be.
  const core::Bytes aligned(bytes.begin(), bytes.end());
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(aligned.data()), aligned.size(), 16, 10'000);
  if (!flat::VerifyMessageBuffer(verifier)) return malformed_message("not a verified FlatBuffers Message");
  const flat::Message& message = *flat::GetMessage(aligned.data());
  // The verifier lets unknown union members and null bodies through.
  if (message.body() == nullptr) return malformed_message("the message has no body");
  switch (message.body_type()) {
    case flat::Body::Hello: return read(*message.body_as_Hello());
    case flat::Body::Welcome: return read(*message.body_as_Welcome());
    case flat::Body::Names: return read(*message.body_as_Names());
    case flat::Body::Prototypes: return read(*message.body_as_Prototypes());
    case flat::Body::PlayerEntity: return read(*message.body_as_PlayerEntity());
    case flat::Body::RejoinTokens: return read(*message.body_as_RejoinTokens());
    case flat::Body::ResourceRequest: return read(*message.body_as_ResourceRequest());
    case flat::Body::ResourcePart: return read(*message.body_as_ResourcePart());
    case flat::Body::Events: return read(*message.body_as_Events());
    case flat::Body::Level: return read(*message.body_as_Level());
    case flat::Body::MirrorHashes: return read(*message.body_as_MirrorHashes());
    case flat::Body::MirrorCorrection: return read(*message.body_as_MirrorCorrection());
    case flat::Body::MirrorDifference: return read(*message.body_as_MirrorDifference());
    case flat::Body::Closing: return read(*message.body_as_Closing());
    case flat::Body::CommandRefused: return read(*message.body_as_CommandRefused());
    case flat::Body::DeltaBody: return read(*message.body_as_DeltaBody());
    case flat::Body::PredictionReport: return read(*message.body_as_PredictionReport());
    case flat::Body::ResourceOffer: return read(*message.body_as_ResourceOffer());
    case flat::Body::Follow: return read(*message.body_as_Follow());
    case flat::Body::Visit: return read(*message.body_as_Visit());
    case flat::Body::Forward: return read(*message.body_as_Forward());
    case flat::Body::NONE: break;
  }
  return core::Error{"unknown message", "message type " + std::to_string(static_cast<int>(message.body_type()))};
}

}  // namespace mobula::wire
