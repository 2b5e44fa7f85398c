// Arbitrary bytes as what a cluster's coordinator answers, as what others wrote into it, and as its list of members.
//
//   input: a byte for the kind (see the table), the bytes
#include <algorithm>
#include <array>
#include <fuzz/fuzz.hpp>
#include <mobula/server/cluster/directory.hpp>
#include <mobula/server/cluster/etcd.hpp>
#include <mobula/server/cluster/ledger_state.hpp>
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

void status(std::string_view text) {
  const auto read = cluster::read_etcd_status(text);
  if (read) fuzz::require(read->store != 0 && read->member != 0, "a status has its store and its member");
  const auto voters = cluster::read_etcd_voters(text);
  if (voters) fuzz::require(!voters->empty() && !voters->contains(0), "a list has members with ids");
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
void crossing(std::string_view text) { record(text, cluster::parse_crossing); }
void ledger(std::string_view text) { record(text, cluster::parse_ledger); }

// The saved crossings of a world, which come out of its file.
void ledger_state(std::string_view text) {
  const auto read = cluster::parse_ledger_state(core::as_bytes(text.data(), text.size()));
  if (!read) return;
  const auto again = cluster::parse_ledger_state(cluster::to_bytes(*read));
  fuzz::require(again.ok() && *again == *read, "a ledger is written as it was read");
}

// A list of members that is accepted reads the same, and has no more members than its limit.
void members(std::string_view text) {
  const auto read = cluster::parse_members(text);
  if (!read) return;
  std::string all;
  for (const std::string& each : *read) all += (all.empty() ? "" : ",") + each;
  const auto again = cluster::parse_members(all);
  fuzz::require(again.ok() && *again == *read, "members are written as they were read");
  fuzz::require(!read->empty() && read->size() <= cluster::members_max, "the number of members is bounded");
}

// A coordinator that never answers by itself.
class Silent final : public cluster::Coordinator {
 public:
  cluster::RequestId list(std::string_view) override { return ++last_; }
  cluster::RequestId commit(const cluster::Transaction&) override { return ++last_; }
  cluster::RequestId grant(core::Nanoseconds) override { return ++last_; }
  cluster::RequestId keep_alive(cluster::LeaseId) override { return ++last_; }
  cluster::RequestId revoke(cluster::LeaseId) override { return ++last_; }
  cluster::RequestId survey() override { return ++last_; }
  void watch(std::string_view, cluster::Revision) override {}
  std::optional<cluster::Reply> poll() override { return std::nullopt; }
  std::optional<cluster::Changes> poll_changes() override { return std::nullopt; }
  [[nodiscard]] cluster::RequestId last() const { return last_; }

 private:
  cluster::RequestId last_ = 0;
};

// A directory over answers, one a line, in turn a list and changes. Its revision never falls.
void directory(std::string_view text) {
  Silent coordinator;
  cluster::Directory copy("c/");
  core::Nanoseconds now = 0;
  for (bool lists = true; !text.empty(); lists = !lists) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const cluster::Revision before = copy.revision();
    now += cluster::Directory::list_interval;
    copy.update(coordinator, now);
    if (auto read = cluster::read_etcd_reply(line); lists && read) {
      read->reply.request = coordinator.last();
      copy.on_reply(read->reply, now);
    } else if (auto some = cluster::read_etcd_changes(line); !lists && some) {
      copy.on_changes(some->changes, now);
    }
    fuzz::require(copy.revision() >= before, "the copy does not go back");
    fuzz::require(!copy.went_back() || !copy.trouble().empty(), "a store that went back is named");
  }
}

constexpr std::array kinds{reply,     changes,  node,   load,         world, members,
                           directory, crossing, ledger, ledger_state, status};

int run_target(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string exact(reinterpret_cast<const char*>(data + 1), size - 1);
  kinds[data[0] % kinds.size()](exact);
  return 0;
}

const mobula::fuzz::Target target("cluster", run_target);

}  // namespace
}  // namespace fuzz_cluster
