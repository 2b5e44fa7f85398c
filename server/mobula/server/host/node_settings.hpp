// Settings that a node of a cluster cannot have.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/server/host/config.hpp>

namespace mobula::server {

/// Refuses settings that a node cannot have, files that are missing among them: "bad configuration". Accepts any
/// configuration without a cluster.
core::Status check_node_settings(const HostConfig& config);

}  // namespace mobula::server
