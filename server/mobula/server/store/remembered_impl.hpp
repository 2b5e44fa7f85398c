// Map from a row's key to its hash, as the file has it. The writer compares with it instead of reading the file.
// Changes belong to a transaction; rollback() undoes them.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <vector>

namespace mobula::store {

template <class Value, class Key = std::uint32_t>
class Remembered {
 public:
  // Returns the value of a key. Null if there is none.
  [[nodiscard]] const Value* find(const Key& key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? nullptr : &found->second;
  }
  void set(const Key& key, const Value& value) {
    const auto [at, is_new] = values_.try_emplace(key, value);
    undo_.push_back({key, !is_new, at->second});
    at->second = value;
  }
  void erase(const Key& key) {
    const auto found = values_.find(key);
    if (found == values_.end()) return;
    undo_.push_back({key, true, found->second});
    values_.erase(found);
  }
  void commit() { undo_.clear(); }
  void rollback() {
    for (auto each = undo_.rbegin(); each != undo_.rend(); ++each) {
      if (each->was_there) {
        values_.insert_or_assign(each->key, each->value);
      } else {
        values_.erase(each->key);
      }
    }
    undo_.clear();
  }
  void clear() {
    values_.clear();
    undo_.clear();
  }
  void reserve(std::size_t count) { values_.reserve(count); }
  template <class Function>
  void each(Function&& function) const {
    for (const auto& [key, value] : values_) function(key, value);
  }

 private:
  struct Undo {
    Key key;
    bool was_there;
    Value value;
  };

  boost::unordered_flat_map<Key, Value> values_;
  std::vector<Undo> undo_;
};

}  // namespace mobula::store
