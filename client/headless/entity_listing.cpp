#include <algorithm>
#include <headless/entity_listing.hpp>
#include <headless/mirror_report.hpp>
#include <headless/replay.hpp>
#include <map>
#include <mobula/client/pipe/pipe_client.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/index/properties.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/process/standard_output.hpp>
#include <ranges>

namespace mobula::client {
namespace {

constexpr core::Nanoseconds complete_within = 20 * core::second;
constexpr std::size_t groups_shown = 50;
constexpr std::size_t handles_shown = 8;  // per group
constexpr std::size_t value_width_max = 40;

bool sent(const reflect::Field& field, bool own) { return !field.not_sent && (own || !field.owner_only); }

// Whether all fields at or below a node's path are sent, for an entity that is the client's own or not.
bool sent(const index::PropertyNode& node, bool own) {
  if (node.computed != nullptr) return true;
  return std::ranges::all_of(node.component->fields, [&](const reflect::Field& field) {
    const std::string_view path = field.path;
    const bool below = node.path.empty() || path == node.path ||
                       (path.starts_with(node.path) && path.substr(node.path.size()).starts_with('.'));
    return !below || sent(field, own);
  });
}

// Returns "Body (RenderData)", or the type alone if both names are the same.
std::string title(std::string_view instance, std::string_view type) {
  return instance == type ? std::string(type) : core::format("{} ({})", instance, type);
}

core::Status expect_seen(const Mirror& mirror, ecs::Entity entity) {
  if (mirror.registry().valid(entity)) return core::Done{};
  return core::Error{"not seen", core::format("this player sees no entity {}", to_string(entity))};
}

// Entities of one prototype.
struct Group {
  ecs::PrototypeId prototype;
  std::size_t count;
  std::vector<std::string> first;  // handles
};

struct Line {
  std::string path;
  std::string value;
  std::string type;
};

// Lines by component name.
using Sections = std::map<std::string, std::vector<Line>>;

std::string layout(const Sections& sections) {
  std::size_t path_width = 0;
  std::size_t value_width = 0;
  for (const auto& [name, lines] : sections) {
    for (const Line& line : lines) {
      path_width = std::max(path_width, line.path.size());
      value_width = std::max(value_width, std::min(line.value.size(), value_width_max));
    }
  }
  std::string text;
  for (const auto& [name, lines] : sections) {
    text += '\n' + name + '\n';
    for (const Line& line : lines)
      text += core::format("  {:<{}}  {:<{}}  {}\n", line.path, path_width, line.value, value_width, line.type);
  }
  return text;
}

core::Result<std::string> list(Mirror& mirror, const ListingOptions& options) {
  if (!options.property.empty()) return describe_property(mirror, options.property);
  if (options.entity) return describe_properties(mirror, *options.entity);
  return describe_entities(mirror, groups_shown);
}

core::Result<std::string> list_server(const ListingOptions& options) {
  net::EventLoop loop;
  core::Result<std::unique_ptr<PipeClient>> opened = enter(
      loop, options.access, {.transport = {}, .name = options.name, .schema = options.schema, .resources = nullptr});
  if (!opened) return opened.error();
  PipeClient& client = **opened;
  const std::array all{&client};
  const Connection& connection = client.connection();
  loop.on_stop_signal([&] { loop.stop(); });
  const core::Nanoseconds end = core::monotonic_now() + complete_within;
  core::Nanoseconds next_update = core::monotonic_now();
  while (!loop.stopped() && !connection.complete() && !client.over() && core::monotonic_now() < end) {
    run_until(loop, next_update, all);
    client.update();
    next_update = core::monotonic_now() + update_interval;
  }
  core::Result<std::string> seen =
      core::Error{"incomplete", core::format("the world was not received within {} s", complete_within / core::second)};
  if (connection.complete()) {
    seen = list(*connection.mirror(), options);
  } else if (client.over()) {
    seen = core::Error{"closed",
                       core::format("closed: {}{}", to_string(connection.reason()), advice(connection.reason().code))};
  }
  client.close();
  return seen;
}

core::Result<std::string> list_recording(const ListingOptions& options) {
  core::Result<std::unique_ptr<Replay>> replay = Replay::open(options.recording);
  if (!replay) return replay.error();
  Connection& connection = (*replay)->connection();
  const core::Status played =
      (*replay)->run([&options](const Connection& playing) { return has_reached(playing, options.at); });
  if (!played)
    return core::Error{played.error().reason, core::format("{}: {}", options.recording, played.error().message)};
  if (connection.mirror() == nullptr)
    return core::Error{"incomplete",
                       core::format("{}: the recording ends before the world was received", options.recording)};
  return list(*connection.mirror(), options);
}

}  // namespace

std::string describe_entities(Mirror& mirror, std::size_t groups_max) {
  ecs::Registry& registry = mirror.registry();
  std::vector<Group> groups;
  std::map<ecs::PrototypeId, std::size_t> group_of;
  registry.entities().each([&](ecs::Entity entity) {
    const ecs::PrototypeId prototype = registry.prototypes().canonical(registry.prototype(entity));
    const auto [place, fresh] = group_of.try_emplace(prototype, groups.size());
    if (fresh) groups.push_back({prototype, 0, {}});
    Group& group = groups[place->second];
    if (++group.count <= handles_shown) group.first.push_back(to_string(entity));
  });
  std::ranges::sort(groups, [](const Group& a, const Group& b) {
    return a.count != b.count ? a.count > b.count : a.prototype < b.prototype;
  });

  std::string text = core::format("{} entities of {} prototypes\n", registry.entities().size(), groups.size());
  std::size_t others = registry.entities().size();
  for (const Group& group : groups | std::views::take(groups_max)) {
    others -= group.count;
    std::vector<std::string> components;
    for (const ecs::PoolId id : registry.prototypes().pools(group.prototype))
      components.push_back(title(registry.pool(id).instance_name(), registry.pool(id).type().name));
    std::ranges::sort(components);
    text += core::format("\n{} × {}\n  {}{}\n", group.count, fmt::join(components, ", "), fmt::join(group.first, " "),
                         group.count > group.first.size() ? " …" : "");
  }
  if (others > 0) text += core::format("\nand {} more\n", others);
  return text;
}

core::Result<std::string> describe_properties(Mirror& mirror, ecs::Entity entity) {
  if (const core::Status seen = expect_seen(mirror, entity); !seen) return seen.error();
  const index::Properties properties(mirror.registry(), mirror.schema(), mirror.names());
  const core::Result<std::vector<index::PropertyInfo>> all = properties.list(entity);
  if (!all) return all.error();
  Sections sections;
  for (const index::PropertyInfo& info : *all) {
    Line line{std::string(info.path), "", index::describe_type(info.field)};
    if (info.read_only) line.type += ", read only";
    if (sent(info.property.node(), mirror.is_owner(entity))) {
      core::Result<std::string> value = properties.get_text(entity, info.property);
      if (!value) return value.error();
      line.value = std::move(*value);
      // Only names of components are sent as text.
      if (info.field.kind == reflect::FieldKind::string_id && !line.value.starts_with('"'))
        line.type += ", known by its hash only";
    } else {
      line.value = "(not sent)";
    }
    sections[title(info.component, info.type)].push_back(std::move(line));
  }
  return core::format("entity {}: {} components\n{}", to_string(entity), sections.size(), layout(sections));
}

core::Result<std::string> describe_property(Mirror& mirror, std::string_view address) {
  const index::Properties properties(mirror.registry(), mirror.schema(), mirror.names());
  const core::Result<index::PropertyAddress> where = index::parse_property_address(address);
  if (!where) return where.error();
  if (const core::Status seen = expect_seen(mirror, where->entity); !seen) return seen.error();
  const core::Result<index::PropertyRef> found = properties.resolve(where->entity, where->component, where->path);
  if (!found) return found.error();
  if (!sent(found->node(), mirror.is_owner(where->entity)))
    return core::Error{
        "not sent",
        core::format("the server does not send all of '{}' to this client: it is server-only or owner-only", address)};
  core::Result<std::string> text = properties.get_text(where->entity, *found);
  if (text) *text += '\n';
  return text;
}

int run_listing(const ListingOptions& options) {
  const core::Result<std::string> seen = options.recording.empty() ? list_server(options) : list_recording(options);
  if (!seen) {
    core::log_error("client", "{}", seen.error().message);
    return 1;
  }
  process::print(*seen);
  return 0;
}

}  // namespace mobula::client
