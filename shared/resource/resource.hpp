// A compiled resource file: a level and the prefabs that may be spawned at run time, column-wise,
// after Bitsquid's "Building a data-oriented entity system, part 4".
//
//   0   "MOBR"
//   4   u32  format version
//   8   u64  payload size in bytes
//   16  BLAKE2b-256 of the payload: the identity
//   48  payload: FlatBuffers ResourceFile (schema/entity_resource.fbs), 16-aligned
//
// Immutable. Owns its bytes; every view below points into them and lives as long as the Resource.
// Loading checks everything once: whoever holds a Resource may index without asking.
#pragma once

#include <memory>
#include <mobula/core/bytes.hpp>
#include <mobula/core/content_hash.hpp>
#include <mobula/core/result.hpp>
#include <mobula/core/string_id.hpp>
#include <mobula/reflect/schema.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::resource {

inline constexpr std::uint32_t format_version = 1;
inline constexpr std::uint32_t no_parent = 0xffffffffu;

struct ComponentKey {
  core::StringId32 type;
  core::StringId32 instance;
  auto operator<=>(const ComponentKey&) const = default;
};

// A place in a column's data where the handle of an entity of the same resource belongs.
struct Reference {
  std::uint32_t offset;  // bytes from the start of the column's data
  std::uint32_t target;  // entity index
};

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
};

class Resource {
 public:
  // Reasons: "missing" (or not readable), "truncated", "foreign" (no resource file), "unsupported version",
  // "damaged" (not the bytes that were written), "invalid" (written by no compiler of ours).
  static core::Result<std::shared_ptr<const Resource>> load(const std::string& path);
  static core::Result<std::shared_ptr<const Resource>> from_bytes(core::ByteView bytes);

  // The payload's hash: equal identities, equal content.
  [[nodiscard]] const core::ContentHash& identity() const { return identity_; }
  [[nodiscard]] core::ByteView bytes() const { return bytes_; }
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

 private:
  friend struct Loader;
  Resource() = default;

  core::Bytes bytes_;  // operator new aligns to 16
  core::ContentHash identity_;
  std::shared_ptr<const reflect::Schema> schema_;
  EntityResource level_;
  std::vector<core::StringId32> prefab_names_;
  std::vector<EntityResource> prefabs_;     // beside prefab_names_
  std::vector<core::StringId32> name_ids_;  // rising
  std::vector<std::string_view> names_;     // beside name_ids_
};

}  // namespace mobula::resource
