// Offsets of the header fields of a resource file (layout: resource.hpp).
#pragma once

#include <cstddef>
#include <string_view>

namespace mobula::resource::header {

inline constexpr std::string_view magic = "MOBR";
inline constexpr std::size_t version_offset = 4;
inline constexpr std::size_t payload_size_offset = 8;
inline constexpr std::size_t hash_offset = 16;
inline constexpr std::size_t size = 48;

}  // namespace mobula::resource::header
