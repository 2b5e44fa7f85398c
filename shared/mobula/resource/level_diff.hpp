// Comparison of two versions of a level. Entities are identified by their paths.
#pragma once

#include <mobula/resource/resource.hpp>
#include <vector>

namespace mobula::resource {

/// Match of an entity of the new level.
struct LevelMatch {
  std::uint32_t old = no_parent;  // old entity with its path; no_parent without one
  bool unchanged = false;         // equal components, values, parent and references, for it and all its ancestors
};

/// Compares two complete files; a client's copy has no names. With different schemas every entity counts as changed.
/// Content is compared by 64-bit hashes.
std::vector<LevelMatch> match_levels(const Resource& before, const Resource& after);

}  // namespace mobula::resource
