// Schemas from text, compiled like flatc does, so that a test shows its schema.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/reflect/schema.hpp>
#include <string_view>

namespace mobula::test {

// Compiles a text, which follows `include "engine.fbs"; namespace test;`. If FlatBuffers refuses it, throws
// std::invalid_argument with its message.
core::Bytes compile_schema(std::string_view text);

// Compiles and loads a text. Throws too if Schema::load refuses it.
std::shared_ptr<const reflect::Schema> load_schema(std::string_view text);

// Loads the demo's schema without dead_reckoning, so that each change of a Transform is sent.
std::shared_ptr<const reflect::Schema> load_game_schema_without_courses();

// Loads the demo's schema, in which the fields with dead_reckoning are predicted too.
std::shared_ptr<const reflect::Schema> load_predicted_game_schema();

// Loads the demo's schema with more definitions behind its own.
std::shared_ptr<const reflect::Schema> load_game_schema_with(std::string_view more);

// Returns the error of Schema::load, empty if it loads.
std::string refusal(std::string_view text);

}  // namespace mobula::test
