// What people may write, and what they are told: in the lobby and in its rooms alike.
#pragma once

#include <algorithm>
#include <array>
#include <mobula/server/game/game.hpp>
#include <string_view>

namespace lobby {

inline constexpr std::size_t line_bytes_max = 200;

// Printable, and 1 to so many bytes. Reasons: "bad text".
mobula::core::Status check_text(std::string_view text, std::size_t bytes_max);
// Who he says he is, or "guest" and his number.
std::string name_of(const mobula::server::Player& player);
// As a fixed_string of the schema; what does not fit must have been refused before.
template <std::size_t size>
std::array<char, size> fixed_text(std::string_view text) {
  MOBULA_ASSERT(text.size() <= size, "a text that is too long");
  std::array<char, size> fixed{};
  std::copy_n(text.begin(), std::min(text.size(), size), fixed.begin());
  return fixed;
}

// To all in the world. Reasons: "bad text", and those of Events::send.
mobula::core::Status say(mobula::server::World& world, const mobula::server::Player& player, std::string_view text);
// To the player alone. Gives the error back: a command that cannot be done now is one that is refused.
mobula::core::Status say_sorry(mobula::server::World& world, const mobula::server::Player& player,
                               const mobula::core::Error& error);
// The same. Reasons: those of Events::send.
mobula::core::Status give_ticket(mobula::server::World& world, const mobula::server::Player& player,
                                 std::string_view room, mobula::core::ByteView token);

}  // namespace lobby
