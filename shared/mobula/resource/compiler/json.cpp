#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <cmath>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/reflect/json_number.hpp>
#include <mobula/resource/compiler/json.hpp>
#include <mobula/resource/compiler/json_syntax.hpp>
#include <mobula/resource/limits.hpp>
#include <unordered_map>

namespace mobula::resource {
namespace {

// RapidJSON calls with the stream just past each token, or at the closing bracket after a trailing comma.
class TreeBuilder {
 public:
  using Ch = char;
  using SizeType = rapidjson::SizeType;

  TreeBuilder(std::uint32_t file, std::string_view text, const rapidjson::MemoryStream& stream,
              Diagnostics& diagnostics)
      : file_(file), text_(text), stream_(stream), diagnostics_(diagnostics) {}

  // NOLINTBEGIN(readability-identifier-naming): RapidJSON's names for a handler's functions.
  bool Null() { return add(JsonValue::Kind::null, {}) != nullptr; }
  bool Bool(bool value) {
    JsonValue* added = add(JsonValue::Kind::boolean, {});
    if (added != nullptr) added->boolean = value;
    return added != nullptr;
  }
  bool RawNumber(const Ch* text, SizeType length, bool /*copy*/) {
    return add(JsonValue::Kind::number, {text, length}) != nullptr;
  }
  bool String(const Ch* text, SizeType length, bool /*copy*/) {
    const JsonValue* added = add(JsonValue::Kind::string, {text, length});
    check_pairs({text, length}, added->place);
    return true;
  }
  bool StartObject() { return open(JsonValue::Kind::object); }
  bool StartArray() { return open(JsonValue::Kind::array); }
  bool EndObject(SizeType /*count*/) { return close(); }
  bool EndArray(SizeType /*count*/) { return close(); }
  bool Key(const Ch* text, SizeType length, bool /*copy*/) {
    const Place place = next_place();
    Level& level = stack_.back();
    std::string name(text, length);
    check_pairs(name, place);
    const auto [first, fresh] = level.names.emplace(name, place);
    if (!fresh) {
      diagnostics_.error(place, [&, at = first->second] {
        return core::format("'{}' is defined twice (first at {}); names must be unique", name,
                            diagnostics_.describe(at));
      });
    }
    level.value->members.push_back({std::move(name), place, {}});
    return true;
  }
  // Never called: numbers are taken as text.
  static bool Int(int /*value*/) { return false; }
  static bool Uint(unsigned /*value*/) { return false; }
  static bool Int64(std::int64_t /*value*/) { return false; }
  static bool Uint64(std::uint64_t /*value*/) { return false; }
  static bool Double(double /*value*/) { return false; }
  // NOLINTEND(readability-identifier-naming)

  [[nodiscard]] bool too_deep() const { return too_deep_; }
  /// Returns the offset of the token after the last one.
  [[nodiscard]] std::size_t token() const { return next_token(text_, end_); }
  JsonValue take() { return std::move(root_); }

 private:
  struct Level {
    JsonValue* value;
    std::unordered_map<std::string, Place> names;
  };

  Place next_place() {
    const std::size_t start = token();
    end_ = stream_.Tell();
    return {file_, static_cast<std::uint32_t>(start)};
  }

  // RapidJSON accepts the escape of a low surrogate alone.
  void check_pairs(std::string_view text, Place place) {
    if (!core::is_utf8(text)) diagnostics_.error(place, std::string(half_pair));
  }

  // Pointers stay valid: an open container is the last value of the one around it, which does not grow meanwhile.
  JsonValue* add(JsonValue::Kind kind, std::string_view text) {
    const Place place = next_place();
    JsonValue* target = &root_;
    if (!stack_.empty()) {
      JsonValue& around = *stack_.back().value;
      target = around.kind == JsonValue::Kind::array ? &around.items.emplace_back() : &around.members.back().value;
    }
    target->kind = kind;
    target->place = place;
    target->text = text;
    return target;
  }

  bool open(JsonValue::Kind kind) {
    JsonValue* added = add(kind, {});
    if (stack_.size() == limits::json_depth) {
      too_deep_ = true;
      diagnostics_.error(added->place, core::format("nested too deep; at most {} levels", limits::json_depth));
      return false;
    }
    stack_.push_back({added, {}});
    return true;
  }

  bool close() {
    end_ = stream_.Tell();
    stack_.pop_back();
    return true;
  }

  std::uint32_t file_;
  std::string_view text_;
  const rapidjson::MemoryStream& stream_;
  Diagnostics& diagnostics_;
  JsonValue root_;
  std::vector<Level> stack_;
  std::size_t end_ = 0;
  bool too_deep_ = false;
};

constexpr unsigned syntax_flags = rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseValidateEncodingFlag |
                                  rapidjson::kParseCommentsFlag | rapidjson::kParseTrailingCommasFlag;

}  // namespace

std::optional<double> read_number(const JsonValue& value, Diagnostics& diagnostics) {
  if (value.kind != JsonValue::Kind::number) {
    diagnostics.error(value.place, core::format("expected a number, not {}", describe(value.kind)));
    return std::nullopt;
  }
  const double number = reflect::read_json_number(value.text);
  if (!std::isfinite(number)) {
    diagnostics.error(value.place, core::format("{} is out of range; expected a finite number", value.text));
    return std::nullopt;
  }
  return number;
}

std::optional<std::uint32_t> read_count(const JsonValue& value, std::uint32_t low, std::uint32_t high,
                                        Diagnostics& diagnostics) {
  const std::optional<double> number = read_number(value, diagnostics);
  if (!number) return std::nullopt;
  if (*number < low || *number > high || *number != std::floor(*number)) {
    diagnostics.error(value.place,
                      core::format("{} is out of range; expected a whole number from {} to {}", value.text, low, high));
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(*number);
}

bool read_numbers(const JsonValue& value, std::span<double> into, std::string_view what, Diagnostics& diagnostics) {
  if (value.kind != JsonValue::Kind::array) {
    diagnostics.error(value.place, core::format("expected {}, not {}", what, describe(value.kind)));
    return false;
  }
  if (value.items.size() != into.size()) {
    diagnostics.error(value.place, core::format("expected {}, not {} values", what, value.items.size()));
    return false;
  }
  bool good = true;
  for (std::size_t i = 0; i < into.size(); ++i) {
    const std::optional<double> number = read_number(value.items[i], diagnostics);
    good = good && number.has_value();
    into[i] = number.value_or(0);
  }
  return good;
}

std::optional<JsonValue> parse_json(std::uint32_t file, Diagnostics& diagnostics) {
  const std::string& text = diagnostics.text(file);
  // RapidJSON treats a zero byte as the end.
  if (const std::size_t zero = text.find('\0'); zero != std::string::npos) {
    diagnostics.error({file, static_cast<std::uint32_t>(zero)}, "a zero byte; expected JSON text");
    return std::nullopt;
  }
  rapidjson::MemoryStream stream(text.data(), text.size());
  TreeBuilder builder(file, text, stream, diagnostics);
  rapidjson::Reader reader;
  const rapidjson::ParseResult result = reader.Parse<syntax_flags>(stream, builder);
  if (!result.IsError()) return builder.take();
  if (builder.too_deep()) return std::nullopt;
  SyntaxError error = describe_syntax(result.Code(), text, std::min(result.Offset(), text.size()), builder.token());
  diagnostics.error({file, static_cast<std::uint32_t>(error.offset)}, std::move(error.message));
  return std::nullopt;
}

}  // namespace mobula::resource
