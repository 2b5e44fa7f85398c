// Members: depths of the entities with a Transform. A root has depth 1, a child one more than its parent.
//
// An entity is a root if it has no Parent, or its Parent names no living member. Refused entities are roots too: all
// in a cycle, and each that would have depth max_depth + 1; the entities below it start at 2 again. So depths follow
// from the Parents alone, not from the order of writing.
//
// settle() examines only reconsidered entities and those below them.
#pragma once

#include <mobula/hierarchy/links.hpp>

namespace mobula::hierarchy {

inline constexpr std::uint32_t max_depth = 32;

/// An entity treated as a root although its Parent names a member. Reasons: "circle" or "too deep".
struct Refusal {
  ecs::Entity entity;
  const char* reason;
};

/// Depths of the entities with a Transform.
class Members {
 public:
  static constexpr std::uint32_t none = Links::none;

  /// Both must outlive this object.
  Members(const ecs::Registry& registry, const Links& links) : registry_(registry), links_(links) {}

  /// Adds a member, at depth 1 until settle(), or removes it. Reconsiders its children.
  void enter(std::uint32_t index);
  void leave(std::uint32_t index);
  /// Marks an entity whose depth, or those below it, may have changed. Ignored if it is not a member.
  void reconsider(std::uint32_t index);
  /// Computes depths. Returns the distinct entities whose depth or parent may have changed; valid until the next call.
  std::span<const std::uint32_t> settle();
  void clear();

  // The following functions return the state of the last settle().

  [[nodiscard]] bool contains(std::uint32_t index) const { return depth(index) != absent; }
  /// Returns the depth; 0 if the entity is not a member.
  [[nodiscard]] std::uint8_t depth(std::uint32_t index) const {
    return index < places_.size() ? places_[index].depth : absent;
  }
  /// Returns the parent's index; none for a root.
  [[nodiscard]] std::uint32_t above(std::uint32_t index) const {
    return places_[index].verdict == Verdict::accepted ? named(index) : none;
  }
  /// Returns the refused members in index order.
  [[nodiscard]] std::span<const Refusal> refused() const { return refused_; }

  /// Asserts that depths follow the rules above.
  void check() const;

 private:
  static constexpr std::uint8_t absent = 0;
  static constexpr std::uint8_t open = max_depth + 1;     // depth to be computed
  static constexpr std::uint8_t on_path = max_depth + 2;  // depth being computed: meeting it again means a cycle

  enum class Verdict : std::uint8_t { accepted, circle, too_deep };
  struct Place {
    std::uint8_t depth = absent;
    Verdict verdict = Verdict::accepted;
    bool reconsidered = false;
  };

  [[nodiscard]] Place& place(std::uint32_t index);
  // Returns the member that the entity's Parent names, even if refused; none if there is none.
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
