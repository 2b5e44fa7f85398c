#include <algorithm>
#include <cstring>
#include <mobula/core/assert.hpp>
#include <mobula/core/bytes.hpp>
#include <mobula/server/replication/value_log.hpp>

namespace mobula::server {

ValueLog::ValueLog(std::size_t bytes)
    : size_((bytes + 7) / 8 * 8), bytes_(std::make_unique_for_overwrite<std::byte[]>(size_)) {}

ValueLog::Header ValueLog::header(Place place) const { return core::load<Header>(at(place)); }

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
  if (lap_ + size_ - end_ < size) end_ = lap_ += size_;  // a record lies in one piece
  const Place place = end_;
  std::byte* const record = at(place);
  core::store(record, header);
  if (!words.empty()) std::memcpy(record + sizeof(Header), words.data(), words.size_bytes());
  end_ += size;
  return place;
}

const std::uint32_t* ValueLog::find_back(Place& place, ecs::Tick tick) const {
  while (has(place)) {
    const Header found = header(place);
    if (found.tick <= tick) return reinterpret_cast<const std::uint32_t*>(at(place) + sizeof(Header));
    place = found.jump_tick > tick && has(found.jump) ? found.jump : found.before;
  }
  return nullptr;
}

// A value that a row had at the tick ended later.
bool ValueLog::covers(ecs::Tick tick) const {
  const std::uint64_t first = marks_end_ - std::min<std::uint64_t>(marks_end_, marks_.size());
  for (std::uint64_t number = marks_end_; number > first; --number) {
    const Mark& begin = mark(number - 1);
    if (begin.tick <= tick) return true;
    if (!has(begin.place)) return false;
  }
  return first == 0;
}

}  // namespace mobula::server
