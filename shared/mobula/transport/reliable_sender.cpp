#include <algorithm>
#include <mobula/transport/message_errors.hpp>
#include <mobula/transport/reliable_sender.hpp>

namespace mobula::transport {
namespace {

// Minimum chunk size, unless less is queued: a nearly full datagram gets no smaller chunk.
constexpr std::size_t chunk_bytes_min = 256;
constexpr std::uint32_t chunks_capacity_min = 8;

}  // namespace

core::Result<ReliableId> ReliableSender::send(core::ByteView message, std::size_t queue_bytes_max) {
  if (message.size() > max_reliable_size) return too_large(message.size(), max_reliable_size);
  if (stream_.size() + reliable_length_bytes + message.size() > queue_bytes_max) {
    return queue_full(message.size(), stream_.size(), queue_bytes_max);
  }
  stream_.append_value(static_cast<std::uint32_t>(message.size()));
  stream_.append(message);
  message_ends_.append_value(begin_ + stream_.size());
  return ++queued_;
}

std::size_t ReliableSender::write(core::MutableBytes out, Lane lane, SentDatagram& record,
                                  std::size_t entry_bytes_max) {
  std::size_t written = write_lost(out, lane, record);
  if (lost_ > 0 && scan_ != next_) return written;  // a lost chunk did not fit
  while (record.chunk_count < SentDatagram::chunks_max && cut(std::min(out.size() - written, entry_bytes_max))) {
    written += write_chunk(plus(next_, -1), out.subspan(written), lane, record);
  }
  return written;
}

std::size_t ReliableSender::write_lost(core::MutableBytes out, Lane lane, SentDatagram& record) {
  std::size_t written = 0;
  for (; lost_ > 0 && scan_ != next_; ++scan_) {
    if (!is_in_flight(scan_)) scan_ = first_;
    Chunk& chunk = chunks_[scan_];
    if (chunk.state != ChunkState::lost) continue;
    const bool fits = chunk_header_bytes + chunk.size <= out.size() - written;
    if (!fits || record.chunk_count == SentDatagram::chunks_max) break;
    chunk.state = ChunkState::waiting;
    --lost_;
    ++repeated_;
    written += write_chunk(scan_, out.subspan(written), lane, record);
  }
  return written;
}

bool ReliableSender::has_lost_above(std::size_t bytes) const {
  if (lost_ == 0) return false;
  for (std::uint16_t number = first_; number != next_; ++number)
    if (chunks_[number].state == ChunkState::lost && chunk_header_bytes + chunks_[number].size > bytes) return true;
  return false;
}

std::size_t ReliableSender::write_chunk(std::uint16_t number, core::MutableBytes out, Lane lane, SentDatagram& record) {
  const Chunk& chunk = chunks_[number];
  core::store(out.data(), entry_header(EntryKind::chunk, lane, chunk.size));
  core::store(out.data() + entry_header_bytes, number);
  const std::uint32_t offset = chunk.begin - static_cast<std::uint32_t>(begin_);
  std::memcpy(out.data() + chunk_header_bytes, stream_.view().data() + offset, chunk.size);
  record.lane = static_cast<std::uint8_t>(lane);
  record.chunks[record.chunk_count++] = number;
  return chunk_header_bytes + chunk.size;
}

bool ReliableSender::cut(std::size_t room) {
  const std::size_t unsent = unsent_bytes();
  if (unsent == 0 || in_flight() == reliable_window_chunks || room <= chunk_header_bytes) return false;
  const std::size_t most = room - chunk_header_bytes;
  if (most < std::min(unsent, chunk_bytes_min)) return false;
  if (in_flight() == chunks_.capacity()) {
    const std::size_t capacity = std::max<std::size_t>(chunks_capacity_min, chunks_.capacity() * 2);
    chunks_.set_capacity(capacity, first_, in_flight());
  }
  const std::size_t size = std::min(unsent, most);
  chunks_[next_++] = {static_cast<std::uint32_t>(cut_), static_cast<std::uint16_t>(size), ChunkState::waiting};
  cut_ += size;
  return true;
}

void ReliableSender::acked(std::uint16_t chunk) {
  if (!is_in_flight(chunk)) return;
  if (chunks_[chunk].state == ChunkState::lost) --lost_;
  chunks_[chunk].state = ChunkState::acked;
}

void ReliableSender::lost(std::uint16_t chunk) {
  if (!is_in_flight(chunk) || chunks_[chunk].state != ChunkState::waiting) return;
  chunks_[chunk].state = ChunkState::lost;
  ++lost_;
}

void ReliableSender::release() {
  std::size_t released = 0;
  for (; first_ != next_ && chunks_[first_].state == ChunkState::acked; ++first_) released += chunks_[first_].size;
  if (released == 0) return;
  stream_.consume(released);
  begin_ += released;
  while (!message_ends_.empty() && core::load<std::uint64_t>(message_ends_.view().data()) <= begin_) {
    message_ends_.consume(sizeof(std::uint64_t));
    ++delivered_;
  }
}

void ReliableSender::trim() {
  stream_.trim();
  message_ends_.trim();
  if (in_flight() == 0 && stream_.capacity() == 0) chunks_.set_capacity(0, 0, 0);
}

void ReliableSender::check() const {
  MOBULA_ASSERT(in_flight() <= reliable_window_chunks, "the send window is overrun");
  MOBULA_ASSERT(cut_ >= begin_ && cut_ <= begin_ + stream_.size(), "cut past the stream");
  MOBULA_ASSERT(queued_ - delivered_ == message_ends_.size() / sizeof(std::uint64_t), "a message without an end");
  [[maybe_unused]] std::uint64_t position = begin_;
  [[maybe_unused]] std::uint32_t lost = 0;
  for (std::uint16_t number = first_; number != next_; ++number) {
    const Chunk& chunk = chunks_[number];
    MOBULA_ASSERT(chunk.begin == static_cast<std::uint32_t>(position), "chunks do not cover the stream");
    position += chunk.size;
    lost += chunk.state == ChunkState::lost ? 1 : 0;
  }
  MOBULA_ASSERT(position == cut_, "chunks do not cover the stream");
  MOBULA_ASSERT(lost == lost_, "lost chunks are miscounted");
}

}  // namespace mobula::transport
