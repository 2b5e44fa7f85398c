#include <algorithm>
#include <mobula/core/hash.hpp>
#include <mobula/resource/level_diff.hpp>
#include <unordered_map>

namespace mobula::resource {
namespace {

template <class T>
std::uint64_t mix(std::uint64_t hash, const T& value) {
  static_assert(std::has_unique_object_representations_v<T>);
  return core::hash64(core::as_bytes(&value, 1), hash);
}

// Returns a hash of each entity's path. Parents precede children.
std::vector<std::uint64_t> hash_paths(const EntityResource& level) {
  std::vector<std::uint64_t> paths(level.num_entities);
  for (std::uint32_t i = 0; i < level.num_entities; ++i) {
    const bool attached = std::ranges::binary_search(level.attached, i);
    const std::uint32_t above = attached ? no_parent : level.parent_index[i];
    paths[i] = mix(above == no_parent ? 0 : paths[above], level.names[i]);
  }
  return paths;
}

// Hashes a raw column. Its instances have no known boundaries, so a change marks all of its entities as changed.
void add_raw_column(const Column& column, const std::vector<std::uint64_t>& paths, std::vector<std::uint64_t>& hashes) {
  std::uint64_t hash = core::hash64(column.data, mix(0, column.key));
  for (const std::uint32_t entity : column.entity_index) hash = mix(hash, paths[entity]);
  for (const Reference& reference : column.references) hash = mix(mix(hash, reference.offset), paths[reference.target]);
  for (const std::uint32_t entity : column.entity_index) hashes[entity] = mix(hashes[entity], hash);
}

void add_column(const Column& column, const std::vector<std::uint64_t>& paths, std::vector<std::uint64_t>& hashes) {
  const std::uint32_t size = column.component->size;
  std::size_t reference = 0;
  for (std::uint32_t i = 0; i < column.num_instances; ++i) {
    std::uint64_t& hash = hashes[column.entity_index[i]];
    hash = core::hash64(column.data.subspan(std::size_t{i} * size, size), mix(hash, column.key));
    for (; reference < column.references.size() && column.references[reference].offset < (i + 1) * size; ++reference)
      hash = mix(mix(hash, column.references[reference].offset - i * size), paths[column.references[reference].target]);
  }
}

// Returns a hash of each entity's components, without its name.
std::vector<std::uint64_t> hash_contents(const EntityResource& level, const std::vector<std::uint64_t>& paths) {
  std::vector<std::uint64_t> hashes(level.num_entities);
  for (std::uint32_t i = 0; i < level.num_entities; ++i)
    hashes[i] = mix(0, level.parent_index[i] == no_parent ? 0 : paths[level.parent_index[i]]);
  for (const Column& column : level.columns)
    column.component == nullptr ? add_raw_column(column, paths, hashes) : add_column(column, paths, hashes);
  return hashes;
}

}  // namespace

std::vector<LevelMatch> match_levels(const Resource& before, const Resource& after) {
  MOBULA_ASSERT(before.complete() && after.complete(), "a client's copy lacks the names of its entities");
  const std::vector<std::uint64_t> old_paths = hash_paths(before.level());
  const std::vector<std::uint64_t> paths = hash_paths(after.level());
  const std::vector<std::uint64_t> old_contents = hash_contents(before.level(), old_paths);
  const std::vector<std::uint64_t> contents = hash_contents(after.level(), paths);
  const bool comparable = before.schema().fingerprint() == after.schema().fingerprint();
  std::unordered_map<std::uint64_t, std::uint32_t> by_path;
  for (std::uint32_t i = 0; i < old_paths.size(); ++i) by_path.emplace(old_paths[i], i);
  std::vector<LevelMatch> matches(paths.size());
  for (std::uint32_t i = 0; i < paths.size(); ++i) {
    const auto found = by_path.find(paths[i]);
    if (found == by_path.end()) continue;
    const std::uint32_t parent = after.level().parent_index[i];
    const bool above = parent == no_parent || matches[parent].unchanged;
    matches[i] = {found->second, comparable && above && contents[i] == old_contents[found->second]};
    by_path.erase(found);  // an old entity matches at most one new one, even in an invalid file
  }
  return matches;
}

}  // namespace mobula::resource
