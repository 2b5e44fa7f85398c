// Hash of a name, used to compare component types, instance names and resources.
// FNV-1a, 32 bits, over the UTF-8 bytes; equal on every machine.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace mobula::core {

/// 32-bit hash of a name.
struct StringId32 {
  std::uint32_t value = 0;

  constexpr StringId32() = default;
  constexpr explicit StringId32(std::uint32_t hash) : value(hash) {}
  constexpr explicit StringId32(std::string_view text) : value(fnv1a(text)) {}
  auto operator<=>(const StringId32&) const = default;

 private:
  static constexpr std::uint32_t fnv1a(std::string_view text) {
    std::uint32_t hash = 2166136261u;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    return hash;
  }
};

/// Returns eight hex digits, for logs where the name is unknown.
std::string to_string(StringId32 id);

}  // namespace mobula::core

template <>
struct std::hash<mobula::core::StringId32> {
  std::size_t operator()(mobula::core::StringId32 id) const noexcept { return id.value; }
};
