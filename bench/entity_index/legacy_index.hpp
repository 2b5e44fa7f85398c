// The text's old index: a map from entity to the list of its components. Entries are {name, manager}; the text's
// instance id has been replaced by the name. A list is a chain of cache lines with seven entries each, from one array,
// reused when its entity is destroyed: no allocation per entity.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>

#include "entity_index/text_handles.hpp"
#include "entity_index/workload.hpp"

namespace mobula::bench {

class LegacyIndex {
 public:
  using Handle = TextHandle;

  explicit LegacyIndex(const Workload&) {}

  // The empty list needs no entry.
  Handle create() { return handles_.create(); }
  void add(Handle entity, const Component& component) {
    std::uint32_t& list = list_of_.try_emplace(entity.id, none).first->second;
    if (list == none || lines_[list].count == entries_per_line) list = take_line(list);
    Line& line = lines_[list];
    line.entries[line.count++] = {component.name, component.manager};
  }

  [[nodiscard]] std::uint32_t find(Handle entity, core::StringId32 name) const {
    const auto found = list_of_.find(entity.id);
    if (found == list_of_.end()) return no_component;
    for (std::uint32_t at = found->second; at != none; at = lines_[at].next) {
      const Line& line = lines_[at];
      for (std::uint32_t i = 0; i < line.count; ++i)
        if (line.entries[i].name == name) return line.entries[i].manager;
    }
    return no_component;
  }

  void destroy(std::span<const Handle> entities) {
    for (const Handle entity : entities) {
      if (const auto found = list_of_.find(entity.id); found != list_of_.end()) {
        give_back(found->second);
        list_of_.erase(found);
      }
      handles_.destroy(entity);
    }
  }

  void clean_up() {}  // each list is freed with its entity

 private:
  static constexpr std::uint32_t none = ~0u;
  static constexpr std::uint32_t entries_per_line = 7;

  struct Entry {
    core::StringId32 name;
    std::uint32_t manager = 0;
  };
  // 64 bytes.
  struct alignas(64) Line {
    std::uint32_t next = none;
    std::uint32_t count = 0;
    std::array<Entry, entries_per_line> entries;
  };

  std::uint32_t take_line(std::uint32_t next) {
    std::uint32_t line = free_;
    if (line != none) {
      free_ = lines_[line].next;
    } else {
      line = static_cast<std::uint32_t>(lines_.size());
      lines_.emplace_back();
    }
    lines_[line].next = next;
    lines_[line].count = 0;
    return line;
  }
  void give_back(std::uint32_t list) {
    while (list != none) {
      const std::uint32_t next = std::exchange(lines_[list].next, free_);
      free_ = std::exchange(list, next);
    }
  }

  TextHandles handles_;
  boost::unordered_flat_map<std::uint32_t, std::uint32_t> list_of_;  // the most recent line
  std::vector<Line> lines_;
  std::uint32_t free_ = none;
};

}  // namespace mobula::bench
