// What the world looks like to the outside at the end of a tick: made once, whatever the
// number of clients. Reads the journal and the stamped blocks, quantises, compares with what
// was published last, and says which entities differ. A write that changed nothing, or a mere
// move in a pool, publishes nothing.
#pragma once

#include <mobula/ecs/registry.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/wire/row_table.hpp>
#include <span>
#include <vector>

namespace mobula::server {

class Publisher {
 public:
  // Both outlive the publisher.
  Publisher(ecs::Registry& registry, const reflect::Schema& schema) : registry_(registry), rows_(registry, schema) {}

  ~Publisher();
  Publisher(const Publisher&) = delete;
  Publisher& operator=(const Publisher&) = delete;

  // Publishes the end of the registry's current tick; the caller then clears the journal and moves the
  // registry to a later tick before anything is written. Gives the indices whose entities came,
  // went or changed, valid until the next call.
  std::span<const std::uint32_t> publish();

  // Prototypes that no longer are.
  void forget(std::span<const ecs::PrototypeId> prototypes);

  [[nodiscard]] const wire::RowTable& rows() const { return rows_; }
  [[nodiscard]] const ecs::Registry& registry() const { return registry_; }

 private:
  void forget(ecs::PrototypeId prototype);
  void note(std::uint32_t index);
  void publish_structure(std::uint32_t index);
  void publish_values(ecs::PoolId pool);
  // The canonical prototype without the components that are not sent.
  ecs::PrototypeId sent_prototype(ecs::PrototypeId prototype);

  static constexpr ecs::PrototypeId not_computed = ~0u;

  ecs::Registry& registry_;
  wire::RowTable rows_;
  ecs::Tick last_tick_ = 0;
  std::vector<std::uint32_t> changed_;
  std::vector<ecs::Tick> noted_;                   // by index: the tick it was put into changed_
  std::vector<ecs::PrototypeId> sent_prototypes_;  // by prototype; held
};

}  // namespace mobula::server
