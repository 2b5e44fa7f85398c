// The reliable messages as plain values. Decoding checks everything: what comes out is well
// formed, though not yet allowed or true.
#pragma once

#include <cstdint>
#include <mobula/core/bytes.hpp>
#include <mobula/core/content_hash.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/entity.hpp>
#include <mobula/ecs/entity_batch.hpp>
#include <mobula/ecs/pool.hpp>
#include <mobula/index/prototype_hash.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace mobula::wire {

// Raised whenever the meaning of any byte after the transport's own changes.
inline constexpr std::uint32_t protocol_version = 1;

// A mirror keeps some bytes for each index up to the highest it has seen.
inline constexpr std::uint32_t entities_max_limit = 1u << 22;
inline constexpr std::size_t max_text_bytes = 256;
inline constexpr std::size_t max_names = 4096;
inline constexpr std::size_t max_prototypes_per_message = 1024;
inline constexpr std::size_t max_components_per_prototype = 64;
inline constexpr std::size_t max_resources = 16;
inline constexpr std::size_t max_known_schemas = 16;
inline constexpr std::size_t max_resource_part_bytes = 64 * 1024;
inline constexpr std::size_t rejoin_token_bytes = 2048;
inline constexpr std::size_t max_rejoin_tokens = 4;
inline constexpr std::size_t max_events_per_message = 1024;
inline constexpr std::size_t max_event_bytes = 1024;  // unreliable ones: it fits into a datagram
inline constexpr std::size_t max_reliable_event_bytes = 16 * 1024;
inline constexpr std::size_t max_mirror_hashes = 1024;
inline constexpr std::size_t max_entity_words = 1u << 14;
inline constexpr std::uint32_t max_mirror_differences = 8;  // told of one entity

struct Hello {
  std::uint32_t version = protocol_version;
  std::optional<core::ContentHash> schema_fingerprint;
  std::string name;
  bool verify = false;
  std::vector<core::ContentHash> resources{};  // that the client has, at most max_resources
  std::vector<core::ContentHash> schemas{};
  bool resume = false;    // it comes back, and has kept its mirror
  bool spectate = false;  // to look on
};

struct Resource {
  core::ContentHash identity;
  std::uint64_t size = 0;  // bytes
};

struct Welcome {
  std::uint32_t session = 0;
  std::uint32_t ticks_per_second = 0;
  std::uint32_t entities_max = 0;
  core::ContentHash schema_fingerprint;
  core::Bytes schema;
  std::vector<Resource> resources;
  bool resumed = false;  // deltas go on from where they were
};

struct Level {
  core::ContentHash identity;
  ecs::EntityRange range;
  ecs::Tick tick = 0;
  core::Bytes present;  // a bit for each entity of the range
};

struct Names {
  std::vector<std::string> texts;
};

struct Prototype {
  std::uint32_t id = 0;
  std::uint64_t hash = 0;
  std::vector<index::ComponentRef> components;  // sorted, no two the same
};

struct Prototypes {
  std::vector<Prototype> prototypes;
};

struct PlayerEntity {
  ecs::Entity entity;  // null: a spectator's
};

// The server says goodbye in so many seconds.
struct Closing {
  std::uint32_t seconds = 0;
  std::string reason;
};

struct RejoinTokens {
  core::Bytes tokens;  // one after the other
};

struct ResourceRequest {
  core::ContentHash identity;
  std::uint64_t offset = 0;
};

struct ResourcePart {
  core::ContentHash identity;
  std::uint64_t offset = 0;
  core::Bytes bytes;  // at least one
};

struct Event {
  std::uint16_t sequence = 0;  // among all of the tick's events for this client, unreliable ones included
  ecs::Entity about;           // null: about no entity
  core::Bytes bytes;
};

struct Events {
  ecs::Tick tick = 0;
  std::vector<Event> events;  // at least one, by ascending sequence
};

struct MirrorHash {
  std::uint32_t place = 0;  // id, or index of what is as the level has it
  ecs::Entity entity;
  ecs::Tick tick = 0;
  std::uint64_t hash = 0;  // entity_hash.hpp
};

// All that a mirror has from place `first` on, below `end`.
struct MirrorHashes {
  bool of_level = false;
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  ecs::Tick tick = 0;
  std::vector<MirrorHash> hashes;  // by ascending place
};

enum class MirrorFault : std::uint8_t { values, unknown, missing };

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

struct MirrorDifference {
  ecs::Entity entity;
  std::string component;
  std::string field;
  std::string client;
  std::string server;
};

using Message = std::variant<Hello, Welcome, Names, Prototypes, PlayerEntity, RejoinTokens, ResourceRequest,
                             ResourcePart, Events, Level, MirrorHashes, MirrorCorrection, MirrorDifference, Closing>;

core::Bytes encode(const Message& message);

// Reasons: "malformed message", "unknown message".
core::Result<Message> decode_message(core::ByteView bytes);

}  // namespace mobula::wire
