// Facts of the operating system about this process. Callable on any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace mobula::server::api {

struct ProcessFacts {
  std::uint64_t resident_bytes = 0;
  double cpu_seconds = 0;
  std::uint64_t open_files = 0;
};
// Unavailable values are 0.
ProcessFacts process_facts();

/// Returns the version of Mobula, such as "0.2.0".
std::string_view version();

}  // namespace mobula::server::api
