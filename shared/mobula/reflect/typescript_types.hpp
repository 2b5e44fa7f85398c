// Types of a schema in TypeScript, which components and messages share: names, comments, enums and structs.
#pragma once

#include <map>
#include <mobula/reflect/declarations.hpp>
#include <mobula/reflect/documentation.hpp>
#include <mobula/reflect/name_scope.hpp>
#include <string>
#include <string_view>

namespace mobula::reflect {

class TypescriptTypes {
 public:
  /// Both must outlive the object.
  TypescriptTypes(const Declarations& declarations, const Documentation& documentation);

  /// Returns the name of a declared type. The first call makes it. A name that TypeScript refuses, or that a former
  /// type of another namespace has, gets underscores at its end.
  std::string name_of(std::string_view full_name);
  /// Returns the type of a value of the field, or of an element if it is an array.
  std::string element_type(const DeclaredField& field);
  /// Returns the comment of what has a full name, with an indent; empty if there is none.
  [[nodiscard]] std::string comment(std::string_view full_name, std::string_view indent) const;
  /// Returns an enum: its values as an object, and their names as a type.
  std::string enum_text(const DeclaredEnum& type);
  /// Returns one property of an interface.
  [[nodiscard]] std::string property(std::string_view owner, std::string_view name, std::string_view type) const;
  /// Returns the declaration of an interface with these properties.
  std::string interface_text(std::string_view full_name, std::string_view properties);

 private:
  const Declarations& declarations_;
  const Documentation& documentation_;
  NameScope scope_;
  std::map<std::string, std::string, std::less<>> names_;  // by full name
};

/// Returns whether the field is a fixed array of values; texts are values themselves.
[[nodiscard]] bool is_array(const DeclaredField& field);

/// Returns an integer as TypeScript's literal: a bigint for types of 64 bits.
std::string typescript_integer(FieldKind kind, std::int64_t value);

}  // namespace mobula::reflect
