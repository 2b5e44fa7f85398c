#include <algorithm>
#include <mobula/core/name.hpp>
#include <mobula/core/text.hpp>
#include <mobula/server/cluster/directory.hpp>
#include <utility>

namespace mobula::cluster {
namespace {

constexpr std::size_t key_bytes_shown = 200;  // in an error

// Returns what follows the prefix; empty if the key has another one.
std::string name_in(std::string_view key, std::string_view prefix) {
  return std::string(key.starts_with(prefix) ? key.substr(prefix.size()) : "");
}

template <class Record>
void put(ListedByName<Record>& records, const std::string& name, const KeyValue* value,
         core::Result<Record> (*parse)(std::string_view)) {
  if (!core::is_good_name(name)) return;
  core::Result<Record> record = parse(value == nullptr ? "" : value->value);
  if (record)
    records[name] = {std::move(*record), value->created, value->modified};
  else
    records.erase(name);
}

}  // namespace

void Directory::update(Coordinator& coordinator, core::Nanoseconds now) {
  if (went_back_) return;
  if (watch_from_ != 0) coordinator.watch(prefix_, std::exchange(watch_from_, 0));
  if (request_ != 0 || now < due_) return;
  request_ = coordinator.list(prefix_);
  listed_from_ = revision_;
  due_ = now + list_interval;
}

bool Directory::on_reply(const Reply& reply, core::Nanoseconds now) {
  if (request_ == 0 || reply.request != request_) return false;
  request_ = 0;
  if (reply.error) {
    trouble_ = reply.error->message;
    due_ = std::min(due_, now + retry_interval);
    return true;
  }
  compare_history(reply);
  if (went_back_) return true;
  trouble_.clear();
  if (reply.revision >= revision_) adopt(reply);  // else changes have overtaken it
  return true;
}

// A list has what was committed before it was requested. An older one is of a store that has lost changes, and so is
// one with an older value of a key.
void Directory::compare_history(const Reply& reply) {
  if (reply.revision < listed_from_) {
    went_back_ = true;
    trouble_ = "the coordinator went back from revision " + std::to_string(listed_from_) + " to " +
               std::to_string(reply.revision) + ", as after a restored backup; restart the cluster's processes";
    return;
  }
  if (reply.revision < revision_) return;
  for (const KeyValue& each : reply.values) {
    const KeyValue* const known = find(name_in(each.key, prefix_));
    if (known == nullptr || each.modified >= known->modified) continue;
    went_back_ = true;
    trouble_ = "the coordinator went back: key '" + core::shown(each.key, key_bytes_shown) + "' was of revision " +
               std::to_string(known->modified) + " and is of " + std::to_string(each.modified) +
               ", as after a restored backup; restart the cluster's processes";
    return;
  }
}

void Directory::adopt(const Reply& reply) {
  std::map<std::string, KeyValue, std::less<>> listed;
  for (const KeyValue& each : reply.values)
    if (each.key.starts_with(prefix_)) listed.emplace(name_in(each.key, prefix_), each);
  revision_ = reply.revision;
  if (watching_ && listed == keys_) return;
  corrections_ += watching_ ? 1 : 0;
  keys_.swap(listed);
  for (const auto& [key, value] : listed) read(key);
  for (const auto& [key, value] : keys_) read(key);
  watching_ = true;
  watch_from_ = revision_ + 1;
}

void Directory::on_changes(const Changes& changes, core::Nanoseconds now) {
  if (went_back_) return;
  if (changes.error) {
    trouble_ = changes.error->message;
    watching_ = false;
    due_ = std::min(due_, now + retry_interval);
    return;
  }
  if (changes.revision <= revision_) return;  // listed already
  for (const Change& change : changes.changes) apply(change);
  revision_ = changes.revision;
}

void Directory::apply(const Change& change) {
  if (!change.value.key.starts_with(prefix_)) return;
  const std::string key = name_in(change.value.key, prefix_);
  if (change.erased)
    keys_.erase(key);
  else
    keys_[key] = change.value;
  read(key);
}

// Brings the record of a key up to date.
void Directory::read(const std::string& key) {
  const KeyValue* const value = find(key);
  put(nodes_, name_in(key, nodes_prefix), value, parse_node);
  put(loads_, name_in(key, loads_prefix), value, parse_load);
  put(worlds_, name_in(key, worlds_prefix), value, parse_world);
  put(crossings_, name_in(key, crossings_prefix), value, parse_crossing);
  put(ledgers_, name_in(key, ledgers_prefix), value, parse_ledger);
}

Listed<LedgerRecord> Directory::ledger(std::string_view world) const {
  const auto found = ledgers_.find(world);
  return found == ledgers_.end() ? Listed<LedgerRecord>{} : found->second;
}

const KeyValue* Directory::find(std::string_view key) const {
  const auto found = keys_.find(key);
  return found == keys_.end() ? nullptr : &found->second;
}

}  // namespace mobula::cluster
