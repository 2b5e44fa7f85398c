// Which entity stands below which, and where that puts it in the world.
//
// Parent and Transform are data: a game writes them as it likes, by component or by set_parent(), and update() finds
// what changed from the stamps of their blocks. Each entity with a Transform then has a WorldTransform, in a pool that
// is kept in order of depth, so that update() is one walk from front to back. Between updates WorldTransforms are those
// of the last one; new entities have none yet, and world() computes one as of now.
//
// Two relations, which differ only where data is odd:
//   - children, subtrees and set_parent() go by what Parents say, also of entities without Transform;
//   - WorldTransforms follow a Parent only to a living entity with a Transform. Whoever names a dead one, or one
//     without, is a root, and so is whoever is refused: who stands in a circle, and who would stand deeper than
//     max_depth. A Parent can say that when it is written directly, or comes from elsewhere.
// Both depend on nothing but the components, not on the order they were written in or lie in.
//
// It goes by the default instances of Parent and Transform, and takes some 80 bytes for each Transform (its
// WorldTransform included) and 12 for each Parent. A registry that does not know these two has an empty hierarchy,
// until it does. Bound to one registry, which outlives it; used by its thread. Where something must move in the
// WorldTransform pool, that pool must not be being walked: by update(), world(), depth(), refused(),
// set_parent_in_place() and check().
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/hierarchy/depth_order.hpp>
#include <mobula/hierarchy/last_seen.hpp>
#include <mobula/hierarchy/links.hpp>
#include <mobula/hierarchy/members.hpp>
#include <mobula/hierarchy/world_transform.hpp>

namespace mobula::hierarchy {

class Hierarchy {
 public:
  // Owns the order of the WorldTransform pool while it lives.
  explicit Hierarchy(ecs::Registry& registry);
  Hierarchy(const Hierarchy&) = delete;
  Hierarchy& operator=(const Hierarchy&) = delete;

  // Brings all WorldTransforms up to date. Stamps only those whose value changed, or that had to move.
  void update();

  // Makes `child` a child of `parent`, which keeps its Transform and so moves with its new parent; null_entity: a root.
  // Refused, and nothing changed: "stale handle", "circle", "too deep" (someone would stand deeper than max_depth,
  // or below a circle that is there already).
  // Adds or removes the Parent where need be. O(max_depth + size of the child's subtree).
  core::Status set_parent(ecs::Entity child, ecs::Entity parent);
  // The same, but the child stays where it is in the world: its Transform is written, if it has one.
  core::Status set_parent_in_place(ecs::Entity child, ecs::Entity parent);

  // What follows goes by the components as they are now, whatever was written since the last update: they look at the
  // blocks of Parents that were written in this tick, and then at what they give.

  // Whose Parent names the entity, in the order of their indices.
  [[nodiscard]] std::vector<ecs::Entity> children(ecs::Entity entity);
  // Of all of these, parent by parent.
  [[nodiscard]] std::vector<ecs::Entity> children(std::span<const ecs::Entity> entities);
  // An entity and all below it: parents before their children, children of one parent in the order of their indices.
  [[nodiscard]] std::vector<ecs::Entity> subtree(ecs::Entity root);
  // Destroys a subtree at once.
  void destroy_tree(ecs::Entity root);

  // As the next update will find it. The entity has a Transform.
  [[nodiscard]] WorldTransform world(ecs::Entity entity);
  // 1: a root; 0: without Transform.
  [[nodiscard]] std::uint32_t depth(ecs::Entity entity);
  // Who is taken for a root although its Parent names someone, in the order of their indices. Good until something
  // changes.
  [[nodiscard]] std::span<const Refusal> refused();

  // Asserts the invariants by walking everything.
  void check();

 private:
  [[nodiscard]] bool find_pools();
  // Before a question about Parents alone.
  void follow_parents();
  // Before any other: all but the values of WorldTransforms.
  void settle();
  // Each with a Transform becomes a member with a WorldTransform, and nobody else.
  void follow_members();
  void find_lost();
  void compare_transforms();
  void forget();
  [[nodiscard]] bool must_compute() const;
  void compute();
  [[nodiscard]] core::Status check_parent(ecs::Entity child, ecs::Entity parent);
  [[nodiscard]] std::uint32_t height(ecs::Entity root);
  void find_tree(ecs::Entity root, std::vector<ecs::Entity>& tree);
  // Those below `parent`, but for `root`.
  void append_children(ecs::Entity parent, ecs::Entity root, std::vector<ecs::Entity>& out) const;

  ecs::Registry& registry_;
  ecs::Pool& worlds_;
  ecs::Pool* parents_ = nullptr;  // null while the registry does not know the component
  ecs::Pool* transforms_ = nullptr;
  Links links_;
  Members members_{registry_, links_};
  DepthOrder order_{worlds_};
  bool settling_ = false;
  LastSeen seen_;              // of the Transforms
  ecs::Tick last_update_ = 0;  // what is written in the same tick, but later, has the same stamp

  // Scratch.
  std::vector<ecs::Entity> departed_;
  std::vector<ecs::Entity> arrived_;
  std::vector<std::uint32_t> new_sources_;
  std::vector<ecs::Entity> tree_;
};

}  // namespace mobula::hierarchy
