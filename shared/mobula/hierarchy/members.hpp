// How deep each member of the hierarchy, an entity with a Transform, stands: a root at 1, a child one below its parent.
//
// A root is whoever has no Parent, or one that names nobody, a dead entity or one that is no member; and whoever is
// refused: all who stand in a circle, and each who would come to stand at max_depth + 1 (what is below starts at 2
// again). So depths follow from the Parents alone, not from the order in which they were written.
//
// Only who is reconsidered, and all below, is looked at by settle().
#pragma once

#include <mobula/hierarchy/links.hpp>

namespace mobula::hierarchy {

inline constexpr std::uint32_t max_depth = 32;

// Who is treated as a root although its Parent names a member, and why: "circle" or "too deep".
struct Refusal {
  ecs::Entity entity;
  const char* reason;
};

class Members {
 public:
  static constexpr std::uint32_t none = Links::none;

  // Both outlive it.
  Members(const ecs::Registry& registry, const Links& links) : registry_(registry), links_(links) {}

  // Becomes a member, at first at depth 1, or is none any more. Its children are reconsidered.
  void enter(std::uint32_t index);
  void leave(std::uint32_t index);
  // Where it stands, or all below it, may have changed. Nothing happens to those that are no members.
  void reconsider(std::uint32_t index);
  // Gives those whose depth or parent may have changed, none twice; good until the next call.
  std::span<const std::uint32_t> settle();
  void clear();

  // Of members since the last settle().

  [[nodiscard]] bool contains(std::uint32_t index) const { return depth(index) != absent; }
  // 0: no member.
  [[nodiscard]] std::uint8_t depth(std::uint32_t index) const {
    return index < places_.size() ? places_[index].depth : absent;
  }
  // The parent's index; none: a root.
  [[nodiscard]] std::uint32_t above(std::uint32_t index) const {
    return places_[index].verdict == Verdict::stands ? named(index) : none;
  }
  // In the order of their indices.
  [[nodiscard]] std::span<const Refusal> refused() const { return refused_; }

  // Asserts that depths are those of the text above.
  void check() const;

 private:
  static constexpr std::uint8_t absent = 0;
  static constexpr std::uint8_t open = max_depth + 1;     // to be found
  static constexpr std::uint8_t on_path = max_depth + 2;  // being found: who comes to it again goes round in a circle

  enum class Verdict : std::uint8_t { stands, circle, too_deep };
  struct Place {
    std::uint8_t depth = absent;
    Verdict verdict = Verdict::stands;
    bool reconsidered = false;
  };

  [[nodiscard]] Place& place(std::uint32_t index);
  // The member that its Parent names, refused or not.
  [[nodiscard]] std::uint32_t named(std::uint32_t index) const;
  [[nodiscard]] bool in_circle(std::uint32_t index) const;
  void reconsider_children(std::uint32_t index);
  void reopen(std::uint32_t index);
  void find_depth(std::uint32_t index);
  void close_circle(std::uint32_t first);
  void close(std::uint32_t index, std::uint8_t depth, Verdict verdict);
  void list_refusals();

  const ecs::Registry& registry_;
  const Links& links_;
  std::vector<Place> places_;  // by entity index
  std::vector<std::uint32_t> reconsidered_;
  std::vector<std::uint32_t> opened_;
  std::vector<std::uint32_t> path_;
  std::vector<Refusal> refused_;
  bool verdicts_changed_ = false;
};

}  // namespace mobula::hierarchy
