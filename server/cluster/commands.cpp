#include <cluster/answers.hpp>
#include <cluster/commands.hpp>
#include <cluster/player_sender.hpp>
#include <cluster/world_token.hpp>
#include <limits>
#include <mobula/core/format.hpp>
#include <mobula/process/complete_files.hpp>
#include <mobula/process/key_file.hpp>

namespace mobula::cluster {
namespace {

constexpr std::size_t map_bytes_max = 1u << 20;
constexpr core::Nanoseconds patience = 4 * core::second;

core::Result<WorldRecord> find_world(EtcdSession& session, const std::string& name) {
  if (const core::Status ready = session.control().wait_until_ready(); !ready) return ready.error();
  std::optional<WorldRecord> world = session.control().world(name);
  if (!world) return core::Error{"no such world", core::format("there is no world '{}'", name)};
  return std::move(*world);
}

core::Result<std::string> change_map(const CommandOptions& options, const Control::MapChange& change) {
  EtcdSession session(options.at, true, patience);
  const core::Result<server::ZoneMap> changed = session.control().change_map(options.map, change);
  if (!changed) return changed.error();
  return text_of(map_json(options.map, *changed));
}

}  // namespace

core::Result<std::string> list(const CommandOptions& options) {
  EtcdSession session(options.at, false, patience);
  Control& control = session.control();
  if (const core::Status ready = control.wait_until_ready(); !ready) return ready.error();
  const Page all{.limit = std::numeric_limits<std::size_t>::max()};
  return text_of(
      Json{{"nodes", nodes_json(control.directory(), all)["nodes"]}, {"worlds", worlds_json(control, all)["worlds"]}});
}

core::Result<std::string> place(const CommandOptions& options) {
  EtcdSession session(options.at, true, patience);
  Control& control = session.control();
  if (const core::Status created = control.create(options.world, options.game); !created) return created.error();
  return text_of(world_json(options.world, control.world(options.world).value_or(WorldRecord{.game = options.game})));
}

core::Result<std::string> map(const CommandOptions& options) {
  const core::Result<core::Bytes> file = process::read_file(options.map_file, map_bytes_max);
  if (!file) return file.error();
  const core::Result<server::ZoneMap> zones =
      server::ZoneMap::parse({reinterpret_cast<const char*>(file->data()), file->size()});
  if (!zones) return zones.error();
  EtcdSession session(options.at, true, patience);
  if (const core::Status created = session.control().create_map(options.map, *zones, options.game); !created)
    return created.error();
  return text_of(map_json(options.map, *zones));
}

core::Result<std::string> split(const CommandOptions& options) {
  return change_map(options, [&](const server::ZoneMap& map) { return map.split(options.zone, options.cut); });
}

core::Result<std::string> merge(const CommandOptions& options) {
  return change_map(options, [&](const server::ZoneMap& map) { return map.merge(options.zone, options.into); });
}

core::Result<std::string> drain(const CommandOptions& options) {
  EtcdSession session(options.at, false, patience);
  if (const core::Status drained = session.control().drain(options.node); !drained) return drained.error();
  return text_of(Json{{"node", options.node}, {"draining", true}});
}

core::Result<std::string> resolve(const CommandOptions& options) {
  EtcdSession session(options.at, false, patience);
  const core::Result<WorldRecord> world = find_world(session, options.world);
  if (!world) return world.error();
  return text_of(world_json(options.world, *world));
}

core::Result<std::string> send(const CommandOptions& options) {
  core::Result<std::string> bearer = load_node_token(options.node_token_file, "");
  if (!bearer) return bearer.error();
  EtcdSession session(options.at, false, patience);
  if (const core::Status ready = session.control().wait_until_ready(); !ready) return ready.error();
  NodeAddresses addresses(look_up_host);
  PlayerSender sender(session.events(), addresses, session.control(), std::move(*bearer));
  const core::Result<std::string> from = sender.send(options.account, options.world);
  if (!from) return from.error();
  return text_of(sent_json(options.account, *from, options.world));
}

core::Result<std::string> token(const CommandOptions& options) {
  const core::Result<core::SecretKey> key = process::load_shared_key(options.key_file, "cluster");
  if (!key) return key.error();
  EtcdSession session(options.at, false, patience);
  const core::Result<WorldRecord> world = find_world(session, options.world);
  if (!world) return world.error();
  if (const core::Status admits = session.control().admits(options.world, *world); !admits) return admits.error();
  return world_token_json(*key, world->addresses, options.account);
}

}  // namespace mobula::cluster
