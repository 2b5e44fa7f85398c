#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <mobula/core/format.hpp>
#include <mobula/core/hex.hpp>
#include <mobula/reflect/json_number.hpp>
#include <mobula/resource/compiler/raw_parts.hpp>
#include <mobula/resource/compiler/sources.hpp>

namespace mobula::resource {
namespace {

using Kind = JsonValue::Kind;

// Reads the members of one part. Reports errors, and skips a part that has one.
class PartReader {
 public:
  PartReader(const JsonValue& part, Diagnostics& diagnostics) : part_(part), diagnostics_(diagnostics) {}

  [[nodiscard]] bool good() const { return good_; }

  const JsonValue* member(std::string_view name, Kind kind, bool required) {
    const JsonValue* value = part_.find(name);
    if (value == nullptr) {
      if (required) refuse(part_.place, core::format("'{}' is missing", name));
      return nullptr;
    }
    if (expect(*value, kind, name, diagnostics_)) return value;
    good_ = false;
    return nullptr;
  }

  std::string_view text(std::string_view name, std::string_view otherwise = {}) {
    const JsonValue* value = member(name, Kind::string, otherwise.empty());
    return value == nullptr ? otherwise : std::string_view(value->text);
  }

  core::Bytes bytes(std::string_view name) {
    const JsonValue* value = member(name, Kind::string, true);
    if (value == nullptr) return {};
    std::optional<core::Bytes> read = core::from_hex(value->text);
    if (!read) refuse(value->place, core::format("'{}' is not hex; expected pairs of hex digits", name));
    return read ? std::move(*read) : core::Bytes();
  }

  std::int32_t integer(std::string_view name) {
    const JsonValue* value = member(name, Kind::number, false);
    if (value == nullptr) return 0;
    std::int32_t number = 0;
    const std::string digits = reflect::whole_digits(value->text).value_or("");
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end)
      refuse(value->place, core::format("'{}' is {}; expected a whole number", name, value->text));
    return number;
  }

  Audience audience() {
    const JsonValue* value = member("server_only", Kind::boolean, false);
    return value != nullptr && value->boolean ? Audience::server : Audience::everyone;
  }

  void refuse(Place place, std::string message) {
    diagnostics_.error(place, std::move(message));
    good_ = false;
  }

 private:
  const JsonValue& part_;
  Diagnostics& diagnostics_;
  bool good_ = true;
};

void read_column(const JsonValue& json, const Scene& scene, Workshop& workshop, Draft& draft) {
  static constexpr std::array<std::string_view, 7> known{"type", "name",       "spawn_order", "entities",
                                                         "data", "references", "server_only"};
  Diagnostics& diagnostics = workshop.diagnostics;
  refuse_unknown_members(json, known, diagnostics);
  PartReader part(json, diagnostics);
  const std::string_view type = part.text("type");
  const std::string_view name = part.text("name", type.empty() ? "?" : type);
  const std::int32_t spawn_order = part.integer("spawn_order");
  const Audience audience = part.audience();
  DraftColumn column;
  column.data = part.bytes("data");
  const std::uint32_t from = scene.entities().empty() ? no_parent : 0;  // start of paths: the root of a prefab
  if (const JsonValue* entities = part.member("entities", Kind::array, true)) {
    for (const JsonValue& path : entities->items) {
      const std::uint32_t entity = scene.resolve(from, path);
      if (entity == no_parent) return;  // reported
      if (!column.entity_index.empty() && entity <= column.entity_index.back())
        part.refuse(path.place, "entities are not in the order of the level, or one is listed twice");
      column.entity_index.push_back(entity);
    }
  }
  const JsonValue* references = part.member("references", Kind::array, false);
  for (std::size_t i = 0; references != nullptr && i < references->items.size(); ++i) {
    const JsonValue& pair = references->items[i];
    const bool shaped = pair.kind == Kind::array && pair.items.size() == 2;
    const std::optional<std::uint32_t> offset =
        shaped ? read_count(pair.items[0], 0, std::numeric_limits<std::uint32_t>::max(), diagnostics) : std::nullopt;
    if (!offset) return part.refuse(pair.place, "expected [offset, \"/path\"]");
    const std::uint32_t target = scene.resolve(from, pair.items[1]);
    if (target == no_parent) return;
    column.references.push_back({*offset, target});
  }
  const reflect::Component* component = workshop.schema.find(type);
  if (component != nullptr && name == parent_component && is_parent_component(*component))
    return part.refuse(json.place, "the column 'Parent' follows from where entities stand; expected no such column");
  if (component != nullptr && component->not_sent && audience == Audience::everyone)
    return part.refuse(json.place, core::format("{} is never sent; expected \"server_only\": true", type));
  if (!part.good()) return;
  const ComponentKey key{workshop.names.intern(type, json.place, audience),
                         workshop.names.intern(name, json.place, audience)};
  const auto added =
      draft.ready[static_cast<std::size_t>(audience)].emplace(std::pair(spawn_order, key), std::move(column));
  if (!added.second || draft.columns.contains({spawn_order, key}))
    diagnostics.error(json.place, core::format("the column '{}' is defined twice", name));
}

void read_static(const JsonValue& json, Workshop& workshop) {
  static constexpr std::array<std::string_view, 3> known{"type", "data", "server_only"};
  refuse_unknown_members(json, known, workshop.diagnostics);
  PartReader part(json, workshop.diagnostics);
  const std::string_view type = part.text("type");
  const core::Bytes data = part.bytes("data");
  const Audience audience = part.audience();
  if (part.good()) workshop.statics.add(workshop.names.intern(type, json.place, audience), data, json.place, audience);
}

void read_name(const JsonValue& json, Workshop& workshop) {
  static constexpr std::array<std::string_view, 2> known{"text", "server_only"};
  refuse_unknown_members(json, known, workshop.diagnostics);
  PartReader part(json, workshop.diagnostics);
  const std::string_view text = part.text("text");
  const Audience audience = part.audience();
  if (part.good()) workshop.names.intern(text, json.place, audience);
}

// Reads all parts of one list, each an object that `what` names in errors.
template <class Read>
void read_all(const JsonValue& parts, std::string_view name, std::string_view what, Diagnostics& diagnostics,
              const Read& read) {
  if (!expect(parts, Kind::array, name, diagnostics)) return;
  for (const JsonValue& json : parts.items)
    if (expect(json, Kind::object, what, diagnostics)) read(json);
}

}  // namespace

void read_statics(const JsonValue& statics, Workshop& workshop) {
  read_all(statics, "statics", "a static", workshop.diagnostics,
           [&](const JsonValue& json) { read_static(json, workshop); });
}

void read_names(const JsonValue& names, Workshop& workshop) {
  read_all(names, "names", "a name", workshop.diagnostics, [&](const JsonValue& json) { read_name(json, workshop); });
}

void read_columns(const JsonValue& columns, const Scene& scene, Workshop& workshop, Draft& draft) {
  read_all(columns, "columns", "a column", workshop.diagnostics,
           [&](const JsonValue& json) { read_column(json, scene, workshop, draft); });
}

}  // namespace mobula::resource
