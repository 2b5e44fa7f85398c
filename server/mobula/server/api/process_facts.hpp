// What the operating system knows of this process. Any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace mobula::server::api {

struct ProcessFacts {
  std::uint64_t resident_bytes = 0;
  double cpu_seconds = 0;
  std::uint64_t open_files = 0;
};
// What cannot be found out is 0.
ProcessFacts process_facts();

// Mobula's, such as "0.1.0".
std::string_view version();

}  // namespace mobula::server::api
