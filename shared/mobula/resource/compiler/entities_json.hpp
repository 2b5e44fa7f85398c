// Entities of a level or prefab in their source notation, nested by their paths.
#pragma once

#include <mobula/resource/compiler/column_choice.hpp>
#include <mobula/resource/compiler/json_writer.hpp>

namespace mobula::resource {

/// Writes the entities. Used once per level or prefab.
class EntitiesJson {
 public:
  /// All arguments must outlive this.
  EntitiesJson(const TwoViews& views, const EntityTree& tree, const ColumnChoice& columns, NameUses& names,
               JsonWriter& out);

  /// Writes the next value: all entities of a level, or a prefab.
  void write_level();
  void write_prefab(core::StringId32 name);
  /// Writes the columns without fields, if there are any.
  void write_columns();

 private:
  struct Instance {
    const FieldColumn* column;
    std::uint32_t number;
  };

  void find_hidden();
  void write_entity(std::uint32_t entity);
  void write_members(std::uint32_t entity);
  void write_component(const Instance& instance, bool hidden);
  void write_column(const RawColumn& column);
  void use_names(const Column& column, Audience audience);
  void use_parents();

  const TwoViews& views_;
  const EntityTree& tree_;
  const ColumnChoice& columns_;
  NameUses& names_;
  JsonWriter& out_;
  std::vector<std::vector<Instance>> instances_;  // by entity
  std::vector<bool> hidden_;                      // by entity: hidden from clients, with all its descendants
};

}  // namespace mobula::resource
