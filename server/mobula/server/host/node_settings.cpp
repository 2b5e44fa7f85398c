#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mobula/core/format.hpp>
#include <mobula/net/resolve.hpp>
#include <mobula/process/key_file.hpp>
#include <mobula/resource/files/resource_file.hpp>
#include <mobula/server/host/node_settings.hpp>
#include <span>

namespace mobula::server {
namespace {

constexpr std::uint32_t port_max = 65535;

core::Error wrong(std::string message) { return {"bad configuration", std::move(message)}; }

// Whether an address is a URL, or has a port of its own instead of the default.
bool has_port(const std::string& text) {
  const auto port_with = [&](std::uint16_t otherwise) {
    const core::Result<net::WrittenAddress> written = net::parse_address(text, otherwise);
    return written ? written->at.port : std::uint16_t{0};
  };
  return text.find("://") != std::string::npos || port_with(1) == port_with(2);
}

// Worlds of one pipe have consecutive ports, from that of the option on.
struct PortRange {
  std::string_view flag;
  std::uint32_t first = 0;  // 0 takes any free ports
  std::uint32_t count = 0;
};

core::Status check_ports(const HostConfig& config, std::uint32_t worlds) {
  const std::array<PortRange, 4> all{{{"--port", config.port, worlds},
                                      {"--tcp-port", config.tcp_port.value_or(0), worlds},
                                      {"--ws-port", config.ws_port.value_or(0), worlds},
                                      {"--admin-port", config.admin_port, 1}}};
  for (const PortRange& each : all)
    if (each.first != 0 && each.first + each.count - 1 > port_max)
      return wrong(core::format("{} {}: the last of {} worlds would have port {}; the maximum is {}", each.flag,
                                each.first, worlds, each.first + each.count - 1, port_max));
  // UDP has ports of its own.
  for (const PortRange& a : std::span(all).subspan(1))
    for (const PortRange& b : std::span(all).subspan(1))
      if (a.first != 0 && b.first >= a.first && &a != &b && b.first < a.first + a.count)
        return wrong(core::format("{} {}: {} worlds have the ports {} to {} for {}; choose another one", b.flag,
                                  b.first, worlds, a.first, a.first + a.count - 1, a.flag));
  return core::Done{};
}

core::Status check_access(std::string_view flag, const std::string& path, int mode) {
  if (path.empty() || ::access(path.c_str(), mode) == 0) return core::Done{};
  return wrong(core::format("{} {}: {}", flag, path, std::strerror(errno)));
}

// A node that opens no world would be given one after the other.
core::Status check_files(const HostConfig& config) {
  std::error_code missing;
  if (!config.db.empty() && !std::filesystem::is_directory(config.db, missing))
    return wrong(core::format("--db {}: the folder of a node's worlds is missing; make it first", config.db));
  if (core::Status good = check_access("--db", config.db, W_OK); !good) return good;
  if (core::Status good = check_access("--certificate", config.certificate, R_OK); !good) return good;
  if (core::Status good = check_access("--certificate-key", config.certificate_key, R_OK); !good) return good;
  if (const auto key = process::load_key_file(config.key_file); !key)
    return wrong("--key-file: " + key.error().message);
  if (config.level.empty()) return core::Done{};
  const core::Result<std::shared_ptr<const resource::Resource>> level = resource::load_file(config.level);
  return level ? core::Status(core::Done{}) : wrong("--level: " + level.error().message);
}

core::Status check(const HostConfig& config, std::uint32_t worlds) {
  if (config.node.empty()) return wrong("--node: a node of a cluster has a name");
  if (config.disconnected_max == 0)
    return wrong(
        "--max-disconnected: allow 1 or more, since players who arrive from other worlds wait for their clients");
  if (config.web_port) return wrong("--web-port: a node of a cluster has no web address; serve the page elsewhere");
  if (config.agones) return wrong("--agones: Agones gives a server one port, and each world of a node needs one");
  if (worlds > 1 && !config.bans_file.empty())
    return wrong("--bans: the file belongs to one world; give a node of several worlds none");
  for (const std::string& text : config.public_addresses) {
    if (worlds > 1 && has_port(text))
      return wrong(
          core::format("--public-address {}: the worlds of a node have a port each; give the host alone", text));
  }
  if (core::Status good = check_ports(config, worlds); !good) return good;
  return check_files(config);
}

}  // namespace

core::Status check_node_settings(const HostConfig& config) {
  if (config.cluster.empty()) return core::Done{};
  const core::Result<std::uint32_t> worlds = parse_capacity(config.capacity);
  return worlds ? check(config, *worlds) : worlds.error();
}

}  // namespace mobula::server
