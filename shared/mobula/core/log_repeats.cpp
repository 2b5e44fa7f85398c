#include <algorithm>
#include <mobula/core/log_repeats.hpp>

namespace mobula::core {

LogRepeats::Kind* LogRepeats::find_or_make(LogLevel level, std::string_view module, std::string_view kind,
                                           Nanoseconds now) {
  const auto is_it = [&](const Kind& known) { return known.held.kind == kind && known.held.module == module; };
  if (latest_ < kinds_.size() && is_it(kinds_[latest_])) return &kinds_[latest_];
  const auto found = std::ranges::find_if(kinds_, is_it);
  if (found != kinds_.end()) {
    latest_ = static_cast<std::size_t>(found - kinds_.begin());
    return &*found;
  }
  if (kinds_.size() == kinds_max)
    std::erase_if(kinds_, [&](const Kind& known) { return known.held.lines == 0 && known.ends <= now; });
  if (kinds_.size() == kinds_max) return nullptr;
  return &kinds_.emplace_back(Kind{.held = {.level = level, .module = std::string(module), .kind = std::string(kind)}});
}

bool LogRepeats::admit(LogLevel level, std::string_view module, std::string_view kind, Nanoseconds now) {
  Kind* const known = find_or_make(level, module, kind, now);
  if (known == nullptr) return true;
  if (now >= known->ends) {
    known->ends = now + second;
    known->passed = 0;
  }
  if (known->passed < lines_per_second) {
    ++known->passed;
    return true;
  }
  ++known->held.lines;
  known->held.level = std::max(known->held.level, level);
  next_ = std::min(next_, known->ends);
  return false;
}

std::vector<LogRepeats::Held> LogRepeats::take_held(Nanoseconds now) {
  std::vector<Held> over;
  if (!has_held(now)) return over;
  next_ = never;
  for (Kind& kind : kinds_) {
    if (kind.held.lines == 0) continue;
    if (kind.ends > now) {
      next_ = std::min(next_, kind.ends);
      continue;
    }
    over.push_back(kind.held);
    kind.held.lines = 0;
  }
  return over;
}

}  // namespace mobula::core
