// A level or prefab on its way from scene to file: columns that can still grow.
#pragma once

#include <map>
#include <mobula/resource/resource.hpp>
#include <tuple>
#include <vector>

namespace mobula::resource {

struct DraftColumn {
  std::vector<std::uint32_t> entity_index;
  core::Bytes data;
  std::vector<Reference> references;
};

struct Draft {
  // (spawn order, key): the order in which columns are written.
  using ColumnKey = std::pair<std::int32_t, ComponentKey>;

  std::vector<std::uint32_t> parent_index;
  std::vector<std::uint32_t> prototype_of;
  std::vector<std::vector<ComponentKey>> prototypes;
  std::map<ColumnKey, DraftColumn> columns;

  [[nodiscard]] std::uint32_t num_entities() const { return static_cast<std::uint32_t>(parent_index.size()); }
};

struct DraftFile {
  core::ByteView schema;
  std::map<core::StringId32, std::string> names;
  Draft level;
  std::map<core::StringId32, Draft> prefabs;  // spawnable ones
};

// The file's bytes: the same for the same draft.
core::Bytes write_resource(const DraftFile& file);

}  // namespace mobula::resource
