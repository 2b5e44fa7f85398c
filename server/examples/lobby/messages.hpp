// Texts of players and events of the lobby and its rooms.
#pragma once

#include <algorithm>
#include <array>
#include <mobula/server/game/game.hpp>
#include <string_view>

namespace lobby {

inline constexpr std::size_t line_bytes_max = 200;

/// Checks for printable text of 1 to bytes_max bytes. Errors: "bad text".
mobula::core::Status check_text(std::string_view text, std::size_t bytes_max);
/// Returns the name that the player chose, or "guest" with the player's id.
std::string name_of(const mobula::server::Player& player);
/// Converts to a fixed_string of the schema. Asserts that the text fits.
template <std::size_t size>
std::array<char, size> fixed_text(std::string_view text) {
  MOBULA_ASSERT(text.size() <= size, "a text that is too long");
  std::array<char, size> fixed{};
  std::copy_n(text.begin(), std::min(text.size(), size), fixed.begin());
  return fixed;
}

/// Sends text to all players of the world. Errors: "bad text", and those of Events::send.
mobula::core::Status send_chat(mobula::server::World& world, const mobula::server::Player& player,
                               std::string_view text);
/// Sends a refusal to the player. Returns the error, so that the command counts as refused.
mobula::core::Status send_refusal(mobula::server::World& world, const mobula::server::Player& player,
                                  const mobula::core::Error& error);
/// Sends a connect token for a room to the player. Errors: those of Events::send.
mobula::core::Status send_ticket(mobula::server::World& world, const mobula::server::Player& player,
                                 std::string_view room, mobula::core::ByteView token);

}  // namespace lobby
