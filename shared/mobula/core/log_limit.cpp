#include <mobula/core/format.hpp>
#include <mobula/core/log_limit.hpp>
#include <utility>

namespace mobula::core {

bool LogLimit::admit(Nanoseconds now) {
  const bool admitted = lines_.admit(now);
  skipped_ += admitted ? 0 : 1;
  return admitted;
}

std::string LogLimit::more() {
  const std::uint64_t skipped = std::exchange(skipped_, 0);
  return skipped == 0 ? std::string() : core::format(" (and {} more like it)", skipped);
}

}  // namespace mobula::core
