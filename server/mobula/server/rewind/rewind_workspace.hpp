// Memory of queries of the past. One for all views: its contents belong to the last one.
#pragma once

#include <cstdint>
#include <mobula/server/rewind/past_pictures.hpp>
#include <optional>
#include <vector>

namespace mobula::server {

struct RewindWorkspace {
  std::uint64_t views = 0;  // number of the newest view
  PictureWorkspace memory;
  std::optional<PastPictures> pictures;
  std::uint64_t pictures_of = 0;    // number of the view that they belong to
  std::vector<std::uint8_t> found;  // by slot of the bounds
  std::vector<ecs::Entity> candidates;
  std::vector<ecs::Entity> unbounded;  // drawn from states that the bounds do not have
  std::uint64_t unbounded_of = 0;      // number of the view that they belong to
};

}  // namespace mobula::server
