#include <algorithm>
#include <bots/ramp.hpp>
#include <cmath>
#include <mobula/core/format.hpp>
#include <mobula/core/from_chars.hpp>
#include <optional>

namespace mobula::client {
namespace {

constexpr core::Nanoseconds length_max = 1'000'000 * core::second;

// Part of a ramp's text. A climb has no number.
struct Written {
  std::optional<std::uint32_t> clients;
  core::Nanoseconds length = 0;
};

core::Error bad_ramp(std::string_view text, std::string_view why) {
  return {"bad ramp", core::format("'{}': {} (such as 30s, or 100@10s,500@30s)", text, why)};
}

core::Result<Written> parse_part(std::string_view text, std::uint32_t clients_max) {
  Written written;
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) {
    std::uint32_t clients = 0;
    const auto [end, error] = core::from_chars(text.data(), text.data() + at, clients);
    if (error != std::errc() || end != text.data() + at || clients > clients_max)
      return bad_ramp(text, core::format("expected a number of bots up to {} before the @", clients_max));
    written.clients = clients;
    text.remove_prefix(at + 1);
  }
  const core::Result<core::Nanoseconds> length = parse_length(text);
  if (!length) return bad_ramp(text, length.error().message);
  written.length = *length;
  return written;
}

core::Result<std::vector<Written>> parse_parts(std::string_view text, const RampLimits& limits) {
  const std::uint32_t most = limits.clients > 0 ? limits.clients : limits.clients_max;
  std::vector<Written> parts;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    const core::Result<Written> part = parse_part(text.substr(0, comma), most);
    if (!part) return part.error();
    parts.push_back(*part);
    if (parts.size() > ramp_steps_max)
      return core::Error{"bad ramp", core::format("more than {} steps", ramp_steps_max)};
    more = comma != std::string_view::npos;
    text.remove_prefix(more ? comma + 1 : text.size());
  }
  return parts;
}

std::uint32_t all_of(const std::vector<Written>& parts, const RampLimits& limits) {
  if (limits.clients > 0) return limits.clients;
  std::uint32_t greatest = 0;
  for (const Written& part : parts) greatest = std::max(greatest, part.clients.value_or(0));
  return greatest > 0 ? greatest : limits.clients_default;
}

}  // namespace

core::Result<core::Nanoseconds> parse_length(std::string_view text) {
  struct Unit {
    std::string_view name;
    core::Nanoseconds length;
  };
  constexpr Unit units[] = {
      {"ms", core::millisecond}, {"s", core::second}, {"m", 60 * core::second}, {"h", 3600 * core::second}};
  double number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = core::from_chars(text.data(), last, number, std::chars_format::fixed);
  const std::string_view unit(end, static_cast<std::size_t>(last - end));
  const auto found = std::ranges::find(units, unit, &Unit::name);
  if (error != std::errc() || found == std::end(units) || !std::isfinite(number) || number <= 0)
    return core::Error{"bad time", "expected a number with ms, s, m or h"};
  const double length = number * static_cast<double>(found->length);
  if (length > static_cast<double>(length_max)) return core::Error{"bad time", "at most a million seconds"};
  return static_cast<core::Nanoseconds>(length);
}

core::Result<Ramp> Ramp::parse(std::string_view text, const RampLimits& limits) {
  if (text.empty())
    return Ramp(limits.clients > 0 ? limits.clients : limits.clients_default,
                limits.length > 0 ? limits.length : limits.hold_default);
  const core::Result<std::vector<Written>> parts = parse_parts(text, limits);
  if (!parts) return parts.error();
  const std::uint32_t all = all_of(*parts, limits);
  std::vector<RampStep> steps;
  std::uint32_t before = 0;
  for (std::size_t i = 0; i < parts->size(); ++i) {
    const Written& part = (*parts)[i];
    const std::uint32_t next = i + 1 < parts->size() ? (*parts)[i + 1].clients.value_or(all) : all;
    const std::uint32_t to = part.clients.value_or(next);
    steps.push_back({part.clients ? to : before, to, part.length});
    before = to;
  }
  Ramp ramp(std::move(steps));
  if (parts->back().clients) {
    if (limits.length > 0 && limits.length != ramp.length())
      return bad_ramp(text, "a ramp that ends with a number of bots has its own length; omit --seconds");
    return ramp;
  }
  if (limits.length > 0 && limits.length < ramp.length()) return bad_ramp(text, "it takes longer than --seconds");
  const core::Nanoseconds rest = limits.length > 0 ? limits.length - ramp.length() : limits.hold_default;
  if (rest > 0) ramp.steps_.push_back({before, before, rest});
  return ramp;
}

core::Nanoseconds Ramp::length() const {
  core::Nanoseconds sum = 0;
  for (const RampStep& step : steps_) sum += step.length;
  return sum;
}

std::uint32_t Ramp::most() const {
  std::uint32_t most = 0;
  for (const RampStep& step : steps_) most = std::max({most, step.from, step.to});
  return most;
}

std::size_t Ramp::step_at(core::Nanoseconds elapsed) const {
  std::size_t i = 0;
  while (i + 1 < steps_.size() && elapsed >= steps_[i].length) elapsed -= steps_[i++].length;
  return i;
}

std::uint32_t Ramp::clients_at(core::Nanoseconds elapsed) const {
  std::size_t i = 0;
  while (i + 1 < steps_.size() && elapsed >= steps_[i].length) elapsed -= steps_[i++].length;
  const RampStep& step = steps_[i];
  const double share = std::clamp(static_cast<double>(elapsed) / static_cast<double>(step.length), 0.0, 1.0);
  const double difference = static_cast<double>(step.to) - static_cast<double>(step.from);
  return static_cast<std::uint32_t>(std::lround(static_cast<double>(step.from) + share * difference));
}

}  // namespace mobula::client
