#include <flatbuffers/flatbuffers.h>

#include <array>
#include <c/command_json.hpp>
#include <charconv>
#include <cmath>
#include <limits>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/index/property_text.hpp>
#include <mobula/reflect/json_number.hpp>
#include <mobula/wire/input.hpp>

namespace mobula::c {
namespace {

using flatbuffers::uoffset_t;
using reflect::JsonValue;
using Kind = JsonValue::Kind;
using Place = flatbuffers::Offset<void>;  // where something was written

// Bytes that a builder may hold before the command's size is known to exceed its limit.
constexpr std::size_t built_bytes_max = 4 * wire::command_bytes_max;

constexpr bool is_signed(int base) {
  return base == reflection::Byte || base == reflection::Short || base == reflection::Int || base == reflection::Long;
}

// Returns the field with this name; null if there is none. The search ends at a zero byte, which no name of a field
// has.
const reflection::Field* find_field(const reflection::Object& object, const std::string& name) {
  const reflection::Field* const found = object.fields()->LookupByKey(name.c_str());
  return found != nullptr && found->name()->string_view() == name ? found : nullptr;
}

class Writer {
 public:
  explicit Writer(const CommandSchema& schema) : schema_(schema) {}

  core::Result<core::Bytes> write(const JsonValue& json) {
    const core::Result<Place> root = table(schema_.root(), json);
    if (!root) return root.error();
    builder_.Finish(*root, schema_.identifier());
    if (builder_.GetSize() > wire::command_bytes_max) return too_large();
    const auto* const begin = reinterpret_cast<const std::byte*>(builder_.GetBufferPointer());
    return core::Bytes(begin, begin + builder_.GetSize());
  }

 private:
  // A field of a table that is being written: its place if it lies apart, else its bytes.
  struct Made {
    const reflection::Field* field;
    Place place;
    core::Bytes bytes;
  };
  // Names a member for messages while it is written.
  struct Step {
    Step(Writer& writer, std::string_view name) : path(writer.path_) { path.push_back(name); }
    ~Step() { path.pop_back(); }
    std::vector<std::string_view>& path;
  };

  [[nodiscard]] core::Error bad(std::string_view problem) const {
    constexpr std::size_t shown_bytes = 200;
    return {"bad json", core::shown(core::format("{}{}{}", fmt::join(path_, "."), path_.empty() ? "" : ": ", problem),
                                    shown_bytes)};
  }
  [[nodiscard]] core::Error wrong(const JsonValue& json, std::string_view expected) const {
    return bad(core::format("is {}; expected {}", describe(json.kind), expected));
  }
  static core::Error too_large() {
    return {"too large", core::format("the command has more than {} bytes", wire::command_bytes_max)};
  }
  [[nodiscard]] bool is_full(std::size_t more) const { return builder_.GetSize() + more > built_bytes_max; }

  core::Result<Place> table(const reflection::Object& object, const JsonValue& json) {
    if (json.kind != Kind::object) return wrong(json, "an object");
    std::vector<Made> all;
    for (const reflect::JsonMember& member : json.members) {
      const Step step(*this, member.name);
      const reflection::Field* const field = find_field(object, member.name);
      if (field == nullptr || field->deprecated())
        return bad(core::format("{} has no such field", object.name()->string_view()));
      if (member.value.kind == Kind::null) continue;
      core::Result<Made> made = make(*field, json, member.value);
      if (!made) return made.error();
      all.push_back(std::move(*made));
    }
    if (const core::Status complete = check_required(object, all); !complete) return complete.error();
    return end_table(all);
  }

  [[nodiscard]] core::Status check_required(const reflection::Object& object, const std::vector<Made>& all) const {
    for (const reflection::Field* field : *object.fields()) {
      const auto is_it = [&](const Made& made) { return made.field == field; };
      if (field->required() && std::ranges::none_of(all, is_it))
        return bad(core::format("field {} is missing", field->name()->string_view()));
    }
    return core::Done{};
  }

  core::Result<Place> end_table(const std::vector<Made>& all) {
    const uoffset_t start = builder_.StartTable();
    for (const Made& made : all) {
      if (made.place.IsNull() && is_default(made)) continue;
      if (made.place.IsNull()) {
        builder_.Align(schema_.alignment(type_of(*made.field)));
        push(made.bytes);
        builder_.AddStructOffset(made.field->offset(), builder_.GetSize());
      } else {
        builder_.AddOffset(made.field->offset(), made.place);
      }
    }
    const Place place(builder_.EndTable(start));
    return is_full(0) ? core::Result<Place>(too_large()) : place;
  }

  void push(core::ByteView bytes) {
    builder_.PushBytes(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }

  // A scalar with its default is left out, as flatc does.
  [[nodiscard]] bool is_default(const Made& made) const {
    const CommandType type = type_of(*made.field);
    if (type.base == reflection::Obj || made.field->optional()) return false;
    std::array<std::byte, 8> bytes{};
    if (type.base == reflection::Float) {
      core::store(bytes.data(), static_cast<float>(made.field->default_real()));
    } else if (type.base == reflection::Double) {
      core::store(bytes.data(), made.field->default_real());
    } else {
      core::store(bytes.data(), made.field->default_integer());
    }
    return std::equal(made.bytes.begin(), made.bytes.end(), bytes.begin());
  }

  core::Result<Made> make(const reflection::Field& field, const JsonValue& owner, const JsonValue& json) {
    const CommandType type = type_of(field);
    if (const std::uint32_t size = schema_.inline_size(type); size > 0) {
      Made made{&field, {}, core::Bytes(size)};
      if (const core::Status written = inline_value(type, json, made.bytes.data()); !written) return written.error();
      return made;
    }
    const core::Result<Place> place =
        type.base == reflection::Union ? union_value(field, owner, json) : apart(type, json);
    if (!place) return place.error();
    return Made{&field, *place, {}};
  }

  // --- Values apart from their table -------------------------------------------------------------------------------

  core::Result<Place> apart(const CommandType& type, const JsonValue& json) {
    if (type.base == reflection::Obj) return table(schema_.object(type.index), json);
    if (type.base == reflection::Vector) return vector(type.element_type(), json);
    if (json.kind != Kind::string) return wrong(json, "a text");
    if (is_full(json.text.size())) return too_large();
    return Place(builder_.CreateString(json.text).o);
  }

  core::Result<Place> union_value(const reflection::Field& field, const JsonValue& owner, const JsonValue& json) {
    const std::string type_name = core::format("{}_type", field.name()->string_view());
    const JsonValue* const name = owner.find(type_name);
    if (name == nullptr || name->kind != Kind::string) return bad(core::format("needs its type, in \"{}\"", type_name));
    for (const reflection::EnumVal* value : *schema_.enumeration(field.type()->index()).values())
      if (value->value() != 0 && value->name()->string_view() == name->text)
        return table(schema_.object(value->union_type()->index()), json);
    return bad(core::format("has no type \"{}\"", name->text));
  }

  core::Result<Place> vector(const CommandType& element, const JsonValue& json) {
    if (json.kind != Kind::array) return wrong(json, "an array");
    const std::uint32_t size = schema_.inline_size(element);
    const std::size_t count = json.items.size();
    if (is_full(count * std::max<std::size_t>(size, sizeof(uoffset_t)))) return too_large();
    if (size == 0) return vector_of_places(element, json);
    core::Bytes bytes(count * size);
    for (std::size_t i = 0; i < count; ++i)
      if (const core::Status written = inline_value(element, json.items[i], bytes.data() + i * size); !written)
        return written.error();
    const std::uint32_t alignment = schema_.alignment(element);
    builder_.StartVector(bytes.size() / alignment, alignment);
    push(bytes);
    return Place(builder_.EndVector(count));
  }

  core::Result<Place> vector_of_places(const CommandType& element, const JsonValue& json) {
    std::vector<Place> places;
    for (const JsonValue& item : json.items) {
      const core::Result<Place> place = apart(element, item);
      if (!place) return place.error();
      places.push_back(*place);
    }
    builder_.StartVector(places.size(), sizeof(uoffset_t));
    for (std::size_t i = places.size(); i-- > 0;) builder_.PushElement(places[i]);
    return Place(builder_.EndVector(places.size()));
  }

  // --- Values in their table, struct or vector ---------------------------------------------------------------------

  core::Status inline_value(const CommandType& type, const JsonValue& json, std::byte* to) {
    if (type.base == reflection::Obj) return struct_value(schema_.object(type.index), json, to);
    if (type.base == reflection::Array) return array_value(type, json, to);
    if (type.base == reflection::Float || type.base == reflection::Double) return real_value(type, json, to);
    return integer_value(type, json, to);
  }

  core::Status struct_value(const reflection::Object& object, const JsonValue& json, std::byte* to) {
    if (json.kind != Kind::object) return wrong(json, "an object");
    for (const reflect::JsonMember& member : json.members) {
      const Step step(*this, member.name);
      const reflection::Field* const field = find_field(object, member.name);
      if (field == nullptr) return bad(core::format("{} has no such field", object.name()->string_view()));
      if (const core::Status written = inline_value(type_of(*field), member.value, to + field->offset()); !written)
        return written;
    }
    return core::Done{};
  }

  core::Status array_value(const CommandType& type, const JsonValue& json, std::byte* to) {
    if (json.kind != Kind::array || json.items.size() > type.count)
      return wrong(json, core::format("an array of at most {}", type.count));
    const CommandType element = type.element_type();
    for (const JsonValue& item : json.items) {
      if (const core::Status written = inline_value(element, item, to); !written) return written;
      to += schema_.inline_size(element);
    }
    return core::Done{};
  }

  [[nodiscard]] core::Status real_value(const CommandType& type, const JsonValue& json, std::byte* to) const {
    if (json.kind != Kind::number) return wrong(json, "a number");
    const double value = reflect::read_json_number(json.text);
    const bool single = type.base == reflection::Float;
    if (!std::isfinite(value) || (single && std::abs(value) > std::numeric_limits<float>::max()))
      return bad(core::format("{} is out of range", json.text));
    single ? core::store(to, static_cast<float>(value)) : core::store(to, value);
    return core::Done{};
  }

  [[nodiscard]] core::Status integer_value(const CommandType& type, const JsonValue& json, std::byte* to) const {
    const std::uint32_t size = schema_.inline_size(type);
    if (type.base == reflection::Bool) {
      if (json.kind != Kind::boolean) return wrong(json, "true or false");
      return store_integer(json.boolean, size, to);
    }
    if (json.kind == Kind::string && type.index >= 0)
      return enum_value(schema_.enumeration(type.index), json, size, to);
    if (json.kind != Kind::number) return wrong(json, type.index >= 0 ? "a name or a number" : "a number");
    const std::optional<std::string> digits = reflect::whole_digits(json.text);
    if (!digits) return bad(core::format("{} is not a whole number", json.text));
    const unsigned bits = 8 * size;
    if (is_signed(type.base)) {
      std::int64_t value = 0;
      const bool fits = parse(*digits, value) && value >> (bits - 1) == value >> 63;
      return fits ? store_integer(static_cast<std::uint64_t>(value), size, to) : out_of_range(json);
    }
    std::uint64_t value = 0;
    const bool fits = parse(*digits, value) && (bits == 64 || value >> bits == 0);
    return fits ? store_integer(value, size, to) : out_of_range(json);
  }

  [[nodiscard]] core::Status enum_value(const reflection::Enum& type, const JsonValue& json, std::uint32_t size,
                                        std::byte* to) const {
    for (const reflection::EnumVal* value : *type.values())
      if (value->name()->string_view() == json.text)
        return store_integer(static_cast<std::uint64_t>(value->value()), size, to);
    return bad(core::format("{} has no value \"{}\"", type.name()->string_view(), json.text));
  }

  template <class Integer>
  static bool parse(const std::string& digits, Integer& value) {
    const char* const end = digits.data() + digits.size();
    const auto [read, error] = std::from_chars(digits.data(), end, value);
    return error == std::errc() && read == end;
  }
  static core::Status store_integer(std::uint64_t value, std::uint32_t size, std::byte* to) {
    std::memcpy(to, &value, size);  // little-endian
    return core::Done{};
  }
  [[nodiscard]] core::Status out_of_range(const JsonValue& json) const {
    return bad(core::format("{} is out of range", json.text));
  }

  const CommandSchema& schema_;
  flatbuffers::FlatBufferBuilder builder_;
  std::vector<std::string_view> path_;
};

}  // namespace

core::Result<core::Bytes> write_command(const CommandSchema& schema, std::string_view json) {
  const core::Result<JsonValue> parsed = index::parse_json(json);
  if (!parsed) return core::Error{"bad json", parsed.error().message};
  return Writer(schema).write(*parsed);
}

}  // namespace mobula::c
