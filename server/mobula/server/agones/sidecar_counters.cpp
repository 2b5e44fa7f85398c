#include <mobula/core/log.hpp>
#include <mobula/server/agones/sidecar_counters.hpp>

namespace mobula::agones {

SidecarCounters::SidecarCounters(net::EventLoop& events, const std::string& url, core::Nanoseconds request_timeout,
                                 core::Nanoseconds interval, Contact& contact)
    : contact_(contact),
      interval_(interval),
      connection_(events, url, {.timeout = request_timeout, .answer_bytes_max = answer_bytes_max}) {}

bool SidecarCounters::sent(Counter counter) const {
  const Entry& entry = entries_.at(static_cast<std::size_t>(counter));
  return entry.wanted.has_value() && entry.wanted == entry.sent;
}

bool SidecarCounters::due(const Entry& entry) const {
  return entry.wanted != entry.sent && now_ >= entry.next_at && entry.back_off.due(now_);
}

void SidecarCounters::update(core::Nanoseconds now) {
  now_ = now;
  if (busy_) return;
  // A sidecar that starts again has lost what it had not written yet.
  const SidecarStats& stats = contact_.stats();
  if (stats.answers && times_lost_ != stats.times_lost) {
    times_lost_ = stats.times_lost;
    for (Entry& each : entries_) {
      each.sent.reset();
      each.back_off.reset();
    }
  }
  for (std::size_t i = 0; i < entries_.size() && !busy_; ++i) {
    const std::size_t index = (next_ + i) % entries_.size();
    const Entry& entry = entries_.at(index);
    if (entry.wanted && due(entry)) send(index, *entry.wanted);
  }
}

void SidecarCounters::send(std::size_t index, CounterValue value) {
  Entry& entry = entries_.at(index);
  busy_ = true;
  contact_.note_request();
  next_ = index + 1;
  entry.next_at = now_ + interval_;
  connection_.patch(counter_path(counter_names.at(index)), counter_json(value),
                    [this, index, value](const core::Result<std::string>& answer) { on_answer(index, value, answer); });
}

// Returns whether the sidecar has the value that was sent.
bool SidecarCounters::has_accepted(CounterValue value, const std::string& answer) {
  const core::Result<std::uint64_t> count = read_counter(answer);
  if (count && *count == sent_count(value)) return true;
  ++contact_.stats().malformed;
  return false;
}

void SidecarCounters::on_answer(std::size_t index, CounterValue value, const core::Result<std::string>& answer) {
  Entry& entry = entries_.at(index);
  busy_ = false;
  const Outcome outcome = contact_.note(answer);
  if (outcome == Outcome::done && has_accepted(value, *answer)) {
    entry.sent = value;
    entry.back_off.reset();
    entry.refused = false;
    ++contact_.stats().counters_sent;
    return;
  }
  entry.sent.reset();
  entry.back_off.failed(now_);
  if (outcome != Outcome::refused || entry.refused) return;
  entry.refused = true;
  core::log_warn("agones",
                 "the sidecar refuses the counter '{}', which spec.counters of the GameServer must declare: {}",
                 counter_names.at(index), answer.error().message);
}

}  // namespace mobula::agones
