// Schemas from text, as flatc would compile them, so that a test shows the schema it is about.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/reflect/schema.hpp>
#include <string_view>

namespace mobula::test {

// The text comes after `include "engine.fbs"; namespace test;`. A text that FlatBuffers itself refuses
// throws std::invalid_argument with its message.
core::Bytes compile_schema(std::string_view text);

// The same, loaded. A text that Schema::load refuses throws too.
std::shared_ptr<const reflect::Schema> load_schema(std::string_view text);

// What Schema::load says against it; empty if it loads.
std::string refusal(std::string_view text);

}  // namespace mobula::test
