#include <algorithm>
#include <charconv>
#include <cmath>
#include <mobula/core/format.hpp>
#include <mobula/core/json_text.hpp>
#include <mobula/core/text.hpp>
#include <mobula/index/property_text.hpp>
#include <mobula/reflect/json_number.hpp>
#include <mobula/reflect/value.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace mobula::index {
namespace {

using reflect::Component;
using reflect::Field;
using reflect::FieldKind;
using reflect::FieldNode;
using reflect::JsonValue;
using reflect::Place;
using reflect::Value;
using reflect::whole_array;

// Far more than the text of any component.
constexpr std::size_t text_bytes_max = 1 << 16;
constexpr std::size_t depth_max = 32;

// Out --------------------------------------------------------------------------------------

template <class Float>
void append_real(double number, std::string& out) {
  // The shortest text that reads as the same number, of the field's own type.
  std::isfinite(number) ? fmt::format_to(std::back_inserter(out), "{}", static_cast<Float>(number))
                        : fmt::format_to(std::back_inserter(out), "null");
}

void append_value(const Field& field, const Value& value, const NameTable& names, std::string& out) {
  if (!field.enum_values.empty()) {
    if (const core::Result<std::string_view> name = enum_name(field, value)) {
      out += core::json_text(*name);
      return;
    }
  }
  if (const auto* flag = std::get_if<bool>(&value)) {
    out += *flag ? "true" : "false";
  } else if (const auto* number = std::get_if<std::int64_t>(&value)) {
    out += std::to_string(*number);
  } else if (const auto* natural = std::get_if<std::uint64_t>(&value)) {
    out += std::to_string(*natural);
  } else if (const auto* real = std::get_if<double>(&value)) {
    field.kind == FieldKind::float32 ? append_real<float>(*real, out) : append_real<double>(*real, out);
  } else if (const auto* turn = std::get_if<reflect::Quaternion>(&value)) {
    char before = '[';
    for (const float part : *turn) {
      out += before;
      append_real<float>(static_cast<double>(part), out);
      before = ',';
    }
    out += ']';
  } else if (const auto* entity = std::get_if<ecs::Entity>(&value)) {
    *entity == ecs::null_entity ? out += "null" : out += '"' + to_string(*entity) + '"';
  } else if (const auto* id = std::get_if<core::StringId32>(&value)) {
    const std::string* name = names.find(*id);
    out += name == nullptr ? std::to_string(id->value) : core::json_text(*name);
  } else {
    out += core::json_text(std::get<std::string_view>(value));  // invalid UTF-8 is an error of the game
  }
}

class TextWriter {
 public:
  TextWriter(const Component& component, const std::byte* row, const NameTable& names, std::string& out)
      : component_(component), row_(row), names_(names), out_(out) {}

  void node(const FieldNode& node, std::uint32_t element) {
    if (element == whole_array && (node.array_count > 1 || (node.field != nullptr && node.field->count > 1)))
      return list(node);
    if (node.field == nullptr) return object(node, element);
    const std::uint32_t index = element == whole_array ? 0 : element;
    append_json(*node.field, row_ + node.field->offset + index * node.field->stride, names_, out_);
  }

 private:
  void list(const FieldNode& node) {
    const FieldNode* leaf = &node;
    while (leaf->field == nullptr) leaf = &leaf->children.front();
    const std::uint32_t count = reflect::elements_in_use(component_, *leaf->field, row_);
    out_ += '[';
    for (std::uint32_t i = 0; i < count; ++i) {
      if (i > 0) out_ += ',';
      this->node(node, i);
    }
    out_ += ']';
  }

  void object(const FieldNode& node, std::uint32_t element) {
    char before = '{';
    for (const FieldNode& child : node.children) {
      out_ += before;
      out_ += core::json_text(child.name);
      out_ += ':';
      this->node(child, element);
      before = ',';
    }
    out_ += '}';
  }

  const Component& component_;
  const std::byte* row_;
  const NameTable& names_;
  std::string& out_;
};

// In ---------------------------------------------------------------------------------------

// Fills a tree. The parser reports numbers as numbers, and floats also with their text.
class TreeBuilder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  TreeBuilder(std::string_view text, JsonValue& root) : text_(text), root_(root) {}

  bool null() override { return add(JsonValue::Kind::null, {}) != nullptr; }
  bool boolean(bool value) override {
    add(JsonValue::Kind::boolean, {})->boolean = value;
    return true;
  }
  bool number_integer(number_integer_t value) override {
    return add(JsonValue::Kind::number, std::to_string(value)) != nullptr;
  }
  bool number_unsigned(number_unsigned_t value) override {
    return add(JsonValue::Kind::number, std::to_string(value)) != nullptr;
  }
  bool number_float(number_float_t /*value*/, const string_t& text) override {
    return add(JsonValue::Kind::number, text) != nullptr;
  }
  bool string(string_t& text) override { return add(JsonValue::Kind::string, std::move(text)) != nullptr; }
  bool binary(binary_t& /*bytes*/) override { return false; }  // JSON text has none
  bool start_object(std::size_t /*size*/) override { return open(JsonValue::Kind::object); }
  bool start_array(std::size_t /*size*/) override { return open(JsonValue::Kind::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    JsonValue& object = *open_.back();
    if (object.find(name) != nullptr) {
      problem_ = core::format("'{}' is defined twice", name);
      return false;
    }
    if (object.members.size() == reflect::Limits::fields) {
      problem_ = "an object with more members than a component has fields";
      return false;
    }
    object.members.push_back({std::move(name), {}, {}});
    return true;
  }
  bool parse_error(std::size_t end, const std::string& /*token*/, const nlohmann::json::exception& error) override {
    const bool overflows = error.id == number_overflow;
    problem_ = core::describe_json_mistake(text_, end,
                                           overflows ? core::JsonMistake::number_too_large : core::JsonMistake::syntax);
    return false;
  }

  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  // Pointers stay valid: an open container is the last value of the one around it, which does not grow meanwhile.
  JsonValue* add(JsonValue::Kind kind, std::string text) {
    JsonValue* target = &root_;
    if (!open_.empty()) {
      JsonValue& around = *open_.back();
      target = around.kind == JsonValue::Kind::array ? &around.items.emplace_back() : &around.members.back().value;
    }
    target->kind = kind;
    target->text = std::move(text);
    return target;
  }
  bool open(JsonValue::Kind kind) {
    if (open_.size() == depth_max) {
      problem_ = core::format("nested too deep; at most {} levels", depth_max);
      return false;
    }
    open_.push_back(add(kind, {}));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  static constexpr int number_overflow = 406;  // id of the parser's error

  std::string_view text_;
  JsonValue& root_;
  std::vector<JsonValue*> open_;
  std::string problem_;
};

// Parses a whole number of 32 bits.
std::optional<std::uint32_t> read_hash(const JsonValue& value) {
  std::uint32_t hash = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto read = std::from_chars(value.text.data(), end, hash);
  return read.ec == std::errc() && read.ptr == end ? std::optional(hash) : std::nullopt;
}

class Context final : public reflect::JsonContext {
 public:
  explicit Context(const NameTable& names) : names_(names) {}

  void refuse(Place /*place*/, core::Error error) override {
    if (!first_) first_ = std::move(error);
  }

  bool writable(const Field& field, Place place) override {
    if (field.read_only) refuse(place, {"read only", core::format("'{}' is read only", field.path)});
    return !field.read_only;
  }

  void write_name(const Field& field, const JsonValue& value, std::byte* to) override {
    if (value.kind == JsonValue::Kind::number) {
      const std::optional<std::uint32_t> hash = read_hash(value);
      if (!hash) return refuse(value.place, out_of_range(field, value.text, "a name, or a hash of 32 bits"));
      return core::store(to, *hash);
    }
    if (value.kind != JsonValue::Kind::string)
      return refuse(value.place, wrong_type(field, describe(value.kind), "a name, or a hash of 32 bits"));
    if (const core::Status good = check_name(names_, value.text); !good) return refuse(value.place, good.error());
    core::store(to, core::StringId32(value.text));
  }

  void write_entity(const Field& field, std::uint32_t /*offset*/, const JsonValue& value, std::byte* to) override {
    if (value.kind == JsonValue::Kind::null) return core::store(to, ecs::null_entity);
    const std::optional<ecs::Entity> entity =
        value.kind == JsonValue::Kind::string ? ecs::parse_entity(value.text) : std::nullopt;
    if (!entity) {
      return refuse(value.place, wrong_type(field,
                                            value.kind == JsonValue::Kind::string ? '"' + value.text + '"'
                                                                                  : std::string(describe(value.kind)),
                                            "an entity as \"index.generation\", or null"));
    }
    core::store(to, *entity);
  }

  [[nodiscard]] core::Status result() const { return first_ ? core::Status(*first_) : core::Status(core::Done{}); }

 private:
  const NameTable& names_;
  std::optional<core::Error> first_;
};

}  // namespace

void append_json(const Field& field, const std::byte* at, const NameTable& names, std::string& out) {
  append_value(field, reflect::read_value(field, at), names, out);
}

void append_json(const Component& component, const FieldNode& node, std::uint32_t element, const std::byte* row,
                 const NameTable& names, std::string& out) {
  TextWriter(component, row, names, out).node(node, element);
}

core::Result<JsonValue> parse_json(std::string_view text) {
  if (text.size() > text_bytes_max)
    return core::Error{"not text", core::format("{} bytes of text; at most {}", text.size(), text_bytes_max)};
  JsonValue root;
  TreeBuilder builder(text, root);
  if (!nlohmann::json::sax_parse(text, &builder)) return core::Error{"not text", builder.problem()};
  return root;
}

core::Status write_text(const Component& component, const FieldNode& node, std::uint32_t element,
                        const JsonValue& value, const NameTable& names, std::byte* row) {
  Context context(names);
  reflect::write_json(component, node, element, value, row, context);
  return context.result();
}

core::Error read_only(const PropertyNode& node) { return {"read only", core::format("'{}' is read only", node.path)}; }

core::Status check_name(const NameTable& names, std::string_view name) {
  const std::string* known = names.find(core::StringId32(name));
  if (known == nullptr || *known == name) return core::Done{};
  return core::Error{"name collision", core::format("\"{}\" has the hash of \"{}\"", name, *known)};
}

}  // namespace mobula::index
