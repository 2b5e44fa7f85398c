// How the components of one pool lie in a table: a row per entity, a column per value, for any SQLite tool to read.
//
//   Transform            -> component_Transform (entity, position_x, position_y, position_z, rotation_x, …)
//   RenderData "Fog"     -> component_RenderData_Fog (entity, mesh, tint, …)
//
// Numbers are numbers, texts texts, a handle two columns (_index, _generation), an array a column per element; a
// component that would have too many is one blob. What SQLite would change (a NaN, text or a bool that is none)
// is kept as a blob of its bytes, so that a row comes back byte for byte. Fields that are "not_saved" are no columns:
// they come back as their defaults.
//
// The view beside it has the same with handles, names and enums as people write them.
// Immutable. Follows from the schema and the names that are taken alone.
#pragma once

#include <mobula/reflect/schema.hpp>
#include <mobula/server/store/database.hpp>
#include <set>
#include <string>
#include <vector>

namespace mobula::store {

// Names of tables, views or columns: SQLite takes capital and small letters for the same.
class NameSet {
 public:
  // The name, or with a number behind it if it is taken.
  std::string take(const std::string& wanted);
  void give_back(const std::string& name) { taken_.erase(lower(name)); }
  static std::string lower(std::string name);

 private:
  std::set<std::string> taken_;
};

class ComponentTable {
 public:
  static constexpr std::size_t columns_max = 1000;  // SQLite's limit is 2,000

  // The component must live as long.
  ComponentTable(const reflect::Component& component, std::string instance_name, std::string name, std::string view);

  // What they are called where `taken` are: without a prefix the view, which people ask for.
  static std::string wanted_name(const reflect::Component& component, const std::string& instance_name);

  [[nodiscard]] const reflect::Component& component() const { return *component_; }
  [[nodiscard]] const std::string& instance_name() const { return instance_name_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& view() const { return view_; }
  // Of (component, instance): 63 bits, the same in every file.
  [[nodiscard]] std::int64_t id() const { return id_; }

  [[nodiscard]] std::string create_sql() const;
  [[nodiscard]] std::string create_view_sql() const;
  [[nodiscard]] std::string write_sql() const;   // bind()
  [[nodiscard]] std::string delete_sql() const;  // of one entity
  [[nodiscard]] std::string select_sql() const;  // read(), by entity

  void bind(Statement& statement, std::uint32_t index, const std::byte* row) const;
  // From the statement's row, whose first column is the entity. `row` gets component().size bytes. Reason: "damaged".
  core::Status read(const Statement& statement, std::byte* row) const;
  // Of what is saved of a component, for the sums by which damage is found.
  [[nodiscard]] std::uint64_t sum(std::uint32_t index, const std::byte* row) const;

 private:
  enum class Form : std::uint8_t { integer, float32, float64, text, bytes };
  struct Column {
    std::string name;
    Form form;
    reflect::FieldKind kind;
    std::uint32_t offset;
    std::uint32_t size;  // of the whole column
  };

  void add_columns();
  void add_value(const reflect::Field& field, const std::string& path, std::uint32_t offset, NameSet& names);
  static void bind_value(Statement& statement, int at, const Column& column, const std::byte* value);
  static bool read_value(const Statement& statement, int at, const Column& column, std::byte* value);
  void view_field(const reflect::Field& field, std::size_t& column, NameSet& names, std::string& sql) const;
  void forget_unsaved(std::byte* row) const;

  const reflect::Component* component_;
  std::string instance_name_;
  std::string name_;
  std::string view_;
  std::int64_t id_;
  std::vector<Column> columns_;
  bool as_blob_ = false;
  bool exact_ = false;  // its columns are all of its bytes
};

}  // namespace mobula::store
