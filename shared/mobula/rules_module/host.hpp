// Functions that a module imports from its host, the web client: what it uses of components, and what a step has done.
// They are called after a step, in this order, so that a step that fails has changed nothing.
#pragma once

#include <cstdint>
#include <string_view>

namespace mobula::rules_module::host {

#define MOBULA_IMPORT(name) [[clang::import_module("mobula"), clang::import_name(#name)]]

extern "C" {
// While the module is initialised.
MOBULA_IMPORT(column)
void mobula_host_column(std::uint32_t number, const char* name, std::uint32_t name_size, const char* layout,
                        std::uint32_t layout_size, std::uint32_t size, std::uint32_t predicted);
MOBULA_IMPORT(reads) void mobula_host_reads(const char* name, std::uint32_t size);
MOBULA_IMPORT(effect_name) void mobula_host_effect_name(std::uint32_t id, const char* name, std::uint32_t size);

// After a step. A spawned entity has rows in `count` columns.
MOBULA_IMPORT(spawned)
void mobula_host_spawned(std::uint32_t index, std::uint32_t generation, std::uint32_t player, std::uint32_t command,
                         const std::uint32_t* columns, std::uint32_t count);
MOBULA_IMPORT(written)
void mobula_host_written(std::uint32_t column, std::uint32_t index, std::uint32_t generation, const std::byte* row);
MOBULA_IMPORT(destroyed) void mobula_host_destroyed(std::uint32_t index, std::uint32_t generation);
MOBULA_IMPORT(effect)
void mobula_host_effect(std::uint32_t name, std::uint32_t key_low, std::uint32_t key_high, const std::byte* payload,
                        std::uint32_t size);

// Does not return.
MOBULA_IMPORT(fail) [[noreturn]] void mobula_host_fail(const char* text, std::uint32_t size);
}

#undef MOBULA_IMPORT

/// Ends the call with an error of the host.
[[noreturn]] inline void fail(std::string_view text) {
  mobula_host_fail(text.data(), static_cast<std::uint32_t>(text.size()));
}

}  // namespace mobula::rules_module::host
