#include <algorithm>
#include <cmath>
#include <mobula/core/format.hpp>
#include <mobula/core/hex.hpp>
#include <mobula/reflect/field_json.hpp>
#include <mobula/reflect/field_tree.hpp>
#include <reflect/random_schema.hpp>
#include <resource/random_level.hpp>
#include <vector>

namespace mobula::test {
namespace {

using reflect::Component;
using reflect::Field;
using reflect::FieldKind;
using reflect::FieldNode;

// JSON texts. Some are also names of components, of entities or of a default.
constexpr std::string_view texts[] = {"",     "crate",     "plants/pine", "C",     "Transform", "e1",
                                      "lane", "b\\u00e4r", "a\\\"b",      "Route", "fog",       "."};

struct Spot {
  std::string name;
  std::uint32_t depth = 0;
  std::string path;  // from the root of its level or prefab
  std::vector<Spot> children;
};

class LevelMaker {
 public:
  LevelMaker(const reflect::Schema& schema, core::Random& random) : schema_(schema), random_(random) {}

  std::string make() {
    std::string prefabs;
    for (const std::string_view name : {"pine", "b\\u00e4r", "hut", "none"})
      if (random_.chance(1, 2)) add(prefabs, core::format("\"{}\":{}", name, prefab()));
    std::string text = core::format("{{\"prefabs\":{{\"post\":{{\"components\":{{\"Transform\":{{}}}}}}{}{}}}",
                                    comma(prefabs), prefabs);
    text += ",\n\"entities\":" + level();
    text +=
        R"(,"placements":[{"name":"row","prefab":"post","parent":"/e0","grid":{"origin":[0,0.1,0],"count":[3,1,2],"step":[1.3,1,7]}}])";
    text += R"(,"statics":[{"type":"Line","data":"0102"},{"type":"Mesh","data":"ff","server_only":true}])";
    text +=
        R"(,"columns":[{"type":"Raw","name":"Cooked","spawn_order":-3,"entities":["/e0"],"data":"00000000000000000a","references":[[0,"/e0"]]},)";
    text += R"({"type":"Raw","entities":["/e0"],"data":"00","server_only":true})";
    for (const std::string_view audience : {"true", "false"})
      if (chance(2)) text += raw_column(audience);
    return text + "]" + ",\"names\":[{\"text\":\"said\"},{\"text\":\"whispered\",\"server_only\":true}]}";
  }

 private:
  static std::string_view comma(const std::string& list) { return list.empty() ? "" : ","; }
  static void add(std::string& list, const std::string& item) { list += core::format("{}{}", comma(list), item); }
  bool chance(std::uint32_t denominator) { return random_.chance(1, denominator); }
  std::string text() { return core::format("\"{}\"", texts[random_.below(std::size(texts))]); }

  // Makes the tree first, so that paths lead to entities.
  Spot spot(std::string name, std::string path, std::uint32_t depth) {
    Spot made{std::move(name), depth, std::move(path), {}};
    paths_.push_back(made.path);
    const std::uint32_t children = depth < 4 ? random_.below(4 - depth) : 0;
    for (std::uint32_t i = 0; i < children; ++i) {
      const std::string child = chance(3) ? core::format("lane.{}", i) : core::format("c{}", i);
      made.children.push_back(spot(child, made.path.empty() ? child : made.path + "/" + child, depth + 1));
    }
    return made;
  }

  std::string level() {
    paths_.clear();
    closed_ = false;
    std::vector<Spot> spots;
    for (std::uint32_t i = 0; i < 6; ++i) {
      const std::string name = i == 4 ? ".5" : core::format("e{}", i);
      spots.push_back(spot(name, "/" + name, 0));
    }
    std::string entities;
    for (std::size_t i = 0; i < spots.size(); ++i) {
      // Parents precede their children, so there are no cycles. Some of them are attached at the top.
      const std::size_t place = entities.empty() ? 0 : random_.below(2);
      std::string parent;
      if (i > 0 && chance(2))
        parent = core::format("\"parent\":\"{}\",", any_below(spots[random_.below(static_cast<std::uint32_t>(i))]));
      const std::string item = core::format("\"{}\":{{{}{}", spots[i].name, parent, body(spots[i]));
      entities = place == 0 ? item + std::string(comma(entities)) + entities : entities + "," + item;
    }
    return "{" + entities + "}";
  }

  std::string any_below(const Spot& spot) {
    return spot.children.empty() || chance(2)
               ? spot.path
               : any_below(spot.children[random_.below(static_cast<std::uint32_t>(spot.children.size()))]);
  }

  std::string prefab() {
    paths_.clear();
    closed_ = true;
    const Spot root = spot(".", "", 0);
    return "{\"spawnable\":true," + body(root);
  }

  // Returns the members of an entity and its closing brace.
  std::string body(const Spot& spot) {
    std::string text = chance(6) ? "\"server_only\":true," : "";
    text += "\"components\":" + components(spot);
    std::string children;
    for (const Spot& child : spot.children) add(children, core::format("\"{}\":{{{}", child.name, body(child)));
    return text + core::format(",\"children\":{{{}}}}}\n", children);
  }

  std::string components(const Spot& spot) {
    std::string list;
    for (const Component& component : schema_.components()) {
      if (component.name == "Parent" || chance(2)) continue;
      add(list, core::format("\"{}\":{}", component.name, fields(component, spot, "")));
      if (chance(4)) add(list, core::format("\"fog\":{}", fields(component, spot, component.name)));
      if (list.find("\"fog\"") != std::string::npos) break;
    }
    if (chance(4)) add(list, core::format("\"Route\":{{\"to\":{},\"via\":{}{}}}", path(spot), text(), mark()));
    return "{" + list + "}";
  }

  // Returns a column of a schema component with random padding and unused elements.
  std::string raw_column(std::string_view server_only) {
    const Component& component = *schema_.find("C");
    core::Bytes row = chance(2) ? random_row(component, random_) : component.default_value;
    for (const Field& field : component.fields)
      for (std::uint32_t i = 0; i < field.count && field.kind == FieldKind::entity; ++i)
        core::store(row.data() + field.offset + i * field.stride, std::uint64_t{0});
    return core::format(R"(,{{"type":"C","name":"mine","entities":["/e0"],"data":"{}","server_only":{}}})",
                        core::to_hex(row), server_only);
  }

  std::string mark() { return chance(5) ? ",\"$server_only\":true" : ""; }

  std::string fields(const Component& component, const Spot& spot, const std::string& type) {
    const core::Bytes row = random_row(component, random_);
    std::string list = type.empty() ? "" : core::format("\"$type\":\"{}\"", type);
    for (const FieldNode& node : reflect::field_tree(component).children)
      if (!is_counter(component, node) && !chance(4))
        add(list, core::format("\"{}\":{}", node.name, value(component, node, row.data(), reflect::whole_array, spot)));
    const std::string marked = mark();
    return "{" + (list.empty() && !marked.empty() ? marked.substr(1) : list + marked) + "}";
  }

  static bool is_counter(const Component& component, const FieldNode& node) {
    return std::ranges::any_of(component.fields, [&](const Field& each) {
      return each.count_field >= 0 && &component.fields[static_cast<std::size_t>(each.count_field)] == node.field;
    });
  }

  std::string value(const Component& component, const FieldNode& node, const std::byte* row, std::uint32_t element,
                    const Spot& spot) {
    std::string list;
    if (element == reflect::whole_array && (node.array_count > 1 || (node.field != nullptr && node.field->count > 1))) {
      const FieldNode* leaf = &node;
      while (leaf->field == nullptr) leaf = &leaf->children.front();
      const std::uint32_t count = reflect::elements_in_use(component, *leaf->field, row);
      for (std::uint32_t i = 0; i < count; ++i) add(list, value(component, node, row, i, spot));
      return "[" + list + "]";
    }
    if (node.field != nullptr)
      return leaf(*node.field,
                  row + node.field->offset + (element == reflect::whole_array ? 0 : element) * node.field->stride,
                  spot);
    for (const FieldNode& child : node.children)
      add(list, core::format("\"{}\":{}", child.name, value(component, child, row, element, spot)));
    return "{" + list + "}";
  }

  std::string leaf(const Field& field, const std::byte* at, const Spot& spot) {
    if (field.kind == FieldKind::entity) return chance(3) ? "null" : path(spot);
    if (field.kind == FieldKind::string_id) return text();
    const reflect::Value value = reflect::read_value(field, at);
    if (!field.enum_values.empty()) return core::format("\"{}\"", *reflect::enum_name(field, value));
    if (const auto* turn = std::get_if<reflect::Quaternion>(&value)) return rotation(*turn);
    if (const auto* chars = std::get_if<std::string_view>(&value)) return core::format("\"{}\"", *chars);
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
    if (const auto* whole = std::get_if<std::uint64_t>(&value)) return std::to_string(*whole);
    return core::format("{}", std::get<double>(value));
  }

  // Returns a rotation whose length is exactly or almost 1.
  std::string rotation(const reflect::Quaternion& turn) {
    double squares = 0;
    for (const float part : turn) squares += static_cast<double>(part) * static_cast<double>(part);
    const double length = std::sqrt(squares) * (chance(2) ? 1 : 1.0003);
    std::string list;
    for (const float part : turn) add(list, core::format("{}", static_cast<double>(part) / length));
    return "[" + list + "]";
  }

  std::string path(const Spot& from) {
    std::string path = paths_[random_.below(static_cast<std::uint32_t>(paths_.size()))];
    if (!closed_) return "\"" + path + "\"";
    for (std::uint32_t i = 0; i < from.depth; ++i) path.insert(0, path.empty() ? ".." : "../");
    return core::format("\"{}\"", path.empty() ? "." : path);
  }

  const reflect::Schema& schema_;
  core::Random& random_;
  std::vector<std::string> paths_;  // in the level or prefab
  bool closed_ = false;
};

// Data of a registered compiler: number of bytes, id of a static, hashed name, handle.
void compile_route(const resource::ComponentSource& source, resource::ComponentContext& context, core::Bytes& out) {
  const reflect::JsonValue& json = *source.layers.back();
  const std::string& via = json.find("via")->text;
  const auto append = [&out](const auto& value) {
    out.resize(out.size() + sizeof value);
    core::store(out.data() + out.size() - sizeof value, value);
  };
  context.reference(0, *json.find("to"));
  append(std::uint64_t{0});
  const std::string spline = via + "!";
  append(context.add_static("Spline", core::as_bytes(spline.data(), spline.size()), source.place));
  append(context.string_id(spline, source.place, via.size() > 4).value);
  out.resize(out.size() + via.size());
}

}  // namespace

std::string random_level_schema(core::Random& random) {
  return random_schema(random) + R"(
    struct Mixed (component) { seen:uint (string_id, default:"crate"); own:uint (string_id, owner_only);
                               secret:float (not_sent); friend:mobula.engine.EntityRef (not_sent);
                               at:mobula.engine.Vec3; small:ubyte; }
    struct Secret (component, not_sent) { what:uint (string_id); whom:[mobula.engine.EntityRef:2]; }
    struct Owned (component) { what:uint (string_id); more:ubyte; })";
}

resource::CompilerTable random_level_compilers() {
  resource::CompilerTable table;
  table.add("Route", {.spawn_order = 2, .compile = compile_route});
  table.add("Owned", {.spawn_order = -1,
                      .compile = [](const resource::ComponentSource& source, resource::ComponentContext& context,
                                    core::Bytes& out) { resource::compile_fields(source, context, out); }});
  return table;
}

std::string random_level(const reflect::Schema& schema, core::Random& random) {
  return LevelMaker(schema, random).make();
}

}  // namespace mobula::test
