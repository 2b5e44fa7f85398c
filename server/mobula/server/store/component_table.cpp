#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <mobula/core/format.hpp>
#include <mobula/core/hash.hpp>
#include <mobula/core/text.hpp>
#include <mobula/reflect/value.hpp>
#include <mobula/server/store/component_table.hpp>
#include <optional>

namespace mobula::store {
namespace {

using reflect::Field;
using reflect::FieldKind;

std::string underscored(std::string path) {
  std::ranges::replace(path, '.', '_');
  return path;
}

// Returns the path of one element: for element 2 of "several.weight" it is "several.2.weight".
std::string path_of(const Field& field, std::uint32_t element) {
  if (field.count == 1) return field.path;
  return field.path.substr(0, field.array_at) + "." + std::to_string(element) + field.path.substr(field.array_at);
}

bool is_signed(FieldKind kind) {
  return kind == FieldKind::int8 || kind == FieldKind::int16 || kind == FieldKind::int32 || kind == FieldKind::int64;
}

std::int64_t load_integer(FieldKind kind, const std::byte* at, std::uint32_t size) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, size);
  const std::uint32_t unused = 64 - 8 * size;
  return is_signed(kind) ? static_cast<std::int64_t>(bits << unused) >> unused : static_cast<std::int64_t>(bits);
}

bool store_integer(FieldKind kind, std::int64_t value, std::byte* at, std::uint32_t size) {
  std::memcpy(at, &value, size);
  if (kind == FieldKind::boolean && value != 0 && value != 1) return false;
  return load_integer(kind, at, size) == value;
}

// Returns the text of a fixed string. Empty if it is not UTF-8 or the bytes behind it are not zero.
std::optional<std::string_view> text_of(const std::byte* at, std::uint32_t size) {
  const std::string_view all(reinterpret_cast<const char*>(at), size);
  const std::string_view text = all.substr(0, all.find('\0'));
  if (!core::is_utf8(text) || all.find_first_not_of('\0', text.size()) != std::string_view::npos) return std::nullopt;
  return text;
}

// True for a bool above 1, as memory may hold any byte.
bool is_invalid_bool(FieldKind kind, const std::byte* value) {
  return kind == FieldKind::boolean && *value > std::byte{1};
}

// Binds a NaN as a blob: SQLite would store NULL for it.
template <class Float>
void bind_float(Statement& statement, int at, const std::byte* value) {
  const auto number = core::load<Float>(value);
  if (std::isnan(number)) {
    statement.bind_blob(at, {value, sizeof(Float)});
  } else {
    statement.bind_real(at, number);
  }
}

template <class Float>
bool read_float(const Statement& statement, int at, std::byte* value) {
  if (statement.kind(at) == Statement::Kind::blob) {
    const core::ByteView bytes = statement.blob(at);
    if (bytes.size() != sizeof(Float) || !std::isnan(core::load<Float>(bytes.data()))) return false;
    std::memcpy(value, bytes.data(), sizeof(Float));
    return true;
  }
  if (statement.kind(at) != Statement::Kind::real) return false;
  const double number = statement.real(at);
  if constexpr (sizeof(Float) == sizeof(float))
    if (std::isfinite(number) && std::fabs(number) > double{std::numeric_limits<float>::max()}) return false;
  const auto narrow = static_cast<Float>(number);
  core::store(value, narrow);
  return static_cast<double>(narrow) == number;
}

std::string enum_sql(const Field& field, const std::string& column) {
  std::string sql = "CASE " + column;
  for (const reflect::EnumValue& each : field.enum_values)
    sql += " WHEN " + std::to_string(each.value) + " THEN " + literal(each.name);
  return sql + " ELSE " + column + " END";
}

}  // namespace

std::string NameSet::lower(std::string name) {
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return name;
}

std::string NameSet::reserve(const std::string& preferred) {
  std::string name = preferred;
  for (int number = 2; !reserved_.insert(lower(name)).second; ++number) name = preferred + "_" + std::to_string(number);
  return name;
}

std::string ComponentTable::preferred_name(const reflect::Component& component, const std::string& instance_name) {
  const std::string name = instance_name == component.name ? component.name : component.name + "_" + instance_name;
  return NameSet::lower(name).starts_with("sqlite_") ? "_" + name : name;  // a prefix that SQLite reserves
}

ComponentTable::ComponentTable(const reflect::Component& component, std::string instance_name, std::string name,
                               std::string view)
    : component_(&component),
      instance_name_(std::move(instance_name)),
      name_(std::move(name)),
      view_(std::move(view)),
      id_(static_cast<std::int64_t>(
          core::hash64(core::as_bytes(instance_name_.data(), instance_name_.size()),
                       core::hash64(core::as_bytes(component.name.data(), component.name.size()))) >>
          1)) {
  add_columns();
  if (columns_.size() > columns_max) {
    as_blob_ = true;
    columns_ = {{"bytes", Form::bytes, FieldKind::uint8, 0, component.size}};
  }
  std::size_t bytes = 0;
  for (const Column& column : columns_) bytes += column.size;
  exact_ = !as_blob_ && bytes == component.size;
}

void ComponentTable::add_columns() {
  NameSet names;
  names.reserve("entity");
  for (const Field& field : component_->fields) {
    if (field.not_saved) continue;
    for (std::uint32_t i = 0; i < field.count; ++i)
      add_value(field, path_of(field, i), field.offset + i * field.stride, names);
  }
}

void ComponentTable::add_value(const Field& field, const std::string& path, std::uint32_t offset, NameSet& names) {
  const auto add = [&](const char* behind, Form form, FieldKind kind, std::uint32_t at, std::uint32_t size) {
    columns_.push_back({names.reserve(underscored(path) + behind), form, kind, offset + at, size});
  };
  switch (field.kind) {
    case FieldKind::unit_quaternion:
      for (const std::uint32_t part : {0u, 1u, 2u, 3u}) {
        static constexpr const char* behind[] = {"_x", "_y", "_z", "_w"};
        add(behind[part], Form::float32, FieldKind::float32, part * 4, 4);
      }
      return;
    case FieldKind::entity:
      add("_index", Form::integer, FieldKind::uint32, 0, 4);
      add("_generation", Form::integer, FieldKind::uint32, 4, 4);
      return;
    case FieldKind::fixed_string: return add("", Form::text, field.kind, 0, field.size);
    case FieldKind::float32: return add("", Form::float32, field.kind, 0, field.size);
    case FieldKind::float64: return add("", Form::float64, field.kind, 0, field.size);
    default: return add("", Form::integer, field.kind, 0, field.size);
  }
}

// Columns of floats have no type: with one, SQLite would store -0.0 as 0.
std::string ComponentTable::create_sql() const {
  static constexpr const char* types[] = {" INTEGER", "", "", " TEXT", " BLOB"};
  std::string sql = "CREATE TABLE " + sql_name(name_) + " (entity INTEGER PRIMARY KEY";
  for (const Column& column : columns_)
    sql += ", " + sql_name(column.name) + types[static_cast<std::size_t>(column.form)];
  return sql + ")";
}

std::string ComponentTable::write_sql() const {
  std::string names = "entity";
  std::string values = "?";
  for (const Column& column : columns_) {
    names += ", " + sql_name(column.name);
    values += ", ?";
  }
  return core::format("INSERT OR REPLACE INTO {} ({}) VALUES ({})", sql_name(name_), names, values);
}

std::string ComponentTable::delete_sql() const { return "DELETE FROM " + sql_name(name_) + " WHERE entity = ?"; }

std::string ComponentTable::select_sql() const {
  std::string sql = "SELECT entity";
  for (const Column& column : columns_) sql += ", " + sql_name(column.name);
  return sql + " FROM " + sql_name(name_) + " ORDER BY entity";
}

std::string ComponentTable::create_view_sql() const {
  NameSet names;
  names.reserve("handle");
  names.reserve("path");
  std::string sql = "CREATE VIEW " + sql_name(view_) + " AS SELECT e.handle, e.path";
  std::size_t column = 0;
  if (as_blob_) sql += ", c.bytes";
  for (const Field& field : component_->fields)
    if (!field.not_saved && !as_blob_) view_field(field, column, names, sql);
  return sql + " FROM " + sql_name(name_) + " AS c JOIN entities AS e ON e.entity = c.entity";
}

// Returns the expression that views show for a column. A NaN is a blob in the table.
std::string ComponentTable::shown(const Column& column) {
  std::string value = "c." + sql_name(column.name);
  if (column.form != Form::float32 && column.form != Form::float64) return value;
  return core::format("CASE typeof({0}) WHEN 'blob' THEN 'NaN' ELSE {0} END", value);
}

void ComponentTable::view_field(const Field& field, std::size_t& column, NameSet& names, std::string& sql) const {
  const auto add = [&](const std::string& expression, const std::string& name) {
    sql += ", " + expression + " AS " + sql_name(names.reserve(name));
  };
  for (std::uint32_t i = 0; i < field.count; ++i) {
    const std::string at = "c." + sql_name(columns_[column].name);
    if (field.kind == FieldKind::entity) {
      const std::string generation = "c." + sql_name(columns_[column + 1].name);
      add(core::format("CASE {0} WHEN 0 THEN NULL ELSE {1} || '.' || {0} END", generation, at),
          underscored(path_of(field, i)));
      column += 2;
    } else if (field.kind == FieldKind::unit_quaternion) {
      for (const std::size_t end = column + 4; column < end; ++column)
        add(shown(columns_[column]), columns_[column].name);
    } else {
      std::string value = shown(columns_[column]);
      if (!field.enum_values.empty()) value = enum_sql(field, at);
      if (field.kind == FieldKind::string_id)
        value = core::format("coalesce((SELECT text FROM saved_name WHERE id = {0}), {0})", at);
      add(value, columns_[column].name);
      ++column;
    }
  }
}

void ComponentTable::bind(Statement& statement, std::uint32_t index, const std::byte* row) const {
  statement.bind(1, index);
  int at = 2;
  for (const Column& column : columns_) bind_value(statement, at++, column, row + column.offset);
}

void ComponentTable::bind_value(Statement& statement, int at, const Column& column, const std::byte* value) {
  switch (column.form) {
    case Form::integer:
      if (is_invalid_bool(column.kind, value)) break;
      statement.bind(at, load_integer(column.kind, value, column.size));
      return;
    case Form::float32: return bind_float<float>(statement, at, value);
    case Form::float64: return bind_float<double>(statement, at, value);
    case Form::text:
      if (const std::optional<std::string_view> text = text_of(value, column.size)) {
        statement.bind_text(at, *text);
        return;
      }
      break;
    case Form::bytes: break;
  }
  statement.bind_blob(at, {value, column.size});
}

core::Status ComponentTable::read(const Statement& statement, std::byte* row) const {
  std::memcpy(row, component_->default_value.data(), component_->size);
  int at = 1;
  for (const Column& column : columns_) {
    if (!read_value(statement, at, column, row + column.offset))
      return core::Error{"damaged", core::format("{} has an invalid value in column {} (entity {})", name_, column.name,
                                                 statement.integer(0))};
    ++at;
  }
  if (as_blob_) reflect::reset_unsaved(*component_, row);  // a blob has all fields
  return core::Done{};
}

bool ComponentTable::read_value(const Statement& statement, int at, const Column& column, std::byte* value) {
  const Statement::Kind kind = statement.kind(at);
  switch (column.form) {
    case Form::integer:
      if (kind == Statement::Kind::blob) break;
      return kind == Statement::Kind::integer && store_integer(column.kind, statement.integer(at), value, column.size);
    case Form::float32: return read_float<float>(statement, at, value);
    case Form::float64: return read_float<double>(statement, at, value);
    case Form::text:
      if (kind == Statement::Kind::text) {
        const std::string_view text = statement.text(at);
        if (text.size() > column.size) return false;
        std::memset(value, 0, column.size);
        std::memcpy(value, text.data(), text.size());
        return true;
      }
      [[fallthrough]];
    case Form::bytes: break;
  }
  if (kind != Statement::Kind::blob || statement.blob(at).size() != column.size) return false;
  std::memcpy(value, statement.blob(at).data(), column.size);
  return column.form != Form::integer || is_invalid_bool(column.kind, value);
}

std::uint64_t ComponentTable::sum(std::uint32_t index, const std::byte* row) const {
  const std::uint64_t seed = core::hash64(core::as_bytes(&index, 1), static_cast<std::uint64_t>(id_));
  if (exact_) return core::hash64({row, component_->size}, seed);
  std::array<std::byte, reflect::Limits::component_bytes> saved;
  std::memcpy(saved.data(), component_->default_value.data(), component_->size);
  for (const Column& column : columns_) std::memcpy(saved.data() + column.offset, row + column.offset, column.size);
  if (as_blob_) reflect::reset_unsaved(*component_, saved.data());
  return core::hash64({saved.data(), component_->size}, seed);
}

}  // namespace mobula::store
