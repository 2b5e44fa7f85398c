// Notation of each column of a level or prefab when it is written as JSON: components with fields, or raw bytes.
#pragma once

#include <mobula/reflect/json_value.hpp>
#include <mobula/resource/compiler/component_compiler.hpp>
#include <mobula/resource/compiler/name_uses.hpp>
#include <mobula/resource/entity_tree.hpp>
#include <string_view>
#include <vector>

namespace mobula::resource {

/// Both views of a level or prefab: the server's and the clients'.
struct TwoViews {
  const EntityResource& server;
  const EntityResource& clients;
  core::ByteView server_part;  // server part of the file; columns inside it are the server's own
};

struct FieldColumn {
  const Column* column;
  std::string_view name;     // name of its instances
  FieldNode tree;            // tree of its component
  std::vector<bool> hidden;  // by instance, true if clients do not have it
};

struct RawColumn {
  const Column* column;
  Audience audience;
};

struct ColumnChoice {
  std::vector<FieldColumn> fields;  // sorted by name
  std::vector<RawColumn> raw;       // two of the same key if the server's column differs from the clients'
  FieldColumn parents{};            // made by the compiler; column is null if there are none
};

/// Returns the notation of each column. The compiler makes the same bytes of every column that is written as fields.
ColumnChoice choose_columns(const TwoViews& views, const EntityTree& tree, const NameUses& names,
                            const reflect::Schema& schema, const CompilerTable& compilers);

/// Returns the fields of one instance. Names that they bring into the file are reported to `uses`, which may be null.
JsonValue instance_json(const FieldColumn& column, std::uint32_t instance, const EntityTree& tree,
                        const NameUses& names, NameUses* uses);

}  // namespace mobula::resource
