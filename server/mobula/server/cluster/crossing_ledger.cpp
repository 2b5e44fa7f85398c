#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/server/cluster/crossing_ledger.hpp>
#include <utility>

namespace mobula::cluster {
namespace {

// Returns whether two crossings have a player or an entity in common.
bool are_related(const CrossingRecord& a, const CrossingRecord& b) {
  return (!a.account.empty() && a.account == b.account) ||
         std::ranges::find_first_of(a.entities, b.entities) != a.entities.end();
}

}  // namespace

core::Status CrossingLedger::restore(LedgerState saved, const std::vector<Crossing>& existing, std::uint64_t settled) {
  if (saved.version < settled)
    return core::Error{
        "old save",
        core::format(
            "the save of world \"{}\" is older than its crossings (version {}, settled is {}): some of its "
            "players are in other worlds. Restore a newer save, or erase the key ledgers/{} in etcd to keep both",
            world_, saved.version, settled, world_)};
  state_ = std::move(saved);
  std::set<std::string> exist;
  for (const Crossing& each : existing) exist.insert(each.id);
  const auto is_gone = [&](const std::string& id) { return !exist.contains(id); };
  std::erase_if(state_.left, is_gone);
  std::erase_if(state_.arrived, is_gone);
  // First, as an owner since the save has done it too: its decisions about these players follow.
  for (const auto& [id, record] : std::map(state_.prepared))
    if (is_gone(id)) take_back(id);
  std::map<std::string, const Crossing*> last;  // by account
  for (const Crossing& each : existing) {
    handle(each.id, each.record);
    last[each.record.account] = &each;
  }
  for (const auto& [account, crossing] : last)
    if (crossing->record.source == world_ && !has_returned(*crossing)) home_.leave(crossing->record);
  return core::Done{};
}

// Returns whether the save has the player again, by a later crossing whose record is erased.
bool CrossingLedger::has_returned(const Crossing& departure) const {
  return state_.left.contains(departure.id) && home_.has(departure.record.account);
}

void CrossingLedger::prepare(const std::string& id, CrossingRecord record) {
  ++state_.version;
  state_.prepared[id] = std::move(record);
}

void CrossingLedger::on_event(const CrossingEvent& event) {
  using Kind = CrossingEvent::Kind;
  switch (event.kind) {
    case Kind::departed: depart(event.id, event.record); return home_.leave(event.record);
    case Kind::refused: return take_back(event.id);
    case Kind::arriving: return arrive(event.id, event.record);
    case Kind::settled: return forget(event.id);
  }
}

void CrossingLedger::handle(const std::string& id, const CrossingRecord& record) {
  record.source == world_ ? depart(id, record) : arrive(id, record);
}

// Returns whether an earlier crossing has to be handled first. A player alone need not arrive before it leaves again.
bool CrossingLedger::is_blocked(const CrossingRecord& record) const {
  const auto blocks = [&](const CrossingRecord& other) {
    return are_related(other, record) && !(other.entities.empty() && record.entities.empty());
  };
  return std::ranges::any_of(waiting_, blocks, &Crossing::record) ||
         std::ranges::any_of(returning_, [&](const std::string& id) { return blocks(state_.prepared.at(id)); });
}

// A world that was saved before has the player, or was about to take them in or back by a crossing before this one.
void CrossingLedger::depart(const std::string& id, const CrossingRecord& record) {
  if (state_.left.contains(id)) return;
  if (!state_.prepared.contains(id) && is_blocked(record)) return waiting_.push_back({id, record});
  state_.left.insert(id);
  ++state_.version;
  returning_.erase(id);
  if (state_.prepared.erase(id) > 0) return;
  home_.remove(record);
  std::erase_if(waiting_, [&](const Crossing& each) {
    const bool is_over = are_related(each.record, record);
    if (is_over) state_.arrived.insert(each.id);
    return is_over;
  });
  for (const std::string& refused : std::set(returning_)) {
    if (!are_related(state_.prepared.at(refused), record)) continue;
    state_.prepared.erase(refused);
    returning_.erase(refused);
  }
}

void CrossingLedger::arrive(const std::string& id, const CrossingRecord& record) {
  if (state_.arrived.contains(id)) return;
  if (is_blocked(record) || !home_.take(record)) return waiting_.push_back({id, record});
  ++state_.version;
  state_.arrived.insert(id);
}

void CrossingLedger::take_back(const std::string& id) {
  const auto found = state_.prepared.find(id);
  if (found == state_.prepared.end()) return;
  if (!home_.take(found->second)) {
    returning_.insert(id);
    return;
  }
  ++state_.version;
  state_.prepared.erase(found);
  returning_.erase(id);
}

void CrossingLedger::forget(const std::string& id) {
  state_.left.erase(id);
  state_.arrived.erase(id);
  std::erase_if(waiting_, [&](const Crossing& each) { return each.id == id; });
}

void CrossingLedger::retry() {
  for (const std::string& id : std::set(returning_)) take_back(id);
  for (const auto& [id, record] : std::exchange(waiting_, {})) handle(id, record);
}

}  // namespace mobula::cluster
