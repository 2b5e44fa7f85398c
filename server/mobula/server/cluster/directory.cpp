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
  read_as(nodes_prefix, key, nodes_, parse_node);
  read_as(loads_prefix, key, loads_, parse_load);
  read_as(worlds_prefix, key, worlds_, parse_world);
  read_as(crossings_prefix, key, crossings_, parse_crossing);
  read_as(ledgers_prefix, key, ledgers_, parse_ledger);
}

template <class Record>
void Directory::read_as(std::string_view prefix, const std::string& key, ListedByName<Record>& records,
                        core::Result<Record> (*parse)(std::string_view)) {
  const std::string name = name_in(key, prefix);
  if (name.empty()) return;
  records.erase(name);
  unreadable_.erase(key);
  const KeyValue* const value = find(key);
  if (value == nullptr) return;
  if (const core::Status good = core::check_name(name); !good) {
    unreadable_[key] = good.error().message;
    return;
  }
  if (core::Result<Record> record = parse(value->value))
    records[name] = {std::move(*record), value->created, value->modified};
  else
    unreadable_[key] = record.error().message;
}

std::vector<std::string> Directory::unreadable_keys(std::string_view prefix) const {
  std::vector<std::string> keys;
  for (auto each = unreadable_.lower_bound(prefix); each != unreadable_.end() && each->first.starts_with(prefix);
       ++each)
    keys.push_back(each->first);
  return keys;
}

std::string Directory::unreadable() const {
  if (unreadable_.empty()) return {};
  const auto& [key, why] = *unreadable_.begin();
  std::string text = "the value of key '" + core::shown(prefix_ + key, key_bytes_shown) + "' cannot be read: " + why;
  if (unreadable_.size() > 1) text += " (" + std::to_string(unreadable_.size() - 1) + " more like this)";
  return text;
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
