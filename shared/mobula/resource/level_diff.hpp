// What a new version of a level has kept of an old one. Entities are known by their paths.
#pragma once

#include <mobula/resource/resource.hpp>
#include <vector>

namespace mobula::resource {

// By entity of the new level.
struct LevelMatch {
  std::uint32_t old = no_parent;  // the entity that had its path; no_parent: there was none
  bool unchanged = false;         // the same components, values, parent and references, and so all above it
};

// Nothing is unchanged between levels of different schemas. Whole files only: a client's copy has no names. Content is
// compared by hashes of 64 bits.
std::vector<LevelMatch> match_levels(const Resource& before, const Resource& after);

}  // namespace mobula::resource
