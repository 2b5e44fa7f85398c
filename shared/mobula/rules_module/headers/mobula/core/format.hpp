// Texts of failed checks in a module. It takes the place of <mobula/core/format.hpp> where rules are compiled to
// WebAssembly, where fmt would be larger than the rules.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

namespace mobula::core {

/// A value in a text: a text, or a whole number.
struct FormatValue {
  std::string_view text;
  std::uint64_t number = 0;
  bool is_number = false;
  bool is_negative = false;

  FormatValue(std::string_view text) : text(text) {}
  FormatValue(std::integral auto number)
      : number(number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number)),
        is_number(true),
        is_negative(number < 0) {}
};

/// Replaces each {} by a value. The text is in the memory of the step.
std::string_view format_values(std::string_view text, const FormatValue* values, std::uint32_t count);

template <class... Values>
std::string_view format(std::string_view text, const Values&... values) {
  const FormatValue list[] = {FormatValue(values)..., FormatValue(std::string_view())};
  return format_values(text, list, sizeof...(Values));
}

}  // namespace mobula::core
