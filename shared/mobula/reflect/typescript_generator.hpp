// Generates TypeScript from a .bfbs: types for the web client, with their names as values. Equal bytes give equal text.
//
//   schema                        TypeScript
//   struct Health (component)     interface Health, and the constant Health for calls such as client.get(entity,
//   Health) enum Mood { calm, angry }     type Mood = "calm" | "angry", and the constant Mood = { calm: 0, angry: 1 }
//   text:[ubyte:24] fixed_string  text: string
//   items:[ubyte:8]               items: readonly number[]
//   id:ulong                      id: bigint
//   entity:EntityRef              entity: mobula.Entity
//   table Move                    interface Move, and the constant Move for encode(Move, { x: 1, z: 0 })
//   union Body { Move, Say }      type Body = { kind: "Move", value: Move } | { kind: "Say", value: Say }
//
// Names stay as they are in the schema. One that TypeScript refuses for a type gets an underscore at its end.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <string>
#include <string_view>

namespace mobula::reflect {

/// Generates the components that clients receive, with those of engine.fbs; or the messages of a schema with a
/// root_type. `schema_name` is NAME of NAME.fbs. `commented` is the same schema made with --bfbs-comments, or empty.
/// Errors: "bad schema".
core::Result<std::string> generate_typescript(core::ByteView bfbs, core::ByteView commented,
                                              std::string_view schema_name);

}  // namespace mobula::reflect
