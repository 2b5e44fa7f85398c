#include <mobula/core/format.hpp>
#include <mobula/core/log_limit.hpp>
#include <utility>

namespace mobula::core {

bool LogLimit::admit(Nanoseconds now) {
  if (now >= second_ends_) {
    second_ends_ = now + second;
    lines_ = 0;
  }
  if (lines_ == lines_per_second_) {
    ++skipped_;
    return false;
  }
  ++lines_;
  return true;
}

std::string LogLimit::more() {
  const std::uint64_t skipped = std::exchange(skipped_, 0);
  return skipped == 0 ? std::string() : format(" (and {} more like it)", skipped);
}

}  // namespace mobula::core
