#include <algorithm>
#include <mobula/transport/message_errors.hpp>
#include <mobula/transport/session.hpp>

namespace mobula::transport {
namespace {

constexpr std::size_t inbox_header_bytes = 2;
constexpr core::Nanoseconds trim_interval = 5 * core::second;
// The lanes take turns by datagrams, so none has to make up for more than one.
constexpr std::int64_t control_lead_max = session_body_bytes_max;

bool has_entries(const SentDatagram& datagram) { return datagram.size > body_header_bytes; }

BodyLimit::Kind kind_of(const SentDatagram& datagram) {
  return datagram.chunk_count > 0 ? datagram.lane : BodyLimit::no_chunks;
}

}  // namespace

Session::Session(const SessionConfig& config, core::Nanoseconds now)
    : config_(config),
      clock_(now),
      last_sent_(-config.keepalive_interval),
      rate_({.floor = config.bytes_per_second_min,
             .start = config.bytes_per_second_start,
             .max = config.bytes_per_second_max}) {
  MOBULA_ASSERT(config.reliable_inbox_bytes_max >= std::size_t{config.reliable_receive_bytes_max} + 64 * 1024,
                "reliable_inbox_bytes_max is below reliable_receive_bytes_max + 64 KiB");
}

// --- Messages in and out -------------------------------------------------------------------------------------------

core::Result<ReliableId> Session::send_reliable(core::ByteView message, Lane lane) {
  return sender(lane).send(message, config_.reliable_queue_bytes_max);
}

core::Status Session::queue_unreliable(core::ByteView message, std::optional<std::uint32_t> tag) {
  if (message.size() > max_unreliable_size) return too_large(message.size(), max_unreliable_size);
  if (unreliable_out_.size() + UnreliableQueue::cost(message.size()) > config_.unreliable_queue_bytes_max) {
    return queue_full(message.size(), unreliable_out_.size(), config_.unreliable_queue_bytes_max);
  }
  unreliable_out_.push(message, clock_.now(), tag);
  return core::Done{};
}

bool Session::next_unreliable(core::Bytes& message) {
  if (unreliable_in_.empty()) return false;
  const core::ByteView view = unreliable_in_.view();
  const std::size_t size = core::load<std::uint16_t>(view.data());
  const core::ByteView content = view.subspan(inbox_header_bytes, size);
  message.assign(content.begin(), content.end());
  unreliable_in_.consume(inbox_header_bytes + size);
  return true;
}

std::size_t Session::budget_bytes(core::Nanoseconds now) const {
  if (sent_.is_used_up()) return 0;
  const std::int64_t budget = std::max<std::int64_t>(0, rate_.budget_at(clock_.at(now)));
  const std::int64_t share = std::clamp<std::int64_t>((budget - control_lead_ + 1) / 2, 0, budget);
  const std::int64_t control = std::min(share, static_cast<std::int64_t>(sender(Lane::control).unsent_bytes()));
  const auto queued = static_cast<std::int64_t>(unreliable_out_.size());
  return static_cast<std::size_t>(std::max<std::int64_t>(0, budget - control - queued));
}

// --- Receiving -----------------------------------------------------------------------------------------------------

void Session::receive(core::ByteView body, core::Nanoseconds now) {
  if (failed_ || disconnect_reason_ || handle_disconnect(body)) return;
  clock_.advance(now);
  const Verdict verdict = validate(body);
  if (verdict == Verdict::malformed) {
    ++stats_.malformed;
    return;
  }
  const auto sequence = core::load<std::uint16_t>(body.data());
  if (!is_new(sequence)) return;
  if (verdict == Verdict::no_room) {
    ++stats_.inbox_full;
    return;
  }
  received_.note(sequence);
  probe_is_old_ = true;
  ++stats_.datagrams_received;
  stats_.bytes_received += body.size();
  link_.on_received(body.size(), clock_.now());
  handle_acks(body);
  if (body.size() > body_header_bytes) ack_owed_ = true;
  handle_entries(body.subspan(body_header_bytes));
  static_cast<LinkEstimates&>(stats_) = link_.estimates();
}

bool Session::handle_disconnect(core::ByteView body) {
  if (body.size() <= body_header_bytes || core::load<std::uint64_t>(body.data()) != 0) return false;
  disconnect_reason_ = decode_disconnect(body);
  return disconnect_reason_.has_value();
}

// Checks the whole body before any entry is handled.
Session::Verdict Session::validate(core::ByteView body) const {
  if (body.size() < body_header_bytes || body.size() > session_body_bytes_max) return Verdict::malformed;
  if (!sent_.was_sent(core::load<std::uint16_t>(body.data() + 2))) return Verdict::malformed;
  std::array<std::size_t, lane_count> chunk_bytes{};
  core::ByteView rest = body.subspan(body_header_bytes);
  Entry entry;
  while (!rest.empty()) {
    if (!next_entry(rest, entry) || !plausible(entry)) return Verdict::malformed;
    if (entry.kind == EntryKind::chunk) chunk_bytes[static_cast<std::size_t>(entry.lane)] += entry.bytes.size();
  }
  for (std::size_t lane = 0; lane < lane_count; ++lane) {
    if (chunk_bytes[lane] == 0) continue;
    if (receivers_[lane].inbox_bytes() + chunk_bytes[lane] > config_.reliable_inbox_bytes_max) return Verdict::no_room;
  }
  return Verdict::good;
}

bool Session::plausible(const Entry& entry) const {
  if (entry.kind == EntryKind::unreliable) return entry.bytes.size() <= max_unreliable_size;
  if (entry.kind != EntryKind::chunk) return false;  // a disconnect entry must be alone
  if (entry.lane == Lane::bulk && !config_.accepts_bulk) return false;
  return !entry.bytes.empty() && receivers_[static_cast<std::size_t>(entry.lane)].plausible(entry.chunk);
}

bool Session::is_new(std::uint16_t sequence) {
  const ReceivedHistory::Novelty novelty = received_.novelty(sequence);
  if (novelty == ReceivedHistory::Novelty::fresh) return true;
  ++(novelty == ReceivedHistory::Novelty::stale ? stats_.stale : stats_.duplicates);
  return false;
}

void Session::handle_entries(core::ByteView entries) {
  Entry entry;
  while (!entries.empty() && next_entry(entries, entry)) {
    if (entry.kind == EntryKind::unreliable) {
      handle_unreliable(entry.bytes);
    } else if (!receiver(entry.lane).receive(entry.chunk, entry.bytes, config_.reliable_receive_bytes_max)) {
      failed_ = true;
      return;
    }
  }
}

void Session::handle_unreliable(core::ByteView message) {
  if (unreliable_in_.size() + inbox_header_bytes + message.size() > config_.unreliable_inbox_bytes_max) {
    ++stats_.unreliable_dropped;
    return;
  }
  const core::MutableBytes place = unreliable_in_.extend(inbox_header_bytes + message.size());
  core::store(place.data(), static_cast<std::uint16_t>(message.size()));
  if (!message.empty()) std::memcpy(place.data() + inbox_header_bytes, message.data(), message.size());
}

// --- Acknowledgements ----------------------------------------------------------------------------------------------

void Session::handle_acks(core::ByteView header) {
  const auto ack = core::load<std::uint16_t>(header.data() + 2);
  sent_.handle_acks(ack, core::load<std::uint32_t>(header.data() + 4),
                    [this](const SentDatagram& datagram, bool newest) { on_acked(datagram, newest); });
  sent_.give_up_overtaken(ack, [this](const SentDatagram& datagram) { on_lost(datagram); });
  for (ReliableSender& lane : senders_) lane.release();
}

void Session::on_acked(const SentDatagram& datagram, bool newest) {
  const bool late = datagram.state == SentState::lost;
  ++stats_.datagrams_acked;
  limit_.on_acked(datagram.size, kind_of(datagram));
  link_.on_acked(datagram.size);
  rate_.on_acked(datagram.size);
  if (!late) rate_.on_landed(datagram.size);
  if (has_entries(datagram)) {
    if (newest) {
      link_.on_rtt(clock_.now() - datagram.at);
      rate_.on_rtt(clock_.now() - datagram.at, datagram.at);
    }
    if (late) {
      --stats_.datagrams_lost;
      link_.forgive();
    } else {
      link_.on_outcome(false);
      rate_.on_outcome(false, datagram.at);
    }
  }
  for (std::size_t i = 0; i < datagram.chunk_count; ++i) senders_[datagram.lane].acked(datagram.chunks[i]);
  if (datagram.tag_count > 0 && !late) {
    fates_.decide(datagram.first_tag, datagram.tag_count, Fate::Outcome::acked, clock_.to_owner_time(datagram.at));
  }
}

void Session::on_lost(const SentDatagram& datagram) {
  rate_.on_landed(datagram.size);
  if (!has_entries(datagram)) return;
  ++stats_.datagrams_lost;
  limit_.on_lost(datagram.size, kind_of(datagram));
  link_.on_outcome(true);
  rate_.on_outcome(true, datagram.at);
  for (std::size_t i = 0; i < datagram.chunk_count; ++i) senders_[datagram.lane].lost(datagram.chunks[i]);
  fates_.decide(datagram.first_tag, datagram.tag_count, Fate::Outcome::lost, clock_.to_owner_time(datagram.at));
}

// --- Sending -------------------------------------------------------------------------------------------------------

void Session::begin_flush(core::Nanoseconds now) {
  clock_.advance(now);
  give_up_old();
  drop_expired();
  link_.update(clock_.now());
  rate_.update(clock_.now(), link_.estimates());
  static_cast<LinkEstimates&>(stats_) = link_.estimates();
  stats_.allowed_bytes_per_second = rate_.bytes_per_second();
  stats_.small_bodies = limit_.reduced();
  path_shrank_ = limit_.reduced() && std::ranges::any_of(senders_, [](const ReliableSender& lane) {
                   return lane.has_lost_above(BodyLimit::small_bytes - body_header_bytes);
                 });
  received_.begin_report();
  for (ReliableSender& lane : senders_) lane.begin_flush();
  unreliable_used_ = !unreliable_out_.empty();
  keepalive_due_ = clock_.now() - last_sent_ >= config_.keepalive_interval;
  if (clock_.now() - trimmed_at_ >= trim_interval) trim();
}

void Session::give_up_old() {
  sent_.give_up_sent_before(clock_.now() - link_.patience(),
                            [this](const SentDatagram& datagram) { on_lost(datagram); });
  if (fates_.any_in_flight())
    fates_.forget_before(sent_.in_flight() > 0 ? sent_.oldest_waiting().first_tag : fates_.next_number());
}

void Session::drop_expired() {
  while (!unreliable_out_.empty()) {
    const UnreliableQueue::Message message = unreliable_out_.front();
    if (clock_.now() - message.queued_at <= config_.unreliable_age_max) return;
    if (message.tag) fates_.drop(*message.tag, clock_.to_owner_time(clock_.now()));
    ++stats_.unreliable_expired;
    unreliable_out_.pop();
  }
}

void Session::trim() {
  trimmed_at_ = clock_.now();
  sent_.trim(clock_.now());
  for (ReliableSender& lane : senders_) lane.trim();
  for (ReliableReceiver& lane : receivers_) lane.trim();
  unreliable_out_.trim();
  unreliable_in_.trim();
  fates_.trim();
}

std::size_t Session::write_datagram(core::MutableBytes out) {
  MOBULA_ASSERT(out.size() >= session_body_bytes_max, "no room for a datagram");
  SentDatagram record;
  record.at = clock_.now();
  record.first_tag = fates_.next_number();
  const bool used_up = sent_.is_used_up();
  const std::size_t entries = used_up ? 0 : write_entries(out, record);
  const std::size_t size = body_header_bytes + entries;
  if (size == body_header_bytes && !ack_owed_ && !keepalive_due_) return 0;

  record.size = static_cast<std::uint16_t>(size);
  const Ack ack = received_.next_ack();
  core::store(out.data(), take_sequence(record, used_up));
  core::store(out.data() + 2, ack.sequence);
  core::store(out.data() + 4, ack.bits);
  if (received_.reported()) ack_owed_ = false;
  keepalive_due_ = false;
  last_sent_ = clock_.now();
  link_.on_sent(size);
  ++stats_.datagrams_sent;
  stats_.bytes_sent += size;
  return size;
}

// Returns the sequence of a datagram. One that is a header alone is sent again with its sequence while the peer is
// silent. After each datagram of the peer it gets a new one, as an old one would be a duplicate, and its ack not be
// seen.
std::uint16_t Session::take_sequence(const SentDatagram& record, bool used_up) {
  if (used_up && probes_ && !probe_is_old_) return plus(sent_.next(), -1);
  probes_ = used_up;
  probe_is_old_ = false;
  const std::uint16_t sequence = sent_.next();
  sent_.add(record, [this](const SentDatagram& datagram) { on_lost(datagram); });
  rate_.on_sent(record.size);
  return sequence;
}

// Control and unreliable messages may overdraw the budget, so that a low rate can still send large ones. A message
// that fits no small body is sent in a large one.
std::size_t Session::write_entries(core::MutableBytes body, SentDatagram& record) {
  if (rate_.budget() <= 0) return 0;
  const core::MutableBytes large = body.subspan(body_header_bytes, BodyLimit::large_bytes - body_header_bytes);
  std::size_t written = write_entries_within(large.first(limit_.next() - body_header_bytes), record);
  if (written == 0) written = write_entries_within(large, record);
  if (written > 0) limit_.on_sent(body_header_bytes + written);
  if (record.chunk_count > 0) {
    stats_.chunks_repeated = senders_[0].chunks_repeated() + senders_[1].chunks_repeated();
  }
  return written;
}

// Bulk may not overdraw the budget: the next flush would have less for the others. Nor may control while it is ahead.
std::size_t Session::write_entries_within(core::MutableBytes out, SentDatagram& record) {
  const std::size_t chunk_max = limit_.certain_bytes() - body_header_bytes;
  std::size_t written = 0;
  const bool ahead = control_lead_ > 0;
  if (!ahead) written += write_control(out, record, chunk_max);
  written += write_unreliable(out.subspan(written), record);
  if (ahead && rate_.budget() - static_cast<std::int64_t>(written) >= std::int64_t{session_body_bytes_max})
    written += write_control(out.subspan(written), record, chunk_max);
  const bool bulk =
      !bulk_held_ && sender(Lane::bulk).pending() && rate_.budget() >= std::int64_t{session_body_bytes_max};
  if (written == 0 && bulk) written = sender(Lane::bulk).write(out, Lane::bulk, record, chunk_max);
  return written;
}

std::size_t Session::write_control(core::MutableBytes out, SentDatagram& record, std::size_t chunk_max) {
  if (!sender(Lane::control).pending()) return 0;
  const std::size_t written = sender(Lane::control).write(out, Lane::control, record, chunk_max);
  if (unreliable_used_ || control_lead_ < 0)
    control_lead_ = std::min(control_lead_ + static_cast<std::int64_t>(written), control_lead_max);
  return written;
}

std::size_t Session::write_unreliable(core::MutableBytes out, SentDatagram& record) {
  std::size_t written = 0;
  while (!unreliable_out_.empty()) {
    const UnreliableQueue::Message message = unreliable_out_.front();
    const std::size_t size = message.bytes.size();
    if (entry_header_bytes + size > out.size() - written) break;
    if (message.tag) {
      if (fates_.full() || record.tag_count == UINT8_MAX) break;
      fates_.add_in_flight(*message.tag);
      ++record.tag_count;
    }
    core::store(out.data() + written, entry_header(EntryKind::unreliable, Lane::control, size));
    if (size > 0) std::memcpy(out.data() + written + entry_header_bytes, message.bytes.data(), size);
    written += entry_header_bytes + size;
    unreliable_out_.pop();
  }
  const std::int64_t least = sender(Lane::control).pending() ? -control_lead_max : 0;
  control_lead_ = std::max(control_lead_ - static_cast<std::int64_t>(written), least);
  return written;
}

void Session::check() const {
  sent_.check();
  for (const ReliableSender& lane : senders_) lane.check();
  if (failed_) return;
  for (const ReliableReceiver& lane : receivers_) lane.check();
}

}  // namespace mobula::transport
