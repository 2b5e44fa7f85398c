#include <mobula/core/format.hpp>
#include <mobula/core/json_text.hpp>
#include <mobula/core/text.hpp>

namespace mobula::core {

std::string json_text(std::string_view text, std::size_t bytes_max) {
  std::string result = "\"";
  while (!text.empty()) {
    if (result.size() >= bytes_max) return result + "...\"";
    std::string_view rest = text;
    const std::uint32_t point = take_code_point(rest);
    if (point == no_code_point) {
      result += "\uFFFD";
      rest.remove_prefix(1);
    } else if (point == '"' || point == '\\') {
      result += {'\\', static_cast<char>(point)};
    } else if (point == '\n') {
      result += "\\n";
    } else if (is_control(point)) {
      result += format("\\u{:04x}", point);
    } else {
      result += text.substr(0, text.size() - rest.size());
    }
    text = rest;
  }
  return result + '"';
}

}  // namespace mobula::core
