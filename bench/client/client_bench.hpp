// Cost of a client through C++ and through the C interface: the same work, in one run, in turns.
#pragma once

#include <mobula/core/result.hpp>
#include <string>

namespace mobula::bench {

struct ClientOptions {
  std::uint32_t entities = 1000;  // all of them move, and both clients see all
  std::uint32_t ticks = 2000;     // measured
  std::uint32_t joins = 20;       // over the loopback interface, through each
};

// Microseconds per tick: datagrams are received, the connection is updated, changes and a column are read.
struct ClientCosts {
  double median = 0;
  double least = 0;
  double changes = 0;  // read per tick, mean
};

struct ClientReport {
  std::uint32_t entities = 0;
  ClientCosts cpp;
  ClientCosts c;
  double c_by_cpp = 0;  // median of the ratios of all ticks
  // Milliseconds from creating a client until an entity is in its mirror, medians; a server of 60 ticks per second.
  double first_entity_cpp_ms = 0;
  double first_entity_c_ms = 0;
  std::uint64_t verified_ticks = 0;
  std::uint64_t mismatches = 0;    // hashes of the server, and of both mirrors
  std::uint64_t shared_bytes = 0;  // sizes of the libraries; 0 if a file is missing
  std::uint64_t static_bytes = 0;
};

// Errors: those of starting a server and of opening sockets; "not joined".
core::Result<ClientReport> run_clients(const ClientOptions& options);

std::string to_json(const ClientReport& report);
std::string to_table(const ClientReport& report);

}  // namespace mobula::bench
