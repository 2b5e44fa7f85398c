// The reliable messages as plain values. Decoding checks their form completely: sizes, ranges, order. Whether a message
// is allowed or true is for the receiver to check.
#pragma once

#include <cstdint>
#include <mobula/core/bytes.hpp>
#include <mobula/core/content_hash.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/entity.hpp>
#include <mobula/ecs/entity_batch.hpp>
#include <mobula/ecs/pool.hpp>
#include <mobula/ecs/sent_size.hpp>
#include <mobula/index/prototype_hash.hpp>
#include <mobula/wire/prediction_report.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace mobula::wire {

// Raised whenever the meaning of any byte after the transport's own changes.
inline constexpr std::uint32_t protocol_version = 2;

// Upper bound for `entities_max`: a mirror keeps some bytes for each index up to the highest it has received.
inline constexpr std::uint32_t entities_max_limit = 1u << 22;
inline constexpr std::size_t max_text_bytes = 256;
inline constexpr std::size_t max_names = 4096;
inline constexpr std::size_t max_prototypes_per_message = 1024;
inline constexpr std::size_t max_components_per_prototype = ecs::SentSize::components_max;
inline constexpr std::size_t max_resources = 16;
inline constexpr std::size_t max_known_schemas = 16;
inline constexpr std::size_t max_resource_part_bytes = 64 * 1024;
inline constexpr std::size_t token_bytes = 2048;
inline constexpr std::size_t max_rejoin_tokens = 4;
inline constexpr std::size_t max_addresses = 32;
inline constexpr std::size_t max_events_per_message = 1024;
inline constexpr std::size_t max_event_bytes = 1024;  // unreliable events must fit a datagram
inline constexpr std::size_t max_reliable_event_bytes = 16 * 1024;
inline constexpr std::size_t max_mirror_hashes = 1024;
inline constexpr std::size_t max_entity_words = 1u << 16;   // a word takes two bits at least
inline constexpr std::uint32_t max_mirror_differences = 8;  // sent for one entity

/// First message of a client.
struct Hello {
  std::uint32_t version = protocol_version;
  std::optional<core::ContentHash> schema_fingerprint;
  std::string name;
  bool verify = false;
  std::vector<core::ContentHash> resources{};  // that the client has, at most max_resources
  std::vector<core::ContentHash> schemas{};
  bool resume = false;             // it resumes its session and has kept its mirror
  bool spectate = false;           // without an entity and without commands
  bool refusals = false;           // requests a CommandRefused for each refused command
  bool follows = false;            // asks for Follow
  bool awaits_player = false;      // the server waits with Welcome until its player has arrived from another zone
  bool commands_continue = false;  // numbers of commands go on from those that the player gave in the former zone
};

/// A resource that clients may request.
struct Resource {
  core::ContentHash identity;
  std::uint64_t size = 0;    // bytes
  ecs::Tick first_tick = 0;  // the first tick whose step of the rules reads it
};

/// First message of the server to an admitted client.
struct Welcome {
  std::uint32_t session = 0;
  std::uint32_t ticks_per_second = 0;
  std::uint32_t entities_max = 0;
  core::ContentHash schema_fingerprint;
  core::Bytes schema;
  std::vector<Resource> resources;
  bool resumed = false;               // the session resumes: sequences, ids and acknowledgements continue
  std::uint64_t prediction_seed = 0;  // seeds random numbers of predictions; 0 if there are none
};

/// Resources in place of those of Welcome, after a reload of the level.
struct ResourceOffer {
  std::vector<Resource> resources;  // at most max_resources
};

/// The entities of a level that the client has as a resource.
struct Level {
  core::ContentHash identity;
  ecs::EntityRange range;
  ecs::Tick tick = 0;
  core::Bytes present;  // a bit for each entity of the range
};

/// Texts of instance names.
struct Names {
  std::vector<std::string> texts;
};

/// A prototype under the id that later deltas use.
struct Prototype {
  std::uint32_t id = 0;
  std::uint64_t hash = 0;
  std::vector<index::ComponentRef> components;  // sorted, without duplicates
};

/// Prototypes that later deltas use.
struct Prototypes {
  std::vector<Prototype> prototypes;
};

/// The player's own entity.
struct PlayerEntity {
  ecs::Entity entity;  // null for a spectator
};

/// A command that the server has refused.
struct CommandRefused {
  std::uint32_t number = 0;  // 0 if an input, or all commands of an input, could not be decoded
  std::string reason;        // at most max_text_bytes, printable
};

/// Announces that the server will close in `seconds`.
struct Closing {
  std::uint32_t seconds = 0;
  std::string reason;
};

/// Connect tokens for reconnecting.
struct RejoinTokens {
  core::Bytes tokens;               // one after the other, of token_bytes each
  std::uint32_t grace_seconds = 0;  // time that the player of a lost connection stays
};

/// The player is in another zone of the world, or near it.
struct Follow {
  std::string world;                   // at most max_text_bytes, printable
  core::Bytes token;                   // token_bytes of them
  std::vector<std::string> addresses;  // 1 to max_addresses, each like the world's name
  bool visit = false;                  // the player is near the zone, and still here
};

/// A client with this id sees the world around an entity.
struct Visit {
  std::uint64_t client_id = 0;
  ecs::Entity entity;  // not null
};

/// Kind of what zones pass on: a message to an entity, or an event about it.
enum class ForwardKind : std::uint8_t { message, unreliable_event, reliable_event };

/// Something for an entity of the zone that receives it, or of a zone beside that.
struct Forward {
  ecs::Entity entity;  // not null
  ForwardKind kind = ForwardKind::message;
  std::uint8_t passed = 0;   // zones that have passed it on, the first one included
  std::uint32_t origin = 0;  // events: the zone whose game has sent it; its clients have it
  core::Bytes bytes;         // at most max_reliable_event_bytes; an unreliable event has at most max_event_bytes
};

/// Requests a resource from byte `offset` on.
struct ResourceRequest {
  core::ContentHash identity;
  std::uint64_t offset = 0;
};

/// Bytes of a requested resource.
struct ResourcePart {
  core::ContentHash identity;
  std::uint64_t offset = 0;
  core::Bytes bytes;  // at least one
};

/// A reliable event.
struct Event {
  std::uint16_t sequence = 0;  // among all of the tick's events for this client, unreliable ones included
  ecs::Entity about;           // null if it is about no entity
  core::Bytes bytes;
};

/// Reliable events of a tick.
struct Events {
  ecs::Tick tick = 0;
  std::vector<Event> events;  // at least one, by ascending sequence
};

/// Hash of one entity in a mirror.
struct MirrorHash {
  std::uint32_t place = 0;  // id; of an entity that is as the level has it, its index
  ecs::Entity entity;
  ecs::Tick tick = 0;
  std::uint64_t hash = 0;  // see entity_hash.hpp
};

/// Hashes of all entities of a mirror at places from `first` on and below `end`.
struct MirrorHashes {
  bool of_level = false;
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  ecs::Tick tick = 0;
  std::vector<MirrorHash> hashes;  // by ascending place
};

/// Kind of a mirror's error: wrong values, an entity unknown to the server, an entity missing at the client.
enum class MirrorFault : std::uint8_t { values, unknown, missing };

/// The server's answer to a wrong hash.
struct MirrorCorrection {
  MirrorFault fault = MirrorFault::values;
  bool of_level = false;
  std::uint32_t place = 0;
  ecs::Entity entity;
  ecs::Tick tick = 0;
  std::uint64_t prototype = 0;
  bool owner = false;
  std::vector<std::uint32_t> words;
};

/// A field that a correction found wrong, with both values as text.
struct MirrorDifference {
  ecs::Entity entity;
  std::string component;
  std::string field;
  std::string client;
  std::string server;
};

/// Bytes of a delta's body that does not fit a datagram (delta.hpp).
struct DeltaBody {
  std::uint32_t number = 0;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;  // bytes of the whole body, at most delta_body_bytes_max
  core::Bytes bytes;       // at least one
};

using Message = std::variant<Hello, Welcome, Names, Prototypes, PlayerEntity, RejoinTokens, ResourceRequest,
                             ResourcePart, Events, Level, MirrorHashes, MirrorCorrection, MirrorDifference, Closing,
                             CommandRefused, DeltaBody, PredictionReport, ResourceOffer, Follow, Visit, Forward>;

/// Encodes a message.
core::Bytes encode(const Message& message);

/// Decodes and checks a message. Errors: "malformed message", "unknown message".
core::Result<Message> decode_message(core::ByteView bytes);

}  // namespace mobula::wire
