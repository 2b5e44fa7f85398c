// Values that are no longer, for clients that still rest on them: a ring of so many bytes, in which the oldest go
// first.
//
//   record  u64 before, u64 jump, u32 tick, u32 jump tick, u32 span, u32 words, then the words
//                                                                 the value since `tick`, until the next one's
//
// Records of one row are a chain from the newest to the oldest, which ends where it has been overwritten. A jump leads
// `span` records back: spans are such that any record is a few jumps away, the logarithm of how far back it is (Myers,
// "An applicative random-access stack", 1983). Clients that fall behind must not cost the more the further they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mobula/ecs/pool.hpp>
#include <span>
#include <vector>

namespace mobula::server {

class ValueLog {
 public:
  // Of a record; 0: none.
  using Place = std::uint64_t;

  explicit ValueLog(std::size_t bytes);

  // A row's former value, and where the one before it is.
  Place add(ecs::Tick since, std::span<const std::uint32_t> words, Place before);
  // The words of the value that a chain's row had at that tick; null: it is gone.
  [[nodiscard]] const std::uint32_t* find(Place newest, ecs::Tick tick) const;

  [[nodiscard]] std::size_t bytes() const { return bytes_.size(); }

 private:
  struct Header {
    Place before;
    Place jump;
    ecs::Tick tick;
    ecs::Tick jump_tick;
    std::uint32_t span;
    std::uint32_t words;
  };

  [[nodiscard]] bool has(Place place) const { return place != 0 && place + bytes_.size() >= end_; }
  [[nodiscard]] Header header(Place place) const;
  void set_jump(Header& of) const;

  std::vector<std::byte> bytes_;
  std::uint64_t end_ = 8;  // bytes ever used, and the first few that make 0 mean none
};

}  // namespace mobula::server
