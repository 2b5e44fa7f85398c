// The text's new index: a prototype is a link {base, component manager, name}, identified by the hash of its content
// mixed into that of its base. An entity maps to one. As in the text's listing, over the best flat hash map available,
// with hashes that need no second mixing, and a sweep of unused prototypes.
//
// The text follows the chain to look a name up, with one hash look-up for each link, and notes that this may be traded
// for memory. `by_name` does: a map {prototype, name} to manager answers at once.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include "entity_index/text_handles.hpp"
#include "entity_index/workload.hpp"

namespace mobula::bench {

enum class ChainLookup { as_written, by_name };

template <ChainLookup lookup>
class ChainIndex {
 public:
  using Handle = TextHandle;

  explicit ChainIndex(const Workload&) {}

  // The empty prototype needs no entry.
  Handle create() { return handles_.create(); }
  void add(Handle entity, const Component& component) {
    PackedHash& prototype = prototype_of_[entity.id];
    const std::uint64_t base = prototype.get();
    const std::uint64_t longer = mix(base, key(component));
    if (!links_.contains(longer)) [[unlikely]]
      make(longer, base, component);
    prototype = PackedHash(longer);
  }

  [[nodiscard]] std::uint32_t find(Handle entity, core::StringId32 name) const {
    const auto found = prototype_of_.find(entity.id);
    if (found == prototype_of_.end()) return no_component;
    const std::uint64_t prototype = found->second.get();
    if constexpr (lookup == ChainLookup::by_name) {
      const auto named = managers_.find(mix(prototype, name.value));
      return named != managers_.end() ? named->second : no_component;
    } else {
      for (std::uint64_t at = prototype; at != empty;) {
        const Link& link = links_.find(at)->second;
        if (link.component.name == name) return link.component.manager;
        at = link.base;
      }
      return no_component;
    }
  }

  void destroy(std::span<const Handle> entities) {
    for (const Handle entity : entities) {
      prototype_of_.erase(entity.id);
      handles_.destroy(entity);
    }
  }

  void clean_up() {
    ++sweep_;
    for (const auto& [entity, prototype] : prototype_of_) mark(prototype.get());
    if constexpr (lookup == ChainLookup::by_name) forget_names_of_unmarked();
    erase_if(links_, [this](const auto& entry) { return entry.second.marked != sweep_; });
  }

  [[nodiscard]] std::size_t prototypes() const { return links_.size(); }

 private:
  static constexpr std::uint64_t empty = 0;

  // Aligned as its halves are: an entry of an entity takes 12 bytes instead of 16.
  class PackedHash {
   public:
    PackedHash() = default;
    explicit PackedHash(std::uint64_t hash)
        : low_(static_cast<std::uint32_t>(hash)), high_(static_cast<std::uint32_t>(hash >> 32)) {}
    [[nodiscard]] std::uint64_t get() const { return static_cast<std::uint64_t>(high_) << 32 | low_; }

   private:
    std::uint32_t low_ = 0;
    std::uint32_t high_ = 0;
  };

  struct Link {
    std::uint64_t base = empty;
    Component component;
    std::uint32_t marked = 0;  // sweep that marked it
  };

  // Hash for keys that are hashes already.
  struct Mixed {
    using is_avalanching = void;
    std::size_t operator()(std::uint64_t hash) const noexcept { return hash; }
  };

  static std::uint64_t key(const Component& component) {
    return static_cast<std::uint64_t>(component.manager + 1) << 32 | component.name.value;
  }
  // Combines the halves of a 128-bit product, as in wyhash.
  static std::uint64_t mix(std::uint64_t base, std::uint64_t content) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(base ^ 0x9e3779b97f4a7c15u) * (content ^ 0xd6e8feb86659fd93u);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  [[gnu::noinline]] void make(std::uint64_t prototype, std::uint64_t base, const Component& component) {
    links_.emplace(prototype, Link{base, component, 0});
    if constexpr (lookup == ChainLookup::by_name)
      each_link(prototype,
                [&](const Component& linked) { managers_.emplace(mix(prototype, linked.name.value), linked.manager); });
  }

  template <class Function>
  void each_link(std::uint64_t prototype, Function function) const {
    while (prototype != empty) {
      const Link& link = links_.find(prototype)->second;
      function(link.component);
      prototype = link.base;
    }
  }

  void mark(std::uint64_t prototype) {
    while (prototype != empty) {
      Link& link = links_.find(prototype)->second;
      if (link.marked == sweep_) return;
      link.marked = sweep_;
      prototype = link.base;
    }
  }

  void forget_names_of_unmarked() {
    for (const auto& [hash, link] : links_) {
      const std::uint64_t prototype = hash;
      if (link.marked != sweep_)
        each_link(prototype, [&](const Component& linked) { managers_.erase(mix(prototype, linked.name.value)); });
    }
  }

  TextHandles handles_;
  boost::unordered_flat_map<std::uint32_t, PackedHash> prototype_of_;
  boost::unordered_flat_map<std::uint64_t, Link, Mixed> links_;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t, Mixed>
      managers_;  // empty if names are looked up along the chain
  std::uint32_t sweep_ = 0;
};

}  // namespace mobula::bench
