#include <mobula/core/format.hpp>
#include <mobula/server/game/entity_messages.hpp>

namespace mobula::server {

core::Status EntityMessages::send(ecs::Entity to, core::ByteView bytes) {
  if (!to) return core::Done{};
  if (bytes.size() > message_bytes_max)
    return core::Error{"large message", core::format("{} bytes; the maximum is {}", bytes.size(), message_bytes_max)};
  if (bytes_ + bytes.size() + overhead > bytes_per_tick_max)
    return core::Error{"too many messages",
                       core::format("the messages of a tick are limited to {} bytes", bytes_per_tick_max)};
  bytes_ += bytes.size() + overhead;
  waiting_.push_back({.entity = to, .bytes = core::Bytes(bytes.begin(), bytes.end())});
  return core::Done{};
}

}  // namespace mobula::server
