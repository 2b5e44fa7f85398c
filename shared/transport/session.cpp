#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/transport/session.hpp>

namespace mobula::transport {
namespace {

constexpr std::size_t header_bytes = 8;
constexpr std::size_t unreliable_header_bytes = 2;
constexpr std::size_t chunk_header_bytes = 4;
constexpr std::size_t length_bytes = 4;  // before each message on the reliable lane
constexpr std::uint16_t chunk_flag = 0x8000;
// No chunk is cut smaller than this only because a datagram or a flush is nearly full.
constexpr std::size_t chunk_bytes_min = 256;
constexpr std::uint16_t acks_per_datagram = 33;

static_assert(header_bytes + unreliable_header_bytes + max_unreliable_size <= session_body_bytes_max);

constexpr core::Nanoseconds resend_unmeasured = 300 * core::millisecond;
constexpr core::Nanoseconds resend_min = 50 * core::millisecond;
constexpr core::Nanoseconds resend_max = 5 * core::second;
constexpr core::Nanoseconds variation_min = 5 * core::millisecond;

// Sequences and chunk numbers wrap: distances are taken modulo 2^16.
std::uint16_t distance(std::uint16_t from, std::uint16_t to) { return static_cast<std::uint16_t>(to - from); }
bool is_after(std::uint16_t a, std::uint16_t b) { return a != b && distance(b, a) < 0x8000; }
std::uint16_t plus(std::uint16_t number, int offset) { return static_cast<std::uint16_t>(number + offset); }

core::Error too_large(std::size_t size, std::size_t most) {
  return {"too large", core::format("a message of {} bytes; at most {} are allowed", size, most)};
}
core::Error queue_full(std::size_t size, std::size_t queued, std::size_t most) {
  return {"queue full", core::format("{} of {} bytes are queued; no room for {} more", queued, most, size)};
}

}  // namespace

// All sequences before the first count as received: a copy of them would be a duplicate.
Session::Session(const SessionConfig& config, core::Nanoseconds now)
    : config_(config),
      now_(now),
      last_received_(now),
      last_sent_(now - config.keepalive_interval),
      sent_(sent_datagrams),
      chunks_(window_chunks),
      early_(window_chunks) {
  MOBULA_ASSERT(config.reliable_inbox_bytes_max >= std::size_t{config.reliable_receive_bytes_max} + 64 * 1024,
                "the inbox must hold the largest message and some more");
  MOBULA_ASSERT(config.reliable_bytes_per_flush >= 2 * session_body_bytes_max, "a flush must hold a datagram or two");
  received_.set();
}

// --- Messages in and out -------------------------------------------------------------------------------------------

core::Result<ReliableId> Session::send_reliable(core::ByteView message) {
  if (message.size() > max_reliable_size) return too_large(message.size(), max_reliable_size);
  if (stream_.size() + length_bytes + message.size() > config_.reliable_queue_bytes_max) {
    return queue_full(message.size(), stream_.size(), config_.reliable_queue_bytes_max);
  }
  stream_.append_value(static_cast<std::uint32_t>(message.size()));
  stream_.append(message);
  message_ends_.append_value(stream_begin_ + stream_.size());
  return ++queued_;
}

core::Status Session::send_unreliable(core::ByteView message) {
  if (message.size() > max_unreliable_size) return too_large(message.size(), max_unreliable_size);
  if (unreliable_out_.size() + unreliable_header_bytes + message.size() > config_.unreliable_queue_bytes_max) {
    return queue_full(message.size(), unreliable_out_.size(), config_.unreliable_queue_bytes_max);
  }
  unreliable_out_.append_value(static_cast<std::uint16_t>(message.size()));
  unreliable_out_.append(message);
  return core::Done{};
}

bool Session::next_reliable(core::Bytes& message) {
  if (inbox_ready_ == 0) return false;
  const core::ByteView view = inbox_.view();
  const std::size_t size = core::load<std::uint32_t>(view.data());
  const core::ByteView content = view.subspan(length_bytes, size);
  message.assign(content.begin(), content.end());
  inbox_.consume(length_bytes + size);
  inbox_ready_ -= length_bytes + size;
  return true;
}

bool Session::next_unreliable(core::Bytes& message) {
  if (unreliable_in_.empty()) return false;
  const core::ByteView view = unreliable_in_.view();
  const std::size_t size = core::load<std::uint16_t>(view.data());
  const core::ByteView content = view.subspan(unreliable_header_bytes, size);
  message.assign(content.begin(), content.end());
  unreliable_in_.consume(unreliable_header_bytes + size);
  return true;
}

// --- Receiving -----------------------------------------------------------------------------------------------------

void Session::receive(core::ByteView body, core::Nanoseconds now) {
  if (failed_) return;
  if (!well_formed(body)) {
    ++stats_.malformed;
    return;
  }
  const auto sequence = core::load<std::uint16_t>(body.data());
  const core::ByteView entries = body.subspan(header_bytes);
  if (!is_new(sequence)) return;
  if (!has_room(entries)) {
    ++stats_.inbox_full;
    return;
  }
  note_received(sequence);
  last_received_ = now;
  ++stats_.datagrams_received;
  stats_.bytes_received += body.size();
  take_acks(core::load<std::uint16_t>(body.data() + 2), core::load<std::uint32_t>(body.data() + 4), now);
  if (!entries.empty()) ack_owed_ = true;
  take_entries(entries);
}

bool Session::next_entry(core::ByteView& rest, Entry& entry) {
  if (rest.size() < unreliable_header_bytes) return false;
  const auto word = core::load<std::uint16_t>(rest.data());
  entry.reliable = (word & chunk_flag) != 0;
  const std::size_t size = word & ~chunk_flag;
  const std::size_t header = entry.reliable ? chunk_header_bytes : unreliable_header_bytes;
  if (rest.size() < header + size) return false;
  if (entry.reliable) entry.chunk = core::load<std::uint16_t>(rest.data() + 2);
  entry.bytes = rest.subspan(header, size);
  rest = rest.subspan(header + size);
  return true;
}

bool Session::well_formed(core::ByteView body) const {
  if (body.size() < header_bytes || body.size() > datagram_bytes_max) return false;
  // What was never sent cannot be acknowledged.
  if (is_after(core::load<std::uint16_t>(body.data() + 2), plus(next_sequence_, -1))) return false;
  core::ByteView rest = body.subspan(header_bytes);
  while (!rest.empty()) {
    Entry entry;
    if (!next_entry(rest, entry)) return false;
    if (!entry.reliable) {
      if (entry.bytes.size() > max_unreliable_size) return false;
      continue;
    }
    const std::uint16_t ahead = distance(expected_chunk_, entry.chunk);
    if (entry.bytes.empty() || (ahead >= window_chunks && ahead < 0x8000)) return false;
  }
  return true;
}

bool Session::is_new(std::uint16_t sequence) {
  if (is_after(sequence, newest_received_)) return true;
  const bool stale = distance(sequence, newest_received_) >= received_sequences;
  if (!stale && !was_received(sequence)) return true;
  ++(stale ? stats_.stale : stats_.duplicates);
  return false;
}

// Early chunks are bounded by the window and not counted: they must never keep the expected chunk out.
bool Session::has_room(core::ByteView entries) const {
  std::size_t chunk_bytes = 0;
  while (!entries.empty()) {
    Entry entry;
    next_entry(entries, entry);
    if (entry.reliable) chunk_bytes += entry.bytes.size();
  }
  return chunk_bytes == 0 || inbox_.size() + chunk_bytes <= config_.reliable_inbox_bytes_max;
}

bool Session::was_received(std::uint16_t sequence) const {
  return distance(sequence, newest_received_) < received_sequences && received_[sequence % received_sequences];
}

void Session::note_received(std::uint16_t sequence) {
  if (is_after(sequence, newest_received_)) {
    const std::uint16_t step = distance(newest_received_, sequence);
    if (step >= received_sequences) {
      received_.reset();
    } else {
      for (std::uint16_t s = plus(newest_received_, 1); s != sequence; ++s) received_.reset(s % received_sequences);
    }
    newest_received_ = sequence;
  } else if (!is_after(sequence, newest_reported_)) {
    newest_reported_ = plus(sequence, -1);  // a late one is reported too
  }
  received_.set(sequence % received_sequences);
}

void Session::take_entries(core::ByteView entries) {
  Entry entry;
  while (!entries.empty() && next_entry(entries, entry)) {
    if (entry.reliable) {
      take_chunk(entry);
    } else {
      take_unreliable(entry.bytes);
    }
  }
}

void Session::take_unreliable(core::ByteView message) {
  if (unreliable_in_.size() + unreliable_header_bytes + message.size() > config_.unreliable_inbox_bytes_max) {
    ++stats_.unreliable_dropped;
    return;
  }
  unreliable_in_.append_value(static_cast<std::uint16_t>(message.size()));
  unreliable_in_.append(message);
}

void Session::take_chunk(const Entry& entry) {
  const std::uint16_t ahead = distance(expected_chunk_, entry.chunk);
  if (ahead >= window_chunks) return;  // had it already
  const std::size_t slot = entry.chunk % window_chunks;
  if (ahead > 0) {
    if (!has_early_[slot]) early_[slot].assign(entry.bytes.begin(), entry.bytes.end());
    has_early_.set(slot);
    return;
  }
  append_inbox(entry.bytes);
  ++expected_chunk_;
  for (std::size_t next = expected_chunk_ % window_chunks; has_early_[next]; next = expected_chunk_ % window_chunks) {
    append_inbox(early_[next]);
    core::Bytes().swap(early_[next]);  // there may be thousands of sessions
    has_early_.reset(next);
    ++expected_chunk_;
  }
}

void Session::append_inbox(core::ByteView bytes) {
  if (failed_) return;
  inbox_.append(bytes);
  while (inbox_.size() - inbox_ready_ >= length_bytes) {
    const std::size_t size = core::load<std::uint32_t>(inbox_.view().data() + inbox_ready_);
    if (size > config_.reliable_receive_bytes_max) {
      failed_ = true;
      return;
    }
    if (inbox_.size() - inbox_ready_ < length_bytes + size) return;
    inbox_ready_ += length_bytes + size;
  }
}

// --- Acknowledgements ----------------------------------------------------------------------------------------------

void Session::take_acks(std::uint16_t ack, std::uint32_t bits, core::Nanoseconds now) {
  for (int n = 0; n < acks_per_datagram; ++n) {
    if (n > 0 && ((bits >> (n - 1)) & 1u) == 0) continue;
    const std::uint16_t sequence = plus(ack, -n);
    SentDatagram& datagram = sent_[sequence % sent_datagrams];
    if (datagram.sequence != sequence) continue;
    if (datagram.state != SentState::waiting && datagram.state != SentState::lost) continue;
    if (n == 0 && datagram.eliciting) measure(now - datagram.at);
    take_ack(datagram);
  }
  release_chunks();
}

void Session::take_ack(SentDatagram& datagram) {
  if (datagram.state == SentState::lost && datagram.eliciting) --stats_.datagrams_lost;
  datagram.state = SentState::acked;
  ++stats_.datagrams_acked;
  for (std::size_t i = 0; i < datagram.chunk_count; ++i) {
    const std::uint16_t number = datagram.chunks[i];
    if (distance(first_chunk_, number) < distance(first_chunk_, next_chunk_)) {
      chunks_[number % window_chunks].acked = true;
    }
  }
}

void Session::release_chunks() {
  std::size_t released = 0;
  for (; first_chunk_ != next_chunk_ && chunks_[first_chunk_ % window_chunks].acked; ++first_chunk_) {
    released += chunks_[first_chunk_ % window_chunks].size;
  }
  if (released == 0) return;
  stream_.consume(released);
  stream_begin_ += released;
  while (!message_ends_.empty() && core::load<std::uint64_t>(message_ends_.view().data()) <= stream_begin_) {
    message_ends_.consume(sizeof(std::uint64_t));
    ++delivered_;
  }
}

// Datagrams are sent in the order of their sequences, so the oldest is the first to be given up.
void Session::give_up_old() {
  for (; oldest_waiting_ != next_sequence_; ++oldest_waiting_) {
    SentDatagram& datagram = sent_[oldest_waiting_ % sent_datagrams];
    if (datagram.sequence != oldest_waiting_ || datagram.state != SentState::waiting) continue;
    if (datagram.at + resend_after() > now_) return;
    give_up(datagram);
  }
}

void Session::give_up(SentDatagram& datagram) {
  if (datagram.state != SentState::waiting) return;
  datagram.state = SentState::lost;
  if (datagram.eliciting) ++stats_.datagrams_lost;
}

// RFC 6298's smoothing. Each datagram has its own sequence, so a sample is never ambiguous.
void Session::measure(core::Nanoseconds sample) {
  sample = std::max<core::Nanoseconds>(sample, 1);
  if (stats_.rtt == 0) {
    stats_.rtt = sample;
    stats_.rtt_variation = sample / 2;
    return;
  }
  const core::Nanoseconds error = sample > stats_.rtt ? sample - stats_.rtt : stats_.rtt - sample;
  stats_.rtt_variation += (error - stats_.rtt_variation) / 4;
  stats_.rtt = std::max<core::Nanoseconds>(stats_.rtt + (sample - stats_.rtt) / 8, 1);
}

core::Nanoseconds Session::resend_after() const {
  if (stats_.rtt == 0) return resend_unmeasured;
  const core::Nanoseconds patience = 4 * std::max(stats_.rtt_variation, variation_min);
  return std::clamp(stats_.rtt + patience, resend_min, resend_max);
}

// The newest received sequence; after a burst of more than one header can report, first the older ones.
std::uint16_t Session::choose_ack() {
  if (distance(newest_reported_, newest_received_) >= received_sequences) {
    newest_reported_ = plus(newest_received_, 1 - static_cast<int>(received_sequences));
  }
  while (distance(newest_reported_, newest_received_) > acks_per_datagram) {
    const std::uint16_t before = newest_reported_;
    newest_reported_ = plus(before, acks_per_datagram);
    for (std::uint16_t s = newest_reported_; s != before; --s) {
      if (was_received(s)) return s;
    }
  }
  newest_reported_ = newest_received_;
  return newest_received_;
}

std::uint32_t Session::ack_bits(std::uint16_t ack) const {
  std::uint32_t bits = 0;
  for (int n = 0; n < 32; ++n) bits |= (was_received(plus(ack, -1 - n)) ? 1u : 0u) << n;
  return bits;
}

// --- Sending -------------------------------------------------------------------------------------------------------

void Session::begin_flush(core::Nanoseconds now) {
  now_ = now;
  reliable_left_ = config_.reliable_bytes_per_flush;
  scan_ = first_chunk_;
  keepalive_due_ = now - last_sent_ >= config_.keepalive_interval;
  give_up_old();
}

std::size_t Session::write_datagram(core::MutableBytes out) {
  MOBULA_ASSERT(out.size() >= session_body_bytes_max, "no room for a datagram");
  out = out.first(session_body_bytes_max);
  SentDatagram record;
  record.at = now_;
  record.sequence = next_sequence_;
  record.state = SentState::waiting;
  std::size_t size = header_bytes;
  size += write_unreliable(out.subspan(size));
  size += write_chunks(out.subspan(size), record);
  record.eliciting = size > header_bytes;
  if (!record.eliciting && !ack_owed_ && !keepalive_due_) return 0;

  const std::uint16_t ack = choose_ack();
  core::store(out.data(), next_sequence_);
  core::store(out.data() + 2, ack);
  core::store(out.data() + 4, ack_bits(ack));
  SentDatagram& slot = sent_[next_sequence_ % sent_datagrams];
  give_up(slot);
  slot = record;
  ++next_sequence_;
  if (ack == newest_received_) ack_owed_ = false;
  keepalive_due_ = false;
  last_sent_ = now_;
  ++stats_.datagrams_sent;
  stats_.bytes_sent += size;
  return size;
}

std::size_t Session::write_unreliable(core::MutableBytes out) {
  const core::ByteView queue = unreliable_out_.view();
  std::size_t written = 0;
  while (written < queue.size()) {
    const std::size_t entry = unreliable_header_bytes + core::load<std::uint16_t>(queue.data() + written);
    if (written + entry > out.size()) break;
    written += entry;
  }
  if (written == 0) return 0;
  std::memcpy(out.data(), queue.data(), written);  // the queue has the wire's form
  unreliable_out_.consume(written);
  return written;
}

// What is due again goes before what is new.
std::size_t Session::write_chunks(core::MutableBytes out, SentDatagram& record) {
  std::size_t written = 0;
  while (record.chunk_count < chunks_per_datagram) {
    const std::size_t room = out.size() - written;
    if (scan_ == next_chunk_ && !cut_chunk(room)) break;
    const SentChunk& chunk = chunks_[scan_ % window_chunks];
    if (!chunk.acked && chunk.due <= now_) {
      if (chunk_header_bytes + chunk.size > room || chunk.size > reliable_left_) break;
      written += write_chunk(scan_, out.subspan(written), record);
    }
    ++scan_;
  }
  return written;
}

std::size_t Session::write_chunk(std::uint16_t number, core::MutableBytes out, SentDatagram& record) {
  SentChunk& chunk = chunks_[number % window_chunks];
  core::store(out.data(), static_cast<std::uint16_t>(chunk.size | chunk_flag));
  core::store(out.data() + 2, number);
  const std::uint32_t offset = chunk.begin - static_cast<std::uint32_t>(stream_begin_);
  std::memcpy(out.data() + chunk_header_bytes, stream_.view().data() + offset, chunk.size);
  if (chunk.sent) ++stats_.chunks_repeated;
  chunk.sent = true;
  chunk.due = now_ + resend_after();
  reliable_left_ -= chunk.size;
  record.chunks[record.chunk_count++] = number;
  return chunk_header_bytes + chunk.size;
}

bool Session::cut_chunk(std::size_t room) {
  const auto available = static_cast<std::size_t>(stream_begin_ + stream_.size() - stream_cut_);
  if (available == 0 || distance(first_chunk_, next_chunk_) >= window_chunks || room <= chunk_header_bytes)
    return false;
  const std::size_t most = std::min(room - chunk_header_bytes, reliable_left_);
  if (most < std::min(available, chunk_bytes_min)) return false;
  SentChunk& chunk = chunks_[next_chunk_ % window_chunks];
  chunk = {.due = now_, .begin = static_cast<std::uint32_t>(stream_cut_)};
  chunk.size = static_cast<std::uint16_t>(std::min(available, most));
  stream_cut_ += chunk.size;
  ++next_chunk_;
  return true;
}

void Session::check() const {
  MOBULA_ASSERT(distance(first_chunk_, next_chunk_) <= window_chunks, "the send window is overrun");
  MOBULA_ASSERT(stream_cut_ >= stream_begin_ && stream_cut_ <= stream_begin_ + stream_.size(), "cut past the stream");
  MOBULA_ASSERT(queued_ - delivered_ == message_ends_.size() / sizeof(std::uint64_t), "a message without an end");
  MOBULA_ASSERT(inbox_ready_ <= inbox_.size(), "more whole messages than bytes");
  MOBULA_ASSERT(!has_early_[expected_chunk_ % window_chunks], "the expected chunk waits as an early one");
  [[maybe_unused]] std::uint64_t position = stream_begin_;
  for (std::uint16_t number = first_chunk_; number != next_chunk_; ++number) {
    const SentChunk& chunk = chunks_[number % window_chunks];
    MOBULA_ASSERT(chunk.begin == static_cast<std::uint32_t>(position), "chunks do not cover the stream");
    position += chunk.size;
  }
  MOBULA_ASSERT(position == stream_cut_, "chunks do not cover the stream");
}

}  // namespace mobula::transport
