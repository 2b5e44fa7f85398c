// Level compiler: makes static resources from a whole level, such as its collision or navigation. It runs after all
// entities of the level are compiled.
#pragma once

#include <functional>
#include <mobula/core/bytes.hpp>
#include <mobula/hierarchy/world_transform.hpp>
#include <string_view>

namespace mobula::resource {

/// A level whose entities are compiled.
class CompiledLevel {
 public:
  using Visit = std::function<void(const hierarchy::WorldTransform& place, core::ByteView component)>;

  virtual ~CompiledLevel() = default;
  /// Calls `visit` for each entity that has a Transform and a component of this type and name, in the level's order.
  virtual void each(std::string_view component, const Visit& visit) const = 0;
  /// Adds a static resource that clients get too. Returns its id.
  virtual std::uint64_t add_static(std::string_view type, core::ByteView data) = 0;
};

using LevelCompiler = std::function<void(CompiledLevel&)>;

}  // namespace mobula::resource
