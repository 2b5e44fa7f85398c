// Generates TypeScript of messages: the tables, unions and structs of a schema with a root_type, such as commands.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/reflect/declarations.hpp>
#include <mobula/reflect/documentation.hpp>
#include <string>
#include <string_view>

namespace reflection {
struct Schema;
}

namespace mobula::reflect {

/// Generates the types and descriptions that encode() and decode() of the web client use. `schema` is verified, and
/// `declarations` are its own. Errors: "bad schema", for what messages of the web client do not support.
core::Result<std::string> generate_typescript_messages(const reflection::Schema& schema,
                                                       const Declarations& declarations,
                                                       const Documentation& documentation,
                                                       std::string_view schema_name);

}  // namespace mobula::reflect
