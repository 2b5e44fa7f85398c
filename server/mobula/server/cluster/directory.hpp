// Copy of a cluster's keys that follows their changes. It lists the keys, then watches them from the revision of the
// list. It lists again now and then: a watch at a member that is cut off from the others ends silently.
//
// A store that was restored from a backup has forgotten changes. The directory reports that it went back, and follows
// it no longer: epochs and runs of the forgotten time may be given again.
#pragma once

#include <map>
#include <mobula/server/cluster/records.hpp>

namespace mobula::cluster {

/// A record and the revisions of its key.
template <class Record>
struct Listed {
  Record record;
  Revision created = 0;
  Revision modified = 0;
};
template <class Record>
using ListedByName = std::map<std::string, Listed<Record>, std::less<>>;

class Directory {
 public:
  static constexpr core::Nanoseconds list_interval = 10 * core::second;
  static constexpr core::Nanoseconds retry_interval = core::second / 4;

  explicit Directory(std::string prefix) : prefix_(std::move(prefix)) {}

  /// Sends what is due.
  void update(Coordinator& coordinator, core::Nanoseconds now);
  /// Handles the reply to one of its requests. Returns false for others.
  bool on_reply(const Reply& reply, core::Nanoseconds now);
  /// Handles changes of the coordinator's watch, which it has for itself.
  void on_changes(const Changes& changes, core::Nanoseconds now);

  /// Returns true once all keys were listed.
  [[nodiscard]] bool complete() const { return revision_ != 0; }
  /// Returns the revision of the store that the copy is of. Later changes may exist.
  [[nodiscard]] Revision revision() const { return revision_; }
  /// Returns the keys, without the prefix.
  [[nodiscard]] const std::map<std::string, KeyValue, std::less<>>& keys() const { return keys_; }
  /// Returns the records among the keys, by name. Keys with values of another form are left out.
  [[nodiscard]] const ListedByName<NodeRecord>& nodes() const { return nodes_; }
  [[nodiscard]] const ListedByName<LoadRecord>& loads() const { return loads_; }
  [[nodiscard]] const ListedByName<WorldRecord>& worlds() const { return worlds_; }
  [[nodiscard]] const ListedByName<CrossingRecord>& crossings() const { return crossings_; }
  /// Returns the ledger of a world. Its revisions are 0 if there is none.
  [[nodiscard]] Listed<LedgerRecord> ledger(std::string_view world) const;
  /// Returns a key. Null if there is none.
  [[nodiscard]] const KeyValue* find(std::string_view key) const;
  /// Returns how often the list had what the watch had not.
  [[nodiscard]] std::uint64_t corrections() const { return corrections_; }
  /// Returns why the last list or watch failed. Empty after a success.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }
  /// Returns which values cannot be read, and why: one of them, and the number of others. Empty without one.
  [[nodiscard]] std::string unreadable() const;
  /// Returns the keys with this prefix whose values cannot be read.
  [[nodiscard]] std::vector<std::string> unreadable_keys(std::string_view prefix) const;
  /// Returns true if the store has lost changes that it had shown. It stays so, and trouble() is why.
  [[nodiscard]] bool went_back() const { return went_back_; }

 private:
  void compare_history(const Reply& reply);
  void adopt(const Reply& reply);
  void apply(const Change& change);
  void read(const std::string& key);
  template <class Record>
  void read_as(std::string_view prefix, const std::string& key, ListedByName<Record>& records,
               core::Result<Record> (*parse)(std::string_view));

  std::string prefix_;
  std::map<std::string, KeyValue, std::less<>> keys_;
  ListedByName<NodeRecord> nodes_;
  ListedByName<LoadRecord> loads_;
  ListedByName<WorldRecord> worlds_;
  ListedByName<CrossingRecord> crossings_;
  ListedByName<LedgerRecord> ledgers_;
  std::map<std::string, std::string, std::less<>> unreadable_;  // errors by key
  Revision revision_ = 0;
  RequestId request_ = 0;      // unanswered list; 0 for none
  Revision listed_from_ = 0;   // revision of the copy when the list was sent
  core::Nanoseconds due_ = 0;  // time of the next list
  bool watching_ = false;
  Revision watch_from_ = 0;  // where the watch is to begin with the next update(); 0 for no new watch
  std::uint64_t corrections_ = 0;
  std::string trouble_;
  bool went_back_ = false;
};

}  // namespace mobula::cluster
