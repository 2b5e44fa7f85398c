#include <mobula/core/text.hpp>
#include <mobula/wire/player_name.hpp>

namespace mobula::wire {

std::string player_name(std::string_view wanted) {
  std::string name;
  while (!wanted.empty()) {
    std::string_view rest = wanted;
    const std::uint32_t point = core::take_code_point(rest);
    if (point == core::no_code_point) rest.remove_prefix(1);
    const bool printable = point != core::no_code_point && !core::is_control(point);
    const std::string_view piece = printable ? wanted.substr(0, wanted.size() - rest.size()) : "?";
    if (name.size() + piece.size() > player_name_bytes_max) break;
    name += piece;
    wanted = rest;
  }
  return name;
}

}  // namespace mobula::wire
