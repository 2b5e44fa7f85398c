// Names of C#: "item_count" is ItemCount. Names of one scope are unique.
#pragma once

#include <mobula/reflect/name_scope.hpp>
#include <string>
#include <string_view>

namespace mobula::reflect {

/// Returns the words of a name, each with a capital letter, without underscores between them. Begins with an underscore
/// where a digit would be first.
std::string pascal_case(std::string_view name);

/// Returns a namespace: "lobby.room" is Lobby.Room.
std::string csharp_namespace(std::string_view dotted);

/// Returns the scope of a struct's members, without the names that C# or the generator itself use.
NameScope struct_scope(std::string_view struct_name);

}  // namespace mobula::reflect
