#include <mobula/server/game/game.hpp>

namespace mobula::server {

std::string Game::account(const Identity& identity) const {
  std::size_t size = identity.user_data.size();
  while (size > 0 && identity.user_data[size - 1] == std::byte{0}) --size;
  return {reinterpret_cast<const char*>(identity.user_data.data()), size};
}

}  // namespace mobula::server
