// Names of players: what a client may call itself, and what the others see.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mobula::wire {

inline constexpr std::size_t player_name_bytes_max = 24;

/// Returns the name that a server takes for a client: printable UTF-8. Control characters and bytes that are not UTF-8
/// become '?'. A longer name ends with its last whole character within the limit.
std::string player_name(std::string_view wanted);

}  // namespace mobula::wire
