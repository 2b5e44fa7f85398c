// Hierarchy: parents and children, and the world transforms that follow from them.
//
// Parent and Transform are data: a game writes them freely, by component or by set_parent(). update() finds changes by
// the change ticks of their blocks. Each entity with a Transform then has a WorldTransform. Their pool is ordered by
// depth, so update() is one iteration from front to back. Between updates WorldTransforms keep the values of the last
// one, and new entities have none; world() computes a current value.
//
// Two relations, which differ only for inconsistent data:
// - children(), subtree() and set_parent() follow Parents, also of entities without Transform.
// - WorldTransforms follow a Parent only to a living entity with a Transform. An entity whose Parent names none such
//   is a root. So is a refused entity: one in a cycle, or one that would be deeper than max_depth. Parents of that kind
//   can be written directly or come from elsewhere.
//
// Both depend only on the components, not on the order of writing or of memory.
//
// It uses the default instances of Parent and Transform. Memory: about 80 bytes per Transform (WorldTransform
// included) and 12 per Parent. Without both types in the registry the hierarchy is empty. Bound to one registry, which
// outlives it; used by the registry's thread. update(), world(), depth(), refused(), set_parent_in_place() and check()
// may reorder the WorldTransform pool: they must not be called during an iteration over it.
//
// Listeners of WorldTransform may create and destroy entities, and write, add and remove Transforms and Parents. The
// call that is in progress follows these changes too. A check fails if a listener removes the WorldTransform it
// receives, or makes changes that call it again without end.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/hierarchy/depth_order.hpp>
#include <mobula/hierarchy/last_seen.hpp>
#include <mobula/hierarchy/links.hpp>
#include <mobula/hierarchy/members.hpp>
#include <mobula/hierarchy/world_transform.hpp>

namespace mobula::hierarchy {

/// Parents, children and world transforms of one registry.
class Hierarchy {
 public:
  /// Owns the order of the WorldTransform pool during its lifetime.
  explicit Hierarchy(ecs::Registry& registry);
  Hierarchy(const Hierarchy&) = delete;
  Hierarchy& operator=(const Hierarchy&) = delete;

  /// Updates all WorldTransforms. Marks as changed only those whose value changed or that moved.
  void update();

  /// Makes `child` a child of `parent`; null_entity makes it a root. The child keeps its Transform, so it moves with
  /// the new parent. Adds or removes the Parent as needed. O(max_depth + size of the child's subtree). Errors, which
  /// change nothing: "stale handle", "circle", "too deep" (an entity would be deeper than max_depth, or below an
  /// existing cycle).
  core::Status set_parent(ecs::Entity child, ecs::Entity parent);
  /// Returns whether set_parent() would succeed, with its errors. Changes nothing.
  [[nodiscard]] core::Status check_parent(ecs::Entity child, ecs::Entity parent);
  /// Sets the parent, but keeps the child's place in the world: writes its Transform, if it has one. If a place is not
  /// finite, the Transform is kept instead: then the child has a place again as soon as its parent has one.
  core::Status set_parent_in_place(ecs::Entity child, ecs::Entity parent);

  // The following functions use the components' present values. They read the blocks of Parents written in this tick
  // first.

  /// Returns the entities whose Parent names `entity`, in index order.
  [[nodiscard]] std::vector<ecs::Entity> children(ecs::Entity entity);
  /// Returns the children of all these entities, parent by parent.
  [[nodiscard]] std::vector<ecs::Entity> children(std::span<const ecs::Entity> entities);
  /// Returns an entity and all below it: parents before their children, siblings in index order.
  [[nodiscard]] std::vector<ecs::Entity> subtree(ecs::Entity root);
  /// Destroys a subtree at once, but for ghosts of other zones below its root.
  void destroy_tree(ecs::Entity root);
  /// Writes null into each Parent that names a dead entity. For registries that decide, not for mirrors, which may
  /// receive the entity later. Reads what was destroyed since the structural change log was cleared, and Parents
  /// written since the last call.
  void drop_dead_parents();

  /// Returns the world transform as the next update will compute it. The entity must have a Transform.
  [[nodiscard]] WorldTransform world(ecs::Entity entity);
  /// Returns the depth: 1 for a root, 0 without Transform.
  [[nodiscard]] std::uint32_t depth(ecs::Entity entity);
  /// Returns whether the world transform is known: each Parent up to the root is null or names an entity that is there.
  /// A mirror may have an entity before its parents, or longer; until it has them all, the entity is not to be drawn.
  /// The entity must have a Transform.
  [[nodiscard]] bool is_placed(ecs::Entity entity);
  /// Returns entities treated as roots although their Parent names one, in index order. Valid until something changes.
  [[nodiscard]] std::span<const Refusal> refused();

  /// Asserts the invariants by checking every entity.
  void check();

 private:
  [[nodiscard]] bool find_pools();
  // Updates links_ for queries about Parents only.
  void follow_parents();
  // Updates everything but the values of WorldTransforms, for all other queries.
  void settle();
  // Makes exactly the entities with a Transform members with a WorldTransform.
  void follow_members();
  // Adds and removes WorldTransforms. Returns whether listeners were called.
  bool change_members();
  void add_arrived_notified();
  [[nodiscard]] bool has_listeners() const;
  void find_lost();
  void compare_transforms();
  void forget();
  [[nodiscard]] bool must_compute() const;
  void compute();
  [[nodiscard]] std::uint32_t height(ecs::Entity root);
  void find_tree(ecs::Entity root, std::vector<ecs::Entity>& tree);
  // Appends the children of `parent`, except `root`.
  void append_children(ecs::Entity parent, ecs::Entity root, std::vector<ecs::Entity>& out) const;

  ecs::Registry& registry_;
  ecs::Pool& worlds_;
  ecs::Pool* parents_ = nullptr;  // null while the registry does not know the component
  ecs::Pool* transforms_ = nullptr;
  Links links_;
  Members members_{registry_, links_};
  DepthOrder order_{worlds_};
  bool settling_ = false;
  LastSeen seen_;              // Transform pool
  ecs::Tick last_drop_ = 0;    // tick of drop_dead_parents()
  ecs::Tick last_update_ = 0;  // later writes in the same tick have the same change tick

  static constexpr std::uint32_t rounds_max = 256;  // changes by listeners in one call

  // Scratch memory.
  std::vector<ecs::Entity> departed_;
  std::vector<ecs::Entity> arrived_;
  std::vector<std::uint32_t> new_sources_;
  std::vector<ecs::Entity> tree_;
};

}  // namespace mobula::hierarchy
