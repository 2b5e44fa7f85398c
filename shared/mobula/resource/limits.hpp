// Limits of resources and their compiler.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mobula::resource::limits {

// Limits of a compiled file.
inline constexpr std::size_t file_bytes = 256u << 20;
inline constexpr std::uint32_t entities = 1u << 20;  // per level or prefab
inline constexpr std::uint32_t columns = 4096;       // per level or prefab
inline constexpr std::uint32_t prefabs = 1u << 16;
inline constexpr std::uint32_t statics = 1u << 16;
inline constexpr std::uint32_t hierarchy_depth = 32;  // a root has depth 1

// Limits of its source.
inline constexpr std::size_t source_bytes = 64u << 20;
inline constexpr std::uint32_t source_files = 1000;
inline constexpr std::uint32_t json_depth = 100;
inline constexpr std::uint32_t prefab_depth = 32;  // length of a chain of prefabs
inline constexpr std::uint32_t name_bytes = 255;
inline constexpr std::uint32_t authored_nodes = 1u << 21;  // entities of all prefabs and the level, before placing
inline constexpr std::uint32_t errors = 50;                // reported in one run

}  // namespace mobula::resource::limits
