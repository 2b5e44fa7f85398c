// Counters of Rewind.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace mobula::server {

struct RewindStats {
  std::uint64_t views = 0;                        ///< handed out
  std::map<std::string, std::uint64_t> refusals;  ///< claims, by reason
};

}  // namespace mobula::server
