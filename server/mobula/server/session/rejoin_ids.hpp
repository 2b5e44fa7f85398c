// Client ids of rejoin tokens. A server knows its own ones again: after a kick, or when the player has been away for
// too long, such a token lets nobody in, though the key is right and it has not expired.
//
//   u30  number of the session · u2 which of its tokens · u32 hash of these under the key
#pragma once

#include <cstdint>
#include <mobula/core/content_hash.hpp>

namespace mobula::server {

class RejoinIds {
 public:
  explicit RejoinIds(const core::SecretKey& key) : key_(key) {}

  static constexpr std::uint32_t per_session = 4;

  // Another number for each session, from 1.
  [[nodiscard]] std::uint32_t next_session() { return ++sessions_; }
  [[nodiscard]] std::uint64_t make(std::uint32_t session, std::uint32_t which) const {
    return with_hash(session * per_session + which);
  }
  [[nodiscard]] static std::uint32_t session_of(std::uint64_t id) {
    return static_cast<std::uint32_t>(id >> 32) / per_session;
  }
  // Wrong for one of 4 billion ids of others.
  [[nodiscard]] bool made_here(std::uint64_t id) const { return with_hash(static_cast<std::uint32_t>(id >> 32)) == id; }

 private:
  [[nodiscard]] std::uint64_t with_hash(std::uint32_t number) const {
    const core::ContentHash hash = core::keyed_hash(key_, core::as_bytes(&number, 1));
    return std::uint64_t{number} << 32 | core::load<std::uint32_t>(hash.bytes.data());
  }

  core::SecretKey key_;
  std::uint32_t sessions_ = 0;
};

}  // namespace mobula::server
