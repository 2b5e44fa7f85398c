#include <algorithm>
#include <mobula/server/cluster/crossings.hpp>
#include <mobula/server/cluster/pop_front.hpp>
#include <utility>

namespace mobula::cluster {
namespace {

using Entry = ListedByName<CrossingRecord>::const_iterator;

// Returns entries in the order in which their keys were created.
std::vector<Entry> in_order(const ListedByName<CrossingRecord>& crossings) {
  std::vector<Entry> all;
  for (Entry each = crossings.begin(); each != crossings.end(); ++each) all.push_back(each);
  std::ranges::sort(all, {}, [](Entry each) { return each->second.created; });
  return all;
}

// etcd takes requests of 1.5 MiB. A record of crossing_bytes_max has half of that.
constexpr std::size_t commit_bytes_max = 1024 * 1024;

// Returns whether a commit has room for another record. It always has for the first one.
bool has_room(const Transaction& transaction, const std::string& json) {
  std::size_t bytes = json.size();
  for (const Put& put : transaction.puts) bytes += put.value.size();
  return transaction.puts.empty() || bytes <= commit_bytes_max;
}

}  // namespace

std::string Crossings::key_of(std::string_view prefix, std::string_view name) const {
  return cluster_ + std::string(prefix) + std::string(name);
}

Crossings::World* Crossings::find(std::string_view world, std::uint64_t epoch) {
  const auto found = worlds_.find(world);
  return found == worlds_.end() || found->second.epoch != epoch ? nullptr : &found->second;
}

std::vector<Crossing> Crossings::open(const Directory& directory, const std::string& world, std::uint64_t epoch) {
  World& opened = worlds_[world] = World{.epoch = epoch, .version = directory.ledger(world).record.version};
  std::vector<Crossing> existing;
  for (const Entry each : in_order(directory.crossings())) {
    const CrossingRecord& record = each->second.record;
    if (record.source != world && record.target != world) continue;
    opened.reported[each->first] = 0;
    existing.push_back({each->first, record});
  }
  return existing;
}

void Crossings::close(std::string_view world) {
  if (const auto found = worlds_.find(world); found != worlds_.end()) worlds_.erase(found);
  std::erase_if(events_, [&](const CrossingEvent& each) { return each.world == world; });
}

void Crossings::depart(const std::string& world, std::uint64_t epoch, const std::string& id, CrossingRecord record) {
  if (World* const source = find(world, epoch)) source->departures[id] = std::move(record);
}

void Crossings::saved(std::string_view world, std::uint64_t epoch, std::uint64_t version,
                      const std::vector<std::string>& ids) {
  World* const found = find(world, epoch);
  if (found == nullptr) return;
  found->version = std::max(found->version, version);
  found->saved.insert(ids.begin(), ids.end());
}

void Crossings::update(Coordinator& coordinator, const Directory& directory, core::Nanoseconds now) {
  now_ = now;
  if (std::exchange(reported_, directory.revision()) != directory.revision()) report(directory);
  for (auto& [name, world] : worlds_) {
    if (world.request != 0 || now < world.due || directory.revision() < world.shown) continue;
    if (!is_owner(directory, name, world)) continue;
    const Transaction transaction = next_commit(directory, name, world);
    if (!transaction.conditions.empty()) world.request = coordinator.commit(transaction);
  }
}

// The key counts, whatever its value is: that of a newer version may not be read here.
void Crossings::report_settled(const Directory& directory) {
  for (auto& each : worlds_) {
    World& world = each.second;
    std::erase_if(world.reported, [&](const auto& known) {
      const auto& [id, shown] = known;
      const bool exists = directory.find(std::string(crossings_prefix) + id) != nullptr;
      if (exists || directory.revision() < shown) return false;
      events_.push_back({.kind = Kind::settled, .world = each.first, .epoch = world.epoch, .id = id});
      world.saved.erase(id);
      return true;
    });
  }
}

void Crossings::report(const Directory& directory) {
  report_settled(directory);
  for (const Entry each : in_order(directory.crossings())) {
    const auto& [id, listed] = *each;
    for (const auto& [name, kind] :
         {std::pair(&listed.record.source, Kind::departed), std::pair(&listed.record.target, Kind::arriving)}) {
      const auto world = worlds_.find(*name);
      if (world == worlds_.end() || !world->second.reported.try_emplace(id, 0).second) continue;
      world->second.departures.erase(id);
      events_.push_back(
          {.kind = kind, .world = *name, .epoch = world->second.epoch, .id = id, .record = listed.record});
    }
  }
}

// As the directory shows it; the commit's condition holds if it still is so.
bool Crossings::is_owner(const Directory& directory, const std::string& name, const World& world) const {
  const auto found = directory.worlds().find(name);
  if (found == directory.worlds().end()) return false;
  const WorldRecord& record = found->second.record;
  return record.state != WorldState::waiting && record.epoch == world.epoch;
}

// Returns a transaction without conditions if there is nothing to commit.
Transaction Crossings::next_commit(const Directory& directory, const std::string& name, World& world) const {
  Transaction transaction;
  add_departures(world, transaction);
  add_saves(directory, name, world, transaction);
  if (transaction.conditions.empty()) return transaction;
  const std::string ledger = key_of(ledgers_prefix, name);
  transaction.conditions.push_back({key_of(worlds_prefix, name), directory.worlds().find(name)->second.modified});
  transaction.conditions.push_back({ledger, directory.ledger(name).modified});
  transaction.puts.push_back({ledger, to_json(LedgerRecord{world.version})});
  return transaction;
}

void Crossings::add_departures(World& world, Transaction& transaction) const {
  world.sent.clear();
  for (const auto& [id, record] : world.departures) {
    std::string json = to_json(record);
    if (world.sent.size() == crossings_max || !has_room(transaction, json)) return;
    const std::string key = key_of(crossings_prefix, id);
    transaction.conditions.push_back({key, 0});
    transaction.puts.push_back({key, std::move(json)});
    world.sent.push_back(id);
  }
}

void Crossings::add_saves(const Directory& directory, const std::string& name, World& world,
                          Transaction& transaction) const {
  for (auto id = world.saved.begin(); id != world.saved.end() && transaction.conditions.size() < crossings_max;) {
    const auto listed = directory.crossings().find(*id);
    if (listed == directory.crossings().end()) {  // settled
      id = world.saved.erase(id);
      continue;
    }
    CrossingRecord record = listed->second.record;
    if (std::exchange(record.source == name ? record.left : record.arrived, true)) {
      id = world.saved.erase(id);
      continue;
    }
    const bool is_settled = record.left && record.arrived;
    std::string json = is_settled ? std::string() : to_json(record);
    if (!has_room(transaction, json)) return;
    const std::string key = key_of(crossings_prefix, *id++);
    transaction.conditions.push_back({key, listed->second.modified});
    if (is_settled)
      transaction.erased.push_back(key);
    else
      transaction.puts.push_back({key, std::move(json)});
  }
}

bool Crossings::on_reply(const Reply& reply, core::Nanoseconds now) {
  const auto found = std::ranges::find(worlds_, reply.request, [](const auto& each) { return each.second.request; });
  if (found == worlds_.end()) return false;
  on_outcome(found->first, found->second, reply, now);
  return true;
}

// After an answer no attempt before it can take effect any more: the ledger's key has changed.
void Crossings::on_outcome(const std::string& name, World& world, const Reply& reply, core::Nanoseconds now) {
  world.request = 0;
  if (reply.error && (may_hold(*reply.error) || world.is_open)) {
    world.is_open = true;
    world.due = now + retry_interval;
    return;
  }
  world.is_open = false;
  world.shown = reply.revision;
  if (reply.error) {
    world.due = now + retry_interval;
    if (reply.error->reason == std::string_view("no space")) full_until_ = now + full_for;
    for (const std::string& id : world.sent) end_departure(Kind::refused, name, world, id, reply.error->message);
  } else if (reply.committed) {
    for (const std::string& id : world.sent) {
      world.reported[id] = reply.revision;
      end_departure(Kind::departed, name, world, id, "");
    }
  }
}

// The directory may have shown it already.
void Crossings::end_departure(Kind kind, const std::string& name, World& world, const std::string& id,
                              std::string why) {
  auto departure = world.departures.extract(id);
  if (departure.empty()) return;
  events_.push_back({.kind = kind,
                     .world = name,
                     .epoch = world.epoch,
                     .id = id,
                     .record = std::move(departure.mapped()),
                     .why = std::move(why)});
}

std::optional<CrossingEvent> Crossings::poll() { return pop_front(events_); }

}  // namespace mobula::cluster
