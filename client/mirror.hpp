// The server's world as this client may see it: a registry with the same handles, made without any
// compiled-in component type from the schema that the server sent. Every value in it is the
// server's quantised value of the entity's own tick.
//
// Messages and deltas come from outside: each is applied whole or refused with a reason.
#pragma once

#include <memory>
#include <mobula/core/result.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/index/name_table.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/wire/delta.hpp>
#include <mobula/wire/messages.hpp>
#include <mobula/wire/row_table.hpp>
#include <vector>

namespace mobula::client {

class Mirror {
 public:
  // Reasons: those of registering the schema's components.
  static core::Result<std::unique_ptr<Mirror>> make(std::shared_ptr<const reflect::Schema> schema,
                                                    std::uint32_t index_limit);

  // Reasons: "name collision", "too many names".
  core::Status add_names(const wire::Names& names);
  // Reasons: "unknown component", "bad prototype", "too many prototypes", "too many pools".
  core::Status add_prototypes(const wire::Prototypes& prototypes);
  // Reasons: "malformed delta". Nothing has changed then.
  core::Status apply(core::ByteView delta);

  // A component type's or instance's name as text.
  [[nodiscard]] const index::NameTable& names() const { return names_; }
  [[nodiscard]] const reflect::Schema& schema() const { return *schema_; }
  [[nodiscard]] ecs::Registry& registry() { return registry_; }
  [[nodiscard]] const ecs::Registry& registry() const { return registry_; }
  // The values as they came, with ticks and hashes.
  [[nodiscard]] const wire::RowTable& rows() const { return rows_; }
  // The tick of the newest delta.
  [[nodiscard]] ecs::Tick tick() const { return tick_; }

  // Asserts that registry and rows agree and every hash is right.
  void check() const;

 private:
  Mirror(std::shared_ptr<const reflect::Schema> schema, std::uint32_t index_limit);

  [[nodiscard]] core::Status check_prototype(const wire::Prototype& prototype) const;
  core::Result<ecs::PrototypeId> intern(const wire::Prototype& prototype);
  core::Status take_prototypes(const wire::Prototypes& message);
  void apply(const wire::DecodedDelta::Entry& entry);
  void spawn(const wire::DecodedDelta::Entry& entry);
  void recompose(ecs::Entity entity, ecs::PrototypeId prototype);
  void write(const wire::DecodedDelta::Entry& entry);
  void despawn(std::uint32_t index);

  std::shared_ptr<const reflect::Schema> schema_;
  std::uint32_t index_limit_;
  index::NameTable names_;
  ecs::Registry registry_;
  wire::RowTable rows_;
  std::vector<ecs::PrototypeId> prototypes_;  // by the id they were announced under; held
  wire::DecodedDelta decoded_;
  ecs::Tick tick_ = 0;
};

}  // namespace mobula::client
