// Arbitrary bytes as what a cluster's coordinator answers, and as what others wrote into it.
//
//   input: a byte for the kind (see the table), the bytes
#include <array>
#include <fuzz/fuzz.hpp>
#include <mobula/server/cluster/etcd_messages.hpp>
#include <mobula/server/cluster/records.hpp>

namespace fuzz_cluster {

using namespace mobula;

namespace {

void reply(std::string_view text) {
  const auto read = cluster::read_etcd_reply(text);
  if (!read) return;
  fuzz::require(read->store != 0 && read->reply.revision > 0, "an answer has a store and its revision");
  fuzz::require(read->reply.ttl >= 0, "no time is negative");
  for (const cluster::KeyValue& each : read->reply.values)
    fuzz::require(!each.key.empty() && each.created > 0 && each.modified > 0, "a key was created and modified");
}

void changes(std::string_view text) {
  const auto read = cluster::read_etcd_changes(text);
  if (!read || read->changes.error) return;
  for (const cluster::Change& each : read->changes.changes)
    fuzz::require(each.erased == (each.value.created == 0), "an erased key has no creation");
}

// A record is written in a form that reads the same.
template <class Record>
void record(std::string_view text, core::Result<Record> (*parse)(std::string_view)) {
  const core::Result<Record> read = parse(text);
  if (!read) return;
  const core::Result<Record> again = parse(cluster::to_json(*read));
  fuzz::require(again.ok() && *again == *read, "a record is written as it was read");
}

void node(std::string_view text) { record(text, cluster::parse_node); }
void load(std::string_view text) { record(text, cluster::parse_load); }
void world(std::string_view text) { record(text, cluster::parse_world); }

constexpr std::array kinds{reply, changes, node, load, world};

int run_target(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string exact(reinterpret_cast<const char*>(data + 1), size - 1);
  kinds[data[0] % kinds.size()](exact);
  return 0;
}

const mobula::fuzz::Target target("cluster", run_target);

}  // namespace
}  // namespace fuzz_cluster
