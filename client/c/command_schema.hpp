// Schema of a game's commands, for commands that are given as JSON. It is a .bfbs and checked once: all that it refers
// to is there, and no value is larger than a command.
#pragma once

#include <flatbuffers/reflection_generated.h>

#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>

namespace mobula::c {

/// Type of a field, or of an element of a vector or an array. Base types are numbers of reflection::BaseType, and in an
/// unchecked schema any others.
struct CommandType {
  int base = reflection::None;
  std::int32_t index = -1;  // its struct, table, enum or union; -1 if it has none
  int element = reflection::None;
  std::uint32_t count = 0;  // elements of an array

  [[nodiscard]] CommandType element_type() const { return {element, index}; }
};
CommandType type_of(const reflection::Field& field);

class CommandSchema {
 public:
  /// Loads a .bfbs. The bytes are copied. Reason: "bad schema".
  static core::Result<CommandSchema> load(core::ByteView bfbs);

  [[nodiscard]] const reflection::Object& root() const { return *schema().root_table(); }
  [[nodiscard]] const reflection::Object& object(std::int32_t index) const {
    return *schema().objects()->Get(static_cast<std::uint32_t>(index));
  }
  [[nodiscard]] const reflection::Enum& enumeration(std::int32_t index) const {
    return *schema().enums()->Get(static_cast<std::uint32_t>(index));
  }
  /// Returns the identifier of four characters that a command carries; null if it has none.
  [[nodiscard]] const char* identifier() const;

  [[nodiscard]] bool is_struct(const CommandType& type) const {
    return type.base == reflection::Obj && object(type.index).is_struct();
  }
  /// Returns the size of a value that lies in its table, struct or vector itself; 0 for others.
  [[nodiscard]] std::uint32_t inline_size(const CommandType& type) const;
  [[nodiscard]] std::uint32_t alignment(const CommandType& type) const;

 private:
  explicit CommandSchema(core::ByteView bfbs) : bytes_(bfbs.begin(), bfbs.end()) {}
  [[nodiscard]] const reflection::Schema& schema() const { return *reflection::GetSchema(bytes_.data()); }
  // Return what is wrong; empty if nothing is.
  [[nodiscard]] std::string check() const;
  [[nodiscard]] std::string check(const reflection::Object& object) const;
  [[nodiscard]] std::string check_place(const reflection::Object& object, const reflection::Field& field) const;
  [[nodiscard]] std::string check(const CommandType& type) const;
  [[nodiscard]] std::string check_union(const reflection::Enum& type) const;

  core::Bytes bytes_;
};

}  // namespace mobula::c
