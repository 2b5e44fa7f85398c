// Component types that the rules of a module use. Each template instance enters the list before the module's first
// call, so the list needs no registration by the rules.
#pragma once

#include <cstdint>
#include <mobula/core/string_id.hpp>
#include <string_view>
#include <type_traits>

namespace mobula::rules_module {

/// Description of a component's rows, which the host compares with its schema.
struct ColumnType {
  std::string_view name;
  std::string_view layout;  // fields with kinds and offsets, as the schema's generator writes them
  std::uint32_t size;
  bool predicted;
  bool readable;  // predicted, or listed in Rules::reads
  core::StringId32 id;
  std::uint32_t number = 0;  // place in the order of names
  ColumnType* next;

  ColumnType(std::string_view name, std::string_view layout, std::uint32_t size, bool predicted)
      : name(name), layout(layout), size(size), predicted(predicted), readable(predicted), id(name), next(first) {
    first = this;
  }
  ColumnType(const ColumnType&) = delete;
  ColumnType& operator=(const ColumnType&) = delete;

  static inline ColumnType* first = nullptr;
};

template <class T>
concept HasPredictedFields = requires { T::has_predicted_fields; };

template <class T>
inline ColumnType column_type{T::component_name, T::component_layout, sizeof(T), HasPredictedFields<T>};

/// Numbers the types by their names. Returns how many there are.
std::uint32_t number_column_types();

}  // namespace mobula::rules_module
