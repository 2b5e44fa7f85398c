// State shared by the parts of one compilation: names, statics and fields of components, each with its audience.
#pragma once

#include <map>
#include <mobula/reflect/field_tree.hpp>
#include <mobula/resource/compiler/component_compiler.hpp>
#include <mobula/resource/compiler/diagnostics.hpp>
#include <mobula/resource/draft.hpp>
#include <string>
#include <string_view>

namespace mobula::resource {

/// Texts of one file by hash. Reports two texts with the same hash.
class NameTable {
 public:
  explicit NameTable(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}
  core::StringId32 intern(std::string_view text, Place place, Audience audience);
  /// Returns the names that one part of the file needs. The server part has those that the clients' part lacks.
  [[nodiscard]] std::map<core::StringId32, std::string> of(Audience audience) const;

 private:
  struct Entry {
    std::string text;
    Audience audience;
  };

  Diagnostics& diagnostics_;
  std::map<core::StringId32, Entry> names_;
};

/// Shared static resources of one file, by the hash of their content.
class StaticTable {
 public:
  explicit StaticTable(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}
  std::uint64_t add(core::StringId32 type, core::ByteView data, Place place, Audience audience);
  [[nodiscard]] std::map<std::uint64_t, Static> of(Audience audience) const;

 private:
  struct Entry {
    core::StringId32 type;
    core::Bytes data;
    Audience audience;
  };

  Diagnostics& diagnostics_;
  std::map<std::uint64_t, Entry> statics_;
};

struct Workshop {
  const reflect::Schema& schema;
  Diagnostics& diagnostics;
  NameTable& names;
  StaticTable& statics;
  std::map<const reflect::Component*, FieldNode> fields;
};

}  // namespace mobula::resource
