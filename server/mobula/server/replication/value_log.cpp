#include <cstring>
#include <mobula/core/assert.hpp>
#include <mobula/core/bytes.hpp>
#include <mobula/server/replication/value_log.hpp>

namespace mobula::server {

ValueLog::ValueLog(std::size_t bytes)
    : size_((bytes + 7) / 8 * 8), bytes_(std::make_unique_for_overwrite<std::byte[]>(size_)) {}

ValueLog::Header ValueLog::header(Place place) const { return core::load<Header>(&bytes_[place % size_]); }

// Merges two jumps of the same span into one.
void ValueLog::set_jump(Header& of) const {
  if (!has(of.before)) return;
  const Header before = header(of.before);
  of.jump = of.before;
  of.jump_tick = before.tick;
  of.span = 1;
  if (!has(before.jump)) return;
  const Header further = header(before.jump);
  if (before.span != further.span || !has(further.jump)) return;
  of.jump = further.jump;
  of.jump_tick = further.jump_tick;
  of.span = before.span + further.span + 1;
}

ValueLog::Place ValueLog::add(ecs::Tick since, std::span<const std::uint32_t> words, Place before) {
  const std::size_t size = (sizeof(Header) + words.size_bytes() + 7) / 8 * 8;
  if (size > size_) return 0;
  Header header{.before = before,
                .jump = 0,
                .tick = since,
                .jump_tick = 0,
                .span = 0,
                .words = static_cast<std::uint32_t>(words.size())};
  set_jump(header);
  const std::size_t room = size_ - end_ % size_;
  if (room < size) end_ += room;  // a record lies in one piece
  const Place place = end_;
  std::byte* at = &bytes_[place % size_];
  core::store(at, header);
  if (!words.empty()) std::memcpy(at + sizeof(Header), words.data(), words.size_bytes());
  end_ += size;
  return place;
}

const std::uint32_t* ValueLog::find(Place place, ecs::Tick tick) const {
  while (has(place)) {
    const Header at = header(place);
    if (at.tick <= tick) return reinterpret_cast<const std::uint32_t*>(&bytes_[place % size_] + sizeof(Header));
    place = at.jump_tick > tick && has(at.jump) ? at.jump : at.before;
  }
  return nullptr;
}

}  // namespace mobula::server
