// Time until a new client mirrors an entity, over the loopback interface.
#pragma once

#include <vector>

#include "replication/replication_bench.hpp"

namespace mobula::bench {

// Milliseconds of each join.
struct FirstEntity {
  std::vector<double> cpp_ms;
  std::vector<double> c_ms;
};

// Joins a server with a UDP socket `joins` times through C++ and through C, in turns. Reasons: those of starting a
// server and of opening sockets; "not joined".
core::Result<FirstEntity> time_first_entity(const ReplicationOptions& options, std::uint32_t joins);

}  // namespace mobula::bench
