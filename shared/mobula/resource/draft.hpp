// A resource before its file: columns that can still grow.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <mobula/resource/resource.hpp>
#include <string>
#include <utility>
#include <vector>

namespace mobula::resource {

struct DraftColumn {
  std::vector<std::uint32_t> entity_index;
  std::vector<std::uint32_t> row_begin;  // offset of each instance in data
  core::Bytes data;
  std::vector<Reference> references;
  std::vector<bool> server_only;  // by instance
};

/// Checks that two columns, of files or drafts, have the same instances: the same entities, bytes and references.
template <class A, class B>
bool same_instances(const A& a, const B& b) {
  return std::ranges::equal(a.entity_index, b.entity_index) && std::ranges::equal(a.data, b.data) &&
         a.references == b.references;
}

/// A level or prefab.
struct Draft {
  // (spawn order, key), the order in which columns are written.
  using ColumnKey = std::pair<std::int32_t, ComponentKey>;
  using Columns = std::map<ColumnKey, DraftColumn>;

  std::vector<std::uint32_t> parent_index;
  std::vector<EntityName> names;
  std::vector<std::uint32_t> attached;
  std::vector<std::uint32_t> prototype_of;
  std::vector<std::vector<ComponentKey>> prototypes;
  Columns columns;
  std::array<Columns, 2> ready;  // by audience; raw columns from the source, each for one part

  [[nodiscard]] std::uint32_t num_entities() const { return static_cast<std::uint32_t>(parent_index.size()); }
};

/// One of the two parts of a file.
struct DraftPart {
  std::map<core::StringId32, std::string> names;
  std::map<std::uint64_t, Static> statics;
  Draft level;
  std::map<core::StringId32, Draft> prefabs;  // spawnable ones
};

struct DraftFile {
  core::ByteView schema;
  DraftPart clients;
  DraftPart server;  // columns that differ from the clients'
};

/// Returns the bytes of a clients' part, which is a complete file for a client. The same draft makes the same bytes.
core::Bytes write_clients_part(core::ByteView schema, const DraftPart& part);
/// Returns the file's bytes. The same draft makes the same bytes.
core::Bytes write_resource(const DraftFile& file);

}  // namespace mobula::resource
