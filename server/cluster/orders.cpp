#include <algorithm>
#include <cluster/orders.hpp>
#include <cluster/world_token.hpp>
#include <cmath>
#include <limits>
#include <mobula/core/did_you_mean.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/name.hpp>
#include <mobula/server/admin/json_object.hpp>
#include <span>
#include <utility>
#include <vector>

namespace mobula::cluster {
namespace {

using nlohmann::json;

core::Error bad(std::string message) { return {"bad request", std::move(message)}; }

using Check = core::Status (*)(std::string_view text);

template <std::string Order::* field, Check check>
core::Status read_text(std::string_view name, const json& value, Order& order) {
  if (!value.is_string()) return bad(core::format("{}: expected text", name));
  order.*field = value.get<std::string>();
  const core::Status good = check(order.*field);
  return good ? good : bad(core::format("{}: {}", name, good.error().message));
}

core::Status read_create(std::string_view name, const json& value, Order& order) {
  if (!value.is_boolean()) return bad(core::format("{}: expected true or false", name));
  order.create = value.get<bool>();
  return core::Done{};
}

core::Status read_zones(std::string_view name, const json& value, Order& order) {
  if (!value.is_object()) return bad(core::format("{}: expected an object", name));
  order.zones = value.dump();
  return core::Done{};
}

template <bool across_x>
core::Status read_cut(std::string_view name, const json& value, Order& order) {
  const double metres = value.is_number() ? value.get<double>() : std::numeric_limits<double>::infinity();
  if (!(std::abs(metres) <= std::numeric_limits<float>::max())) return bad(core::format("{}: expected metres", name));
  order.cut.across_x = across_x;
  order.cut.at = static_cast<float>(metres);
  ++order.cuts;
  return core::Done{};
}

struct Field {
  std::string_view name;
  core::Status (*read)(std::string_view name, const json& value, Order& order);
  bool required = true;
};
constexpr Field world_field{"world", read_text<&Order::world, core::check_name>};
constexpr Field game_field{"game", read_text<&Order::game, core::check_name>};
constexpr Field account_field{"account", read_text<&Order::account, check_account>};

constexpr Field map_fields[] = {{"map", read_text<&Order::map, core::check_name>}, game_field, {"zones", read_zones}};
constexpr Field zone_field{"zone", read_text<&Order::zone, core::check_name>};
constexpr Field split_fields[] = {zone_field,
                                  {"name", read_text<&Order::name, core::check_name>},
                                  {"x", read_cut<true>, false},
                                  {"z", read_cut<false>, false}};
constexpr Field merge_fields[] = {zone_field, {"into", read_text<&Order::into, core::check_name>}};
constexpr Field world_fields[] = {world_field, game_field};
constexpr Field player_fields[] = {world_field, account_field};
constexpr Field token_fields[] = {
    world_field, account_field, {"create", read_create, false}, {"game", game_field.read, false}};

core::Error unknown_field(std::string_view name, std::span<const Field> fields) {
  std::vector<std::string_view> names;
  for (const Field& each : fields) names.push_back(each.name);
  constexpr std::size_t shown_max = 100;
  const std::string_view shown = name.substr(0, shown_max);
  return bad(core::format("there is no '{}'{}", shown, core::did_you_mean(shown, names)));
}

core::Result<Order> parse(std::string_view body, std::string_view example, std::span<const Field> fields) {
  const core::Result<json> object = server::admin::parse_object(body, example);
  if (!object) return object.error();
  Order order;
  for (const auto& [name, value] : object->items()) {
    const auto field = std::ranges::find(fields, std::string_view(name), &Field::name);
    if (field == fields.end()) return unknown_field(name, fields);
    if (const core::Status read = field->read(name, value, order); !read) return read.error();
  }
  for (const Field& each : fields)
    if (each.required && !object->contains(each.name))
      return bad(core::format("{} is missing; expected an object such as {}", each.name, example));
  return order;
}

}  // namespace

core::Result<Order> parse_world_order(std::string_view body) {
  return parse(body, R"({"world": "lobby", "game": "HASH"})", world_fields);
}

core::Result<Order> parse_map_order(std::string_view body) {
  return parse(body, R"({"map": "overworld", "game": "HASH", "zones": {"zones": [...]}})", map_fields);
}

core::Result<Order> parse_split_order(std::string_view body) {
  core::Result<Order> order = parse(body, R"({"zone": "east", "name": "far-east", "x": 12.5})", split_fields);
  if (!order) return order;
  if (order->cuts != 1) return bad("x, z: expected one of both, in metres");
  order->cut.name = std::move(order->name);
  return order;
}

core::Result<Order> parse_merge_order(std::string_view body) {
  return parse(body, R"({"zone": "far-east", "into": "east"})", merge_fields);
}

core::Result<Order> parse_player_order(std::string_view body) {
  core::Result<Order> order = parse(body, R"({"world": "lobby", "account": "anna"})", player_fields);
  if (order && order->account.empty()) return bad("account: a guest cannot be found, as guests have no account");
  return order;
}

core::Result<Order> parse_token_order(std::string_view body) {
  core::Result<Order> order = parse(body, R"({"world": "lobby", "account": "anna"})", token_fields);
  if (order && order->create == order->game.empty())
    return bad("create and game: expected both to create the world if there is none, or neither");
  return order;
}

core::Status check_empty(std::string_view body) {
  if (body.empty()) return core::Done{};
  const core::Result<json> object = server::admin::parse_object(body);
  if (!object) return object.error();
  return object->empty() ? core::Status(core::Done{}) : core::Status(unknown_field(object->items().begin().key(), {}));
}

}  // namespace mobula::cluster
