// A compiled resource file: a level and the prefabs that may be spawned at run time, column-wise,
// after Bitsquid's "Building a data-oriented entity system, part 4".
//
// Two parts, one after the other: what clients may have, and what completes it on the server. Each is
//
//   0   "MOBR"
//   4   u32  format version
//   8   u64  payload size in bytes, a multiple of 16
//   16  BLAKE2b-256 of the payload: the identity
//   48  payload: FlatBuffers ResourceFile (schema/entity_resource.fbs), 16-aligned
//
// A column that both parts have is the server's there. A client has the first part alone, with the same entity indices.
//
// Immutable. Owns its bytes or maps its file; every view below points there and lives as long as the Resource.
// Loading checks everything once: whoever holds a Resource may index without asking.
#pragma once

#include <memory>
#include <mobula/core/bytes.hpp>
#include <mobula/core/content_hash.hpp>
#include <mobula/core/result.hpp>
#include <mobula/core/string_id.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/resource/file.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::resource {

inline constexpr std::uint32_t format_version = 2;
inline constexpr std::uint32_t no_parent = 0xffffffffu;

// Whom a part of a file is for.
enum class Audience : std::uint8_t { everyone, server };

struct ComponentKey {
  core::StringId32 type;
  core::StringId32 instance;
  auto operator<=>(const ComponentKey&) const = default;
};

// A place in a column's data where the handle of an entity of the same resource belongs.
struct Reference {
  std::uint32_t offset;  // bytes from the start of the column's data
  std::uint32_t target;  // entity index
  bool operator==(const Reference&) const = default;
};

// What an entity is called: below the entity that its path goes through, names are unique. "lane.7" is {lane, 8}.
struct EntityName {
  core::StringId32 name;
  std::uint32_t number = 0;  // one more than what stands after the dot; 0: no number
  bool operator==(const EntityName&) const = default;
};

// What never changes per instance and is shared by all that refer to it, by the hash of its content.
struct Static {
  std::uint64_t id = 0;
  core::StringId32 type;  // of what kind it is
  core::ByteView data;    // 16-aligned
};

// XXH3-64 of the data, seeded with the type: where there is the same thing there is the same id, on every machine.
std::uint64_t static_id(core::StringId32 type, core::ByteView data);

// All components of one (type, instance name).
struct Column {
  ComponentKey key;
  std::int32_t spawn_order = 0;
  std::uint32_t num_instances = 0;
  std::span<const std::uint32_t> entity_index;    // rising
  core::ByteView data;                            // 16-aligned
  std::vector<Reference> references;              // rising by offset
  const reflect::Component* component = nullptr;  // null: the data is what an own compiler made of it
};

// Entities as a level or a prefab has them; entity indices count from 0 within it.
struct EntityResource {
  std::uint32_t num_entities = 0;
  std::span<const std::uint32_t> parent_index;            // no_parent for roots; parents stand before children
  std::vector<std::span<const ComponentKey>> prototypes;  // canonical: sorted by (type, instance)
  std::span<const std::uint32_t> prototype_of;            // by entity
  std::vector<Column> columns;                            // by (spawn_order, type, instance)
  // Of whole files only; a client's copy has none.
  std::span<const EntityName> names;        // by entity
  std::span<const std::uint32_t> attached;  // rising: entities at the top of the paths that have a parent all the same
};

class Resource {
 public:
  // Reasons: "missing" (or not readable), "truncated", "foreign" (no resource file), "unsupported version",
  // "damaged" (not the bytes that were written), "invalid" (written by no compiler of ours).
  // Reads the file: what becomes of it later does not matter.
  static core::Result<std::shared_ptr<const Resource>> load(const std::string& path);
  // Maps the file, which must stay as it is while the Resource lives: for caches of files named by their content.
  static core::Result<std::shared_ptr<const Resource>> map(const std::string& path);
  static core::Result<std::shared_ptr<const Resource>> from_bytes(core::ByteView bytes);

  // The hash of the clients' part: equal identities, equal content.
  [[nodiscard]] const core::ContentHash& identity() const { return identity_; }
  // That of the server's part; zeros if there is none.
  [[nodiscard]] const core::ContentHash& server_identity() const { return server_identity_; }
  // Whether this is a whole file, not a client's copy.
  [[nodiscard]] bool complete() const { return server_identity_ != core::ContentHash{}; }
  [[nodiscard]] core::ByteView bytes() const { return bytes_.view(); }
  // The clients' part alone: a resource as well.
  [[nodiscard]] core::ByteView clients_bytes() const { return bytes_.view().first(clients_size_); }
  // What the file was compiled with.
  [[nodiscard]] const reflect::Schema& schema() const { return *schema_; }
  [[nodiscard]] const EntityResource& level() const { return level_; }
  // Null when the file has no spawnable prefab of the name.
  [[nodiscard]] const EntityResource* find_prefab(core::StringId32 name) const;
  // Names of the spawnable prefabs, rising.
  [[nodiscard]] const std::vector<core::StringId32>& prefab_names() const { return prefab_names_; }
  // Every text that was hashed, rising by hash.
  [[nodiscard]] const std::vector<std::string_view>& names() const { return names_; }
  // The text that was hashed, or nothing.
  [[nodiscard]] std::string_view name_of(core::StringId32 id) const;
  // Rising by id.
  [[nodiscard]] const std::vector<Static>& statics() const { return statics_; }
  // Null when there is none of the id.
  [[nodiscard]] const Static* find_static(std::uint64_t id) const;

 private:
  friend struct Loader;
  Resource() = default;
  static core::Result<std::shared_ptr<const Resource>> from(FileBytes bytes, const std::string& path);

  FileBytes bytes_;
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
