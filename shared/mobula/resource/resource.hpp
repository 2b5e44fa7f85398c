// Compiled resource file: a level and its spawnable prefabs, column-wise, after Bitsquid's "Building a data-oriented
// entity system, part 4". Two parts, one after the other: the clients' part, and the part that completes it on the
// server. Layout of each:
//
//   0   "MOBR"
//   4   u32  format version
//   8   u64  payload size in bytes, a multiple of 16
//   16  BLAKE2b-256 of the payload: the identity
//   48  payload: FlatBuffers ResourceFile (schema/entity_resource.fbs), 16-aligned
// A column in both parts has its server version in the second. A client has the first part alone, with equal entity
// indices. Immutable. Owns its bytes or maps its file; all views point there and are valid as long as the Resource.
// Loading checks everything once, so users may index without checks.
#pragma once

#include <memory>
#include <mobula/core/bytes.hpp>
#include <mobula/core/content_hash.hpp>
#include <mobula/core/result.hpp>
#include <mobula/core/shared_bytes.hpp>
#include <mobula/core/string_id.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/resource/static.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::resource {

inline constexpr std::uint32_t format_version = 2;
inline constexpr std::uint32_t no_parent = 0xffffffffu;

/// Audience of a part of a file.
enum class Audience : std::uint8_t { everyone, server };

/// Identity of a column: component type and instance name.
struct ComponentKey {
  core::StringId32 type;
  core::StringId32 instance;
  auto operator<=>(const ComponentKey&) const = default;
};

/// Place in a column's data for the handle of an entity of the same resource.
struct Reference {
  std::uint32_t offset;  // bytes from the start of the column's data
  std::uint32_t target;  // entity index
  bool operator==(const Reference&) const = default;
};

/// Name of an entity, unique among its siblings in the paths. "lane.7" is {lane, 8}.
struct EntityName {
  core::StringId32 name;
  std::uint32_t number = 0;  // number after the dot plus one; 0 without a number
  bool operator==(const EntityName&) const = default;
};

/// All components of one (type, instance name).
struct Column {
  ComponentKey key;
  std::int32_t spawn_order = 0;
  std::uint32_t num_instances = 0;
  std::span<const std::uint32_t> entity_index;    // rising
  core::ByteView data;                            // 16-aligned
  std::vector<Reference> references;              // rising by offset
  const reflect::Component* component = nullptr;  // null if the data is the format of a game's own compiler
};

/// Entities of a level or prefab; entity indices count from 0 within it.
struct EntityResource {
  std::uint32_t num_entities = 0;
  std::span<const std::uint32_t> parent_index;            // no_parent for roots; parents stand before children
  std::vector<std::span<const ComponentKey>> prototypes;  // canonical: sorted by (type, instance)
  std::span<const std::uint32_t> prototype_of;            // by entity
  std::vector<Column> columns;                            // by (spawn_order, type, instance)
  // In complete files only; empty in a client's copy.
  std::span<const EntityName> names;        // by entity
  std::span<const std::uint32_t> attached;  // ascending; entities at the top of the paths that have a parent
};

class Resource {
 public:
  /// Copies the bytes of a file. Errors: "too large", "truncated", "foreign" (not a resource file), "unsupported
  /// version", "damaged" (hash mismatch), "invalid" (not written by this compiler).
  static core::Result<std::shared_ptr<const Resource>> from_bytes(core::ByteView bytes);
  /// Keeps the bytes, which are aligned to 16 and do not change. Errors: those of from_bytes.
  static core::Result<std::shared_ptr<const Resource>> from_shared(core::SharedBytes bytes);

  /// Returns the hash of the clients' part.
  [[nodiscard]] const core::ContentHash& identity() const { return identity_; }
  /// Returns the hash of the server's part, zeros without one.
  [[nodiscard]] const core::ContentHash& server_identity() const { return server_identity_; }
  /// Returns whether this is a complete file, not a client's copy.
  [[nodiscard]] bool complete() const { return server_identity_ != core::ContentHash{}; }
  /// Returns all bytes of the file.
  [[nodiscard]] core::ByteView bytes() const { return bytes_.view; }
  /// Returns the bytes of the clients' part, which is a resource of its own.
  [[nodiscard]] core::ByteView clients_bytes() const { return bytes_.view.first(clients_size_); }
  /// Returns the schema that the file was compiled with.
  [[nodiscard]] const reflect::Schema& schema() const { return *schema_; }
  [[nodiscard]] const EntityResource& level() const { return level_; }
  /// Returns a spawnable prefab, null if there is none of the name.
  [[nodiscard]] const EntityResource* find_prefab(core::StringId32 name) const;
  /// Returns the names of the spawnable prefabs, ascending.
  [[nodiscard]] const std::vector<core::StringId32>& prefab_names() const { return prefab_names_; }
  /// Returns every hashed text, ascending by hash.
  [[nodiscard]] const std::vector<std::string_view>& names() const { return names_; }
  /// Returns the text of a hash, or nothing.
  [[nodiscard]] std::string_view name_of(core::StringId32 id) const;
  /// Returns all static resources, ascending by id.
  [[nodiscard]] const std::vector<Static>& statics() const { return statics_; }
  /// Returns a static resource, null if there is none of the id.
  [[nodiscard]] const Static* find_static(std::uint64_t id) const;
  /// Returns the static resource of a type: the one with the least id. Null if there is none.
  [[nodiscard]] const Static* find_static_of(core::StringId32 type) const;

 private:
  friend struct Loader;
  Resource() = default;

  core::SharedBytes bytes_;
  std::size_t clients_size_ = 0;  // bytes of the clients' part
  core::ContentHash identity_;
  core::ContentHash server_identity_;
  std::shared_ptr<const reflect::Schema> schema_;
  EntityResource level_;
  std::vector<core::StringId32> prefab_names_;
  std::vector<EntityResource> prefabs_;     // beside prefab_names_
  std::vector<core::StringId32> name_ids_;  // rising
  std::vector<std::string_view> names_;     // beside name_ids_
  std::vector<Static> statics_;
};

}  // namespace mobula::resource
