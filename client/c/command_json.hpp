// Writes a command from JSON in the form that flatc reads. Tables and structs are objects, enums are names. The type of
// a union stands beside it.
//
//   {"body_type": "Move", "body": {"x": 1}}
//
// flatbuffers::Parser can do the same, but also reads schemas and files, and has 350 KB. It would be the only part of
// the client that needs more of FlatBuffers than headers.
#pragma once

#include <c/command_schema.hpp>
#include <string_view>

namespace mobula::c {

/// Returns the bytes of a command. Reasons: "bad json", with the path of the mistake; "too large".
core::Result<core::Bytes> write_command(const CommandSchema& schema, std::string_view json);

}  // namespace mobula::c
