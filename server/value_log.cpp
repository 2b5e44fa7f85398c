#include <cstring>
#include <mobula/core/assert.hpp>
#include <mobula/core/bytes.hpp>
#include <mobula/server/value_log.hpp>

namespace mobula::server {

ValueLog::ValueLog(std::size_t bytes) : bytes_((bytes + 7) / 8 * 8) {}

ValueLog::Place ValueLog::add(ecs::Tick since, std::span<const std::uint32_t> words, Place before) {
  const std::size_t size = (sizeof(Header) + words.size_bytes() + 7) / 8 * 8;
  if (size > bytes_.size()) return 0;
  const std::size_t room = bytes_.size() - end_ % bytes_.size();
  if (room < size) end_ += room;  // a record lies in one piece
  const Place place = end_;
  std::byte* at = &bytes_[place % bytes_.size()];
  core::store(at, Header{before, since, static_cast<std::uint32_t>(words.size())});
  if (!words.empty()) std::memcpy(at + sizeof(Header), words.data(), words.size_bytes());
  end_ += size;
  return place;
}

const std::uint32_t* ValueLog::find(Place place, ecs::Tick tick) const {
  while (place != 0 && place + bytes_.size() >= end_) {
    const std::byte* at = &bytes_[place % bytes_.size()];
    const auto header = core::load<Header>(at);
    if (header.tick <= tick) return reinterpret_cast<const std::uint32_t*>(at + sizeof(Header));
    place = header.before;
  }
  return nullptr;
}

}  // namespace mobula::server
