#include <algorithm>
#include <bots/limit.hpp>
#include <cmath>
#include <mobula/core/format.hpp>
#include <mobula/core/from_chars.hpp>
#include <mobula/core/text.hpp>

namespace mobula::client {
namespace {

struct Operator {
  std::string_view sign;
  BotsLimit::Comparison comparison;
  bool (*holds)(double value, double bound);
};
constexpr Operator operators[] = {
    {"<=", BotsLimit::Comparison::at_most, [](double value, double bound) { return value <= bound; }},
    {"<", BotsLimit::Comparison::below, [](double value, double bound) { return value < bound; }},
    {">=", BotsLimit::Comparison::at_least, [](double value, double bound) { return value >= bound; }},
    {">", BotsLimit::Comparison::above, [](double value, double bound) { return value > bound; }},
    {"==", BotsLimit::Comparison::equal, [](double value, double bound) { return value == bound; }},
};

const Operator& operator_of(BotsLimit::Comparison comparison) {
  return *std::ranges::find(operators, comparison, &Operator::comparison);
}

std::string number_text(double value) {
  if (std::isnan(value)) return "nothing was measured";
  return value == std::floor(value) && std::abs(value) < 1e15 ? core::format("{:.0f}", value)
                                                              : core::format("{:.3f}", value);
}

}  // namespace

core::Result<BotsLimit> parse_limit(std::string_view text) {
  constexpr double bound_max = 1e15;  // charts scale to it
  constexpr std::string_view signs = "<>=!~";
  const std::size_t begin = std::min(text.find_first_of(signs), text.size());
  const std::size_t end = std::min(text.find_first_not_of(signs, begin), text.size());
  const std::string_view name = core::trimmed(text.substr(0, begin));
  const std::string_view sign = text.substr(begin, end - begin);
  const std::string_view bound = core::trimmed(text.substr(end));
  const auto found = std::ranges::find(operators, sign, &Operator::sign);
  if (found == std::end(operators))
    return core::Error{"bad comparison",
                       core::format("'{}': expected <=, <, >=, > or == between a measure and a number, such as "
                                    "p99_interval_ms<=100",
                                    text)};
  if (!is_measure(name))
    return core::Error{"unknown measure", core::format("no measure is called '{}'{}; --list-measures shows all", name,
                                                       nearest_measure(name))};
  BotsLimit limit{std::string(name), found->comparison, 0};
  const auto [last, error] = core::from_chars(bound.data(), bound.data() + bound.size(), limit.bound);
  if (error != std::errc() || last != bound.data() + bound.size() || !(std::abs(limit.bound) <= bound_max))
    return core::Error{"bad number", core::format("'{}': '{}' is not a number", text, bound)};
  return limit;
}

std::string to_string(const BotsLimit& limit) {
  return core::format("{}{}{}", limit.measure, operator_of(limit.comparison).sign, limit.bound);
}

std::vector<BotsLimit> limits_of(const std::vector<BotsLimit>& required, std::uint32_t clients, bool verifies) {
  using enum BotsLimit::Comparison;
  std::vector<BotsLimit> limits{
      {"joined", at_least, static_cast<double>(clients)}, {"lost", at_most, 0}, {"mismatches", at_most, 0}};
  if (verifies) limits.push_back({"verified_ticks", at_least, 1});
  std::erase_if(limits, [&](const BotsLimit& limit) {
    return std::ranges::find(required, limit.measure, &BotsLimit::measure) != required.end();
  });
  limits.insert(limits.end(), required.begin(), required.end());
  return limits;
}

std::vector<LimitVerdict> judge(const BotsReport& report, const std::vector<BotsLimit>& limits) {
  std::vector<LimitVerdict> verdicts;
  for (const BotsLimit& limit : limits) {
    const double value = measure(report, limit.measure).value_or(std::nan(""));
    verdicts.push_back({limit, value, operator_of(limit.comparison).holds(value, limit.bound)});
  }
  return verdicts;
}

bool all_met(const std::vector<LimitVerdict>& verdicts) { return std::ranges::all_of(verdicts, &LimitVerdict::met); }

std::string to_table(const std::vector<LimitVerdict>& verdicts) {
  std::string table;
  for (const LimitVerdict& each : verdicts)
    table +=
        core::format("{}  {}: {}\n", each.met ? "met    " : "NOT MET", to_string(each.limit), number_text(each.value));
  return table;
}

}  // namespace mobula::client
