#include <algorithm>
#include <array>
#include <charconv>
#include <mobula/core/did_you_mean.hpp>
#include <mobula/core/format.hpp>
#include <mobula/transport/simulation/conditions_text.hpp>
#include <optional>
#include <span>

namespace mobula::transport {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t is;  // in the unit of NetworkConditions
};

// In rising order.
constexpr std::array<Unit, 4> durations{{{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}}};
constexpr std::array<Unit, 1> shares{{{"%", 10'000}}};
constexpr std::array<Unit, 4> rates{{{"B/s", 1}, {"KB/s", 1'000}, {"MB/s", 1'000'000}, {"GB/s", 1'000'000'000}}};
constexpr std::array<Unit, 1> counts{{{"", 1}}};

constexpr std::size_t digits_max = 18;  // fits 64 bits

// Parses a quantity: "1.5ms" is 1'500'000 ns. Returns nothing if it is malformed or not a whole number of base units.
// Zero needs no unit.
std::optional<std::uint64_t> parse_quantity(std::string_view text, std::span<const Unit> units) {
  const std::size_t whole = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string digits(text.substr(0, whole));
  text.remove_prefix(whole);
  std::size_t decimals = 0;
  if (!digits.empty() && text.starts_with('.')) {
    decimals = std::min(text.find_first_not_of("0123456789", 1), text.size()) - 1;
    if (decimals == 0) return std::nullopt;
    digits += text.substr(1, decimals);
    text.remove_prefix(1 + decimals);
  }
  if (digits.empty() || digits.size() > digits_max) return std::nullopt;
  std::uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (value == 0 && text.empty()) return 0;
  const auto unit = std::find_if(units.begin(), units.end(), [&](const Unit& each) { return each.name == text; });
  if (unit == units.end() || value > ~std::uint64_t{0} / unit->is) return std::nullopt;
  std::uint64_t parts = 1;
  for (std::size_t i = 0; i < decimals; ++i) parts *= 10;
  return value * unit->is % parts == 0 ? std::optional(value * unit->is / parts) : std::nullopt;
}

// Formats a value in the largest unit that needs no fraction. If there is only one unit, a fraction is written.
std::string quantity_text(std::uint64_t value, std::span<const Unit> units) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < units.size(); ++i)
    if (value % units[i].is == 0) best = i;
  const Unit& unit = units[best];
  std::string text = core::format("{}", value / unit.is);
  if (value % unit.is != 0) {
    std::string decimals = core::format("{}", unit.is + value % unit.is).substr(1);
    decimals.erase(decimals.find_last_not_of('0') + 1);
    text += '.' + decimals;
  }
  return text.append(unit.name);
}

// One number of the conditions: units, range and accessors.
struct Field {
  std::span<const Unit> units;
  std::uint64_t least;
  std::uint64_t most;
  std::uint64_t (*get)(const NetworkConditions&);
  void (*set)(NetworkConditions&, std::uint64_t);
};

template <auto member>
constexpr Field field(std::span<const Unit> units, std::uint64_t least, std::uint64_t most) {
  return {units, least, most,
          [](const NetworkConditions& conditions) { return static_cast<std::uint64_t>(conditions.*member); },
          [](NetworkConditions& conditions, std::uint64_t value) {
            using Member = std::remove_reference_t<decltype(conditions.*member)>;
            conditions.*member = static_cast<Member>(value);
          }};
}
template <auto member>
constexpr Field duration() {
  return field<member>(durations, 0, 60 * static_cast<std::uint64_t>(core::second));
}
template <auto member>
constexpr Field share() {
  return field<member>(shares, 0, 1'000'000);
}

// One key and its fields, separated by colons. Fields from `needed` on are optional.
struct Key {
  std::string_view name;
  std::string_view expected;
  std::size_t needed;
  std::span<const Field> fields;
};

using C = NetworkConditions;
constexpr Field latency[] = {duration<&C::latency>()};
constexpr Field jitter[] = {duration<&C::jitter>()};
constexpr Field loss[] = {share<&C::loss_ppm>()};
constexpr Field dup[] = {share<&C::duplicate_ppm>()};
constexpr Field reorder[] = {share<&C::reorder_ppm>()};
constexpr Field corrupt[] = {share<&C::corrupt_ppm>()};
constexpr Field burst_fields[] = {share<&C::burst_ppm>(), field<&C::burst_length>(counts, 1, 100'000),
                                  share<&C::burst_loss_ppm>()};
constexpr Field bandwidth[] = {field<&C::bandwidth_bytes_per_second>(rates, 1, 100'000'000'000)};
constexpr Field queue[] = {duration<&C::queue>()};

constexpr std::string_view a_time = "a time such as 80ms or 1.5s, up to 60s";
constexpr std::string_view a_share = "a share such as 5% or 0.1%, up to 100%";
constexpr std::array<Key, 9> keys{{
    {"latency", a_time, 1, latency},
    {"jitter", a_time, 1, jitter},
    {"loss", a_share, 1, loss},
    {"dup", a_share, 1, dup},
    {"reorder", a_share, 1, reorder},
    {"corrupt", a_share, 1, corrupt},
    {"burst", "SHARE:LENGTH[:LOSS], such as 1%:5 or 1%:5:80%", 2, burst_fields},
    {"bandwidth", "a rate such as 256KB/s, from 1B/s to 100GB/s", 1, bandwidth},
    {"queue", a_time, 1, queue},
}};

std::string names_of_keys() {
  std::string text;
  for (const Key& key : keys) text.append(text.empty() ? "" : ", ").append(key.name);
  return text;
}

core::Error unknown_key(std::string_view name) {
  std::array<std::string_view, keys.size()> names;
  std::transform(keys.begin(), keys.end(), names.begin(), [](const Key& key) { return key.name; });
  return {"unknown key",
          core::format("unknown condition '{}'{}; known: {}", name, core::did_you_mean(name, names), names_of_keys())};
}

bool parse_fields(std::string_view text, const Key& key, NetworkConditions& conditions) {
  for (std::size_t i = 0; i < key.fields.size(); ++i) {
    const Field& field = key.fields[i];
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::optional<std::uint64_t> value = parse_quantity(text.substr(0, colon), field.units);
    if (!value || *value < field.least || *value > field.most) return false;
    field.set(conditions, *value);
    if (colon == text.size()) return i + 1 >= key.needed;
    text.remove_prefix(colon + 1);
  }
  return false;  // too many fields
}

std::string fields_text(const Key& key, const NetworkConditions& conditions) {
  const NetworkConditions perfect;
  std::string text;
  for (std::size_t i = 0; i < key.fields.size(); ++i) {
    const Field& field = key.fields[i];
    const std::uint64_t value = field.get(conditions);
    if (i >= key.needed && value == field.get(perfect)) break;
    text.append(i > 0 ? ":" : "").append(quantity_text(value, field.units));
  }
  return text;
}

}  // namespace

core::Result<NetworkConditions> parse_conditions(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  NetworkConditions conditions;
  std::array<bool, keys.size()> given{};
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    if (text.empty()) return conditions;
    const std::string_view word = text.substr(0, text.find_first_of(blanks));
    text.remove_prefix(word.size());
    const std::string_view name = word.substr(0, word.find('='));
    const auto key = std::find_if(keys.begin(), keys.end(), [&](const Key& each) { return each.name == name; });
    if (key == keys.end()) return unknown_key(name);
    if (std::exchange(given[static_cast<std::size_t>(key - keys.begin())], true))
      return core::Error{"given twice", core::format("the condition '{}' is given twice", name)};
    const std::string_view value = word.substr(std::min(name.size() + 1, word.size()));
    if (!parse_fields(value, *key, conditions))
      return core::Error{"bad value", core::format("{}={}: expected {}", name, value, key->expected)};
  }
}

std::string to_string(const NetworkConditions& conditions) {
  const NetworkConditions perfect;
  std::string text;
  for (const Key& key : keys) {
    const bool differs = std::any_of(key.fields.begin(), key.fields.end(),
                                     [&](const Field& each) { return each.get(conditions) != each.get(perfect); });
    if (differs) text += core::format("{}{}={}", text.empty() ? "" : " ", key.name, fields_text(key, conditions));
  }
  return text;
}

}  // namespace mobula::transport
