// Client ids of rejoin tokens. The server recognises its own ids. After a kick or the end of the grace period it
// refuses such a token, although its key is right and it has not expired.
//
//   u30 rejoin number of the session · u2 index of the token · u32 keyed hash of both
#pragma once

#include <cstdint>
#include <mobula/core/content_hash.hpp>

namespace mobula::server {

class RejoinIds {
 public:
  explicit RejoinIds(const core::SecretKey& key) : key_(key) {}

  static constexpr std::uint32_t per_session = 4;  ///< tokens per session

  /// Returns a new rejoin number, starting at 1.
  [[nodiscard]] std::uint32_t next_session() { return ++sessions_; }
  /// Returns the client id of one of a session's tokens.
  [[nodiscard]] std::uint64_t make(std::uint32_t session, std::uint32_t which) const {
    return with_hash(session * per_session + which);
  }
  /// Returns the rejoin number in a client id.
  [[nodiscard]] static std::uint32_t session_of(std::uint64_t id) {
    return static_cast<std::uint32_t>(id >> 32) / per_session;
  }
  /// Returns whether this server made the id. A foreign id passes with a probability of 1 in 2^32.
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
