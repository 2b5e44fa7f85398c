// How each column of a level or prefab can be written: as components with fields, or only as it is.
#pragma once

#include <mobula/reflect/json_value.hpp>
#include <mobula/resource/compiler/component_compiler.hpp>
#include <mobula/resource/compiler/name_uses.hpp>
#include <mobula/resource/entity_tree.hpp>
#include <string_view>
#include <vector>

namespace mobula::resource {

// A level or prefab as the server has it, and as clients do.
struct TwoViews {
  const EntityResource& server;
  const EntityResource& clients;
  core::ByteView server_part;  // of the file: columns that lie there are the server's own
};

struct FieldColumn {
  const Column* column;
  std::string_view name;     // of its instances
  FieldNode tree;            // of its component
  std::vector<bool> hidden;  // by instance: clients have none of it
};

struct RawColumn {
  const Column* column;
  Audience audience;
};

struct ColumnChoice {
  std::vector<FieldColumn> fields;  // by name
  std::vector<RawColumn> raw;       // two of one key where clients have another one than the server
  FieldColumn parents{};            // made by the compiler; column is null if there are none
};

// The compiler makes the same bytes of all columns that are to be written as fields.
ColumnChoice choose_columns(const TwoViews& views, const EntityTree& tree, const NameUses& names,
                            const reflect::Schema& schema, const CompilerTable& compilers);

// The fields of one instance. `uses`: told the names that it brings; null: nobody is.
JsonValue instance_json(const FieldColumn& column, std::uint32_t instance, const EntityTree& tree,
                        const NameUses& names, NameUses* uses);

}  // namespace mobula::resource
