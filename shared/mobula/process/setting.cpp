#include <algorithm>
#include <cmath>
#include <mobula/core/format.hpp>
#include <mobula/core/from_chars.hpp>
#include <mobula/core/overloaded.hpp>
#include <mobula/core/text.hpp>
#include <mobula/process/setting.hpp>

namespace mobula::process {
namespace {

constexpr std::size_t shown_value_bytes = 60;  // length of an invalid value in a message

// Type of a setting's value. Integers of all sizes are one kind.
enum class Kind { boolean, whole, real, text, list };

Kind kind_of(const Setting& setting) {
  return std::visit(
      core::Overloaded{[](const bool*) { return Kind::boolean; }, [](const double*) { return Kind::real; },
                       [](const std::string*) { return Kind::text; },
                       [](const std::vector<std::string>*) { return Kind::list; },
                       [](const auto*) { return Kind::whole; }},
      setting.target);
}

bool is_key(std::string_view text) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz";
  return !text.empty() && letters.find(text[0]) != std::string_view::npos &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

const char* expected(Kind kind) {
  switch (kind) {
    case Kind::boolean: return "true or false";
    case Kind::whole: return "a whole number";
    case Kind::real: return "a number";
    case Kind::text: return "a text in quotes";
    case Kind::list: break;
  }
  return "a list of texts, such as [\"a\", \"b\"]";
}

const char* name_of(const SettingValue& value) {
  constexpr const char* names[] = {"a boolean", "a whole number", "a number with a fraction", "a text", "a list"};
  return names[value.index()];
}

struct Bounds {
  double least;
  double most;
};

template <class Number>
Bounds bounds_of_type() {
  // A file holds signed 64-bit integers.
  const auto most = std::min<std::uint64_t>(static_cast<std::uint64_t>(std::numeric_limits<Number>::max()),
                                            std::numeric_limits<std::int64_t>::max());
  return {static_cast<double>(std::numeric_limits<Number>::lowest()), static_cast<double>(most)};
}

Bounds bounds_of(const Setting& setting) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Bounds type =
      std::visit(core::Overloaded{[](const std::uint16_t*) { return bounds_of_type<std::uint16_t>(); },
                                  [](const std::uint32_t*) { return bounds_of_type<std::uint32_t>(); },
                                  [](const std::uint64_t*) { return bounds_of_type<std::uint64_t>(); },
                                  [](const std::int64_t*) { return bounds_of_type<std::int64_t>(); },
                                  [](const std::optional<std::uint16_t>*) { return bounds_of_type<std::uint16_t>(); },
                                  [](const auto*) { return Bounds{-infinity, infinity}; }},
                 setting.target);
  return {std::max(type.least, setting.rules.least), std::min(type.most, setting.rules.most)};
}

constexpr double shown_bound_max = 1ull << 62;  // larger bounds are not shown

std::string number_text(double number) {
  const bool whole = std::trunc(number) == number && std::abs(number) < shown_bound_max;
  return whole ? core::format("{}", static_cast<std::int64_t>(number)) : core::format("{}", number);
}

std::string quoted_value(std::string_view text) { return "'" + core::shown(text, shown_value_bytes) + "'"; }

// `beyond` is the text for a setting without a greatest value.
core::Error out_of_range(const Bounds& bounds, std::string_view text, const std::string& beyond) {
  if (bounds.most > shown_bound_max) return {"out of range", core::format("{} {}", text, beyond)};
  return {"out of range",
          core::format("{} is not within {} to {}", text, number_text(bounds.least), number_text(bounds.most))};
}

core::Status check_number(const Setting& setting, double number, const std::string& text) {
  const Bounds bounds = bounds_of(setting);
  if (std::isnan(number)) return core::Error{"out of range", "not a number"};
  if (number >= bounds.least && number <= bounds.most) return core::Done{};
  return out_of_range(bounds, text, "is less than " + number_text(bounds.least));
}

core::Status check_text(const Setting& setting, const std::string& text) {
  if (!core::is_utf8(text) || text.find('\0') != std::string::npos)
    return core::Error{"not text", core::format("{} is not UTF-8 text", quoted_value(text))};
  return setting.rules.check ? setting.rules.check(text) : core::Status(core::Done{});
}

core::Status check_texts(const Setting& setting, const std::vector<std::string>& items) {
  for (const std::string& item : items)
    if (core::Status checked = check_text(setting, item); !checked) return checked;
  return core::Done{};
}

// Returns the least value of a setting that its type has.
template <class Number>
std::string least_text(double least) {
  constexpr Number lowest = std::numeric_limits<Number>::lowest();
  return least > static_cast<double>(lowest) ? number_text(least) : core::format("{}", lowest);
}

template <class Number>
core::Result<SettingValue> read_number(const Setting& setting, Kind kind, std::string_view text) {
  Number number{};
  const auto [end, failed] = core::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole_text = end == text.data() + text.size();
  if (failed == std::errc::result_out_of_range && whole_text)
    return out_of_range(bounds_of(setting), quoted_value(text),
                        core::format("is not within {} to {}", least_text<Number>(bounds_of(setting).least),
                                     std::numeric_limits<Number>::max()));
  if (failed != std::errc() || !whole_text || !std::isfinite(static_cast<double>(number)))
    return core::Error{"wrong type", core::format("{} is not {}", quoted_value(text), expected(kind))};
  return SettingValue(number);
}

core::Result<SettingValue> read_list(std::string_view text) {
  std::vector<std::string> items;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    items.emplace_back(text.substr(0, comma));
    if (items.back().empty()) return core::Error{"wrong type", "a list item is empty"};
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  return SettingValue(std::move(items));
}

std::string toml_number(double number) {
  std::string text = core::format("{}", number);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string toml_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      result += core::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    else
      result += c;
  }
  return result + '"';
}

std::string toml_list(const std::vector<std::string>& items) {
  std::string result = "[";
  for (const std::string& item : items) result += (result.size() > 1 ? ", " : "") + toml_text(item);
  return result + ']';
}

std::string renamed(std::string_view prefix, std::string_view key, char joint, bool capital) {
  std::string name(prefix);
  for (const char c : key) {
    const char letter = capital && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    name += c == '_' ? joint : letter;
  }
  return name;
}

}  // namespace

std::string flag_of(std::string_view key) { return renamed("--", key, '-', false); }
std::string variable_of(std::string_view key) { return renamed("MOBULA_", key, '_', true); }

std::string type_of(const Setting& setting) {
  const Kind kind = kind_of(setting);
  const bool number = kind == Kind::whole || kind == Kind::real;
  const std::string type = !setting.rules.type.empty() ? setting.rules.type : number ? "N" : "TEXT";
  return kind == Kind::list ? type + " ..." : type;
}

std::string range_of(const Setting& setting) {
  const bool bounded = std::isfinite(setting.rules.least) || std::isfinite(setting.rules.most);
  const Bounds bounds = bounds_of(setting);
  if (!bounded) return {};
  return bounds.most > shown_bound_max
             ? core::format("(at least {})", number_text(bounds.least))
             : core::format("({} to {})", number_text(bounds.least), number_text(bounds.most));
}

core::Status check_definition(const Setting& setting) {
  for (const std::string* const key : {&setting.key, &setting.rules.former_key})
    if (!is_key(*key) && (key == &setting.key || !key->empty()))
      return core::Error{"bad setting", core::format("the key '{}' is not of a to z, digits and '_', from a letter on",
                                                     core::shown(*key, shown_value_bytes))};
  for (const std::string* const text : {&setting.help, &setting.rules.type, &setting.rules.group})
    if (!core::is_printable(*text))
      return core::Error{"bad setting", core::format("a text of '{}' has control characters or is not UTF-8: {}",
                                                     setting.key, core::shown(*text, shown_value_bytes))};
  return core::Done{};
}

core::Result<SettingValue> read_setting(const Setting& setting, std::string_view text) {
  switch (const Kind kind = kind_of(setting)) {
    case Kind::boolean:
      if (text == "true" || text == "1") return SettingValue(true);
      if (text == "false" || text == "0") return SettingValue(false);
      return core::Error{"wrong type", core::format("{} is not {}", quoted_value(text), expected(kind))};
    case Kind::whole: return read_number<std::int64_t>(setting, kind, text);
    case Kind::real: return read_number<double>(setting, kind, text);
    case Kind::text: return SettingValue(std::string(text));
    case Kind::list: break;
  }
  return read_list(text);
}

core::Status check_setting(const Setting& setting, const SettingValue& value) {
  const Kind kind = kind_of(setting);
  const bool fits = value.index() == static_cast<std::size_t>(kind) ||
                    (kind == Kind::real && std::holds_alternative<std::int64_t>(value));
  if (!fits) return core::Error{"wrong type", core::format("expected {}, not {}", expected(kind), name_of(value))};
  return std::visit(
      core::Overloaded{[](bool) { return core::Status(core::Done{}); },
                       [&](std::int64_t number) {
                         return check_number(setting, static_cast<double>(number), core::format("{}", number));
                       },
                       [&](double number) { return check_number(setting, number, core::format("{}", number)); },
                       [&](const std::string& text) { return check_text(setting, text); },
                       [&](const std::vector<std::string>& items) { return check_texts(setting, items); }},
      value);
}

core::Status check_target(const Setting& setting) {
  const auto check = [&](auto number) {
    return check_number(setting, static_cast<double>(number), core::format("{}", number));
  };
  return std::visit(
      core::Overloaded{
          [](const bool*) { return core::Status(core::Done{}); },
          [&](const std::string* text) {
            return text->empty() ? core::Status(core::Done{}) : check_text(setting, *text);
          },
          [&](const std::vector<std::string>* items) { return check_texts(setting, *items); },
          [&](const std::optional<std::uint16_t>* port) { return *port ? check(**port) : core::Status(core::Done{}); },
          [&](const auto* number) { return check(*number); }},
      setting.target);
}

void assign_setting(const Setting& setting, const SettingValue& value) {
  std::visit(core::Overloaded{[&](double* target) {
                                const std::int64_t* const whole = std::get_if<std::int64_t>(&value);
                                *target = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
                              },
                              [&](std::optional<std::uint16_t>* target) {
                                *target = static_cast<std::uint16_t>(std::get<std::int64_t>(value));
                              },
                              [&]<class Target>(Target* target) {
                                if constexpr (std::is_integral_v<Target> && !std::is_same_v<Target, bool>)
                                  *target = static_cast<Target>(std::get<std::int64_t>(value));
                                else
                                  *target = std::get<Target>(value);
                              }},
             setting.target);
}

std::string to_toml(const Setting& setting) {
  return std::visit(core::Overloaded{[](const double* target) { return toml_number(*target); },
                                     [](const std::string* target) { return toml_text(*target); },
                                     [](const std::vector<std::string>* target) { return toml_list(*target); },
                                     [](const std::optional<std::uint16_t>* target) {
                                       return *target ? core::format("{}", **target) : std::string();
                                     },
                                     [](const auto* target) { return core::format("{}", *target); }},
                    setting.target);
}

std::function<core::Status(const std::string&)> one_of(std::vector<std::string> words) {
  return [words = std::move(words)](const std::string& text) -> core::Status {
    if (std::find(words.begin(), words.end(), text) != words.end()) return core::Done{};
    std::string all;
    for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
    return core::Error{"unknown word", core::format("{} is not one of {}", quoted_value(text), all)};
  };
}

}  // namespace mobula::process
