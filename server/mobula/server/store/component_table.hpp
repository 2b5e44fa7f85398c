// Layout of a table with the components of one pool: a row per entity, a column per value. Any SQLite tool can read it.
//
//   Transform            -> component_Transform (entity, position_x, position_y, position_z, rotation_x, …)
//   RenderData "Fog"     -> component_RenderData_Fog (entity, mesh, tint, …)
//
//   field                    column
//   number, text             one of that type
//   handle                   two: _index and _generation
//   array                    one per element
//   "not_saved"              none; it gets its default when it is read
//
// A component with more than columns_max columns is one blob. Rows are restored byte for byte: a value
// that SQLite would change (a NaN, invalid UTF-8, a bool above 1) is a blob.
//
// A view beside the table shows handles, names and enums as people write them.
// Immutable. The layout depends on the schema and on the names in use, nothing else.
#pragma once

#include <mobula/reflect/schema.hpp>
#include <mobula/server/store/database.hpp>
#include <set>
#include <string>
#include <vector>

namespace mobula::store {

/// Names in use for tables, views or columns. SQLite ignores the case of letters, so this does as well.
class NameSet {
 public:
  /// Reserves a name and returns it. Appends "_2", "_3" … if it is in use.
  std::string reserve(const std::string& preferred);
  void release(const std::string& name) { reserved_.erase(lower(name)); }
  /// Returns the name with ASCII letters in lower case.
  static std::string lower(std::string name);

 private:
  std::set<std::string> reserved_;
};

class ComponentTable {
 public:
  static constexpr std::size_t columns_max = 1000;  // SQLite's limit is 2,000

  /// Describes a table `name` with a view `view`. The component must outlive it.
  ComponentTable(const reflect::Component& component, std::string instance_name, std::string name, std::string view);

  /// Returns the name that a pool's view gets if it is free.
  static std::string preferred_name(const reflect::Component& component, const std::string& instance_name);

  [[nodiscard]] const reflect::Component& component() const { return *component_; }
  [[nodiscard]] const std::string& instance_name() const { return instance_name_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& view() const { return view_; }
  /// Returns a hash of component and instance name, 63 bits. The same in every file.
  [[nodiscard]] std::int64_t id() const { return id_; }

  [[nodiscard]] std::string create_sql() const;
  [[nodiscard]] std::string create_view_sql() const;
  /// Returns SQL that inserts or replaces a row; bind() sets its parameters.
  [[nodiscard]] std::string write_sql() const;
  /// Returns SQL that deletes the row of one entity.
  [[nodiscard]] std::string delete_sql() const;
  /// Returns SQL that selects all rows by entity, for read().
  [[nodiscard]] std::string select_sql() const;

  /// Binds an entity's index and the values of its component to a statement of write_sql().
  void bind(Statement& statement, std::uint32_t index, const std::byte* row) const;
  /// Reads the current row of a statement of select_sql() into `row`, component().size bytes. Errors: "damaged".
  core::Status read(const Statement& statement, std::byte* row) const;
  /// Returns the hash of a component's saved values, for the checksums.
  [[nodiscard]] std::uint64_t sum(std::uint32_t index, const std::byte* row) const;

 private:
  enum class Form : std::uint8_t { integer, float32, float64, text, bytes };
  struct Column {
    std::string name;
    Form form;
    reflect::FieldKind kind;
    std::uint32_t offset;
    std::uint32_t size;  // bytes in the component
  };

  void add_columns();
  void add_value(const reflect::Field& field, const std::string& path, std::uint32_t offset, NameSet& names);
  static void bind_value(Statement& statement, int at, const Column& column, const std::byte* value);
  static bool read_value(const Statement& statement, int at, const Column& column, std::byte* value);
  [[nodiscard]] static std::string shown(const Column& column);
  void view_field(const reflect::Field& field, std::size_t& column, NameSet& names, std::string& sql) const;

  const reflect::Component* component_;
  std::string instance_name_;
  std::string name_;
  std::string view_;
  std::int64_t id_;
  std::vector<Column> columns_;
  bool as_blob_ = false;
  bool exact_ = false;  // all bytes of the component are in columns
};

}  // namespace mobula::store
