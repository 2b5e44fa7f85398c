#include <algorithm>
#include <mobula/core/log.hpp>
#include <mobula/net/http_client.hpp>
#include <mobula/server/agones/sidecar.hpp>
#include <utility>

namespace mobula::agones {
namespace {

bool is_one_of(std::string_view state, std::initializer_list<std::string_view> states) {
  return std::ranges::find(states, state) != states.end();
}

// No request changes these any more.
bool is_final(std::string_view state) { return is_one_of(state, {"Shutdown", "Unhealthy", "Error"}); }

net::HttpOptions options(const SidecarConfig& config) {
  return {.timeout = config.request_timeout, .answer_bytes_max = answer_bytes_max};
}

}  // namespace

Sidecar::Sidecar(net::EventLoop& events, SidecarConfig config)
    : config_(std::move(config)),
      contact_(config_.url),
      health_connection_(events, config_.url, options(config_)),
      state_connection_(events, config_.url, options(config_)),
      counters_(events, config_.url, config_.request_timeout, config_.counter_interval, contact_) {}

void Sidecar::ready() { want(Wanted::ready); }
void Sidecar::allocate() { want(Wanted::allocated); }
void Sidecar::reserve(std::uint32_t seconds) { want(Wanted::reserved, seconds); }

void Sidecar::want(Wanted wanted, std::uint32_t seconds) {
  was_in_use_ = was_in_use_ || wanted_ == Wanted::allocated || wanted_ == Wanted::reserved;
  wanted_ = wanted;
  seconds_ = seconds;
  ++number_;
  settled_ = unsure_ = refused_ = false;
  back_off_.reset();
}

void Sidecar::update(core::Nanoseconds now) {
  now_ = now;
  update_health();
  update_state();
  counters_.update(now);
}

void Sidecar::update_health() {
  if (pinging_ || now_ < ping_at_) return;
  began_ = began_ || ticked_;
  if (!ticked_) {
    if (!began_ || held_ || now_ < ping_at_ + config_.health_interval) return;
    held_ = true;
    ++contact_.stats().tick_stops;
    core::log_warn("agones", "no tick has run for {} s; health pings are held back",
                   core::in_seconds(now_ - ping_at_ + config_.health_interval));
    return;
  }
  contact_.note_request();
  ticked_ = held_ = false;
  pinging_ = true;
  ping_at_ = now_ + config_.health_interval;
  health_connection_.post("/health", empty_json, [this](const core::Result<std::string>& answer) {
    pinging_ = false;
    if (contact_.note(answer) == Outcome::done) ++contact_.stats().pings;
  });
}

void Sidecar::update_state() {
  if (busy_) return;
  // A request whose outcome is unknown is not repeated at once: Agones may have allocated the game server since, and a
  // second /ready would undo that.
  const bool found_again = contact_.stats().answers && times_lost_ != contact_.stats().times_lost;
  if (found_again) back_off_.reset();
  const bool repeat = !settled_ && back_off_.due(now_);
  if (repeat && !unsure_) return send_state();
  if (repeat || found_again || now_ >= read_at_) read_state();
}

void Sidecar::send_state() {
  struct Request {
    const char* path;
    std::string json;
  };
  Request request{"/ready", std::string(empty_json)};
  if (wanted_ == Wanted::allocated) request.path = "/allocate";
  if (wanted_ == Wanted::reserved) request = {"/reserve", reserve_json(seconds_)};
  busy_ = true;
  contact_.note_request();
  state_connection_.post(request.path, request.json, [this, number = number_](const core::Result<std::string>& answer) {
    on_state_answer(number, answer);
  });
}

void Sidecar::on_state_answer(std::uint64_t number, const core::Result<std::string>& answer) {
  busy_ = false;
  const Outcome outcome = contact_.note(answer);
  if (number != number_) return;  // another state is wanted now
  if (outcome == Outcome::done) {
    settled_ = true;
    settled_at_ = now_;
    refused_ = false;
    back_off_.reset();
    return;
  }
  unsure_ = outcome == Outcome::unknown;
  back_off_.failed(now_);
  if (outcome != Outcome::refused || refused_) return;
  refused_ = true;
  core::log_warn("agones", "the sidecar refuses a state: {}", answer.error().message);
}

void Sidecar::read_state() {
  busy_ = true;
  contact_.note_request();
  read_at_ = now_ + config_.state_interval;
  if (contact_.stats().answers) times_lost_ = contact_.stats().times_lost;
  state_connection_.get(
      "/gameserver", [this, asked_at = now_](const core::Result<std::string>& answer) { on_read(asked_at, answer); });
}

void Sidecar::on_read(core::Nanoseconds asked_at, const core::Result<std::string>& answer) {
  busy_ = false;
  if (contact_.note(answer) != Outcome::done) return back_off_.failed(now_);
  const core::Result<GameServer> read = read_game_server(*answer);
  if (!read) {
    ++contact_.stats().malformed;
    core::log_warn("agones", "{}", read.error().message);
    return back_off_.failed(now_);
  }
  note_state(*read);
  if (is_final(state_)) {
    settled_ = true;
  } else if (unsure_) {
    unsure_ = false;
    settled_ = shows_wanted();
    settled_at_ = now_;
  } else if (settled_ && asked_at >= settled_at_ + config_.settle_time) {
    settled_ = !falls_short();
  }
}

void Sidecar::note_state(const GameServer& read) {
  ending_ = ending_ || read.deleted || read.state == "Shutdown";
  if (std::exchange(state_, read.state) == read.state) return;
  if (is_final(state_) && !ending_)
    core::log_warn("agones", "the game server is {}", state_);
  else
    core::log_info("agones", "the game server is {}", state_);
}

// Returns whether the state read shows that a request without an answer was carried out.
bool Sidecar::shows_wanted() const {
  if (wanted_ == Wanted::allocated) return state_ == "Allocated";
  if (wanted_ == Wanted::reserved) return state_ == "Reserved";
  // A server that was never in use can only be allocated or reserved after it was ready.
  return is_one_of(state_, {"RequestReady", "Ready"}) || (!was_in_use_ && is_one_of(state_, {"Allocated", "Reserved"}));
}

// Returns whether the state read is one in which an accepted state was lost. A reservation may have ended, and a ready
// game server may be in any state.
bool Sidecar::falls_short() const {
  if (wanted_ == Wanted::ready) return is_one_of(state_, {"PortAllocation", "Creating", "Starting", "Scheduled"});
  return wanted_ == Wanted::allocated && is_one_of(state_, {"RequestReady", "Ready"});
}

core::Status send_shutdown(const std::string& url, core::Nanoseconds timeout) {
  const core::Result<std::string> answer =
      net::http_post(net::url_below(url, "/shutdown"), empty_json, {.timeout = timeout});
  if (!answer) return answer.error();
  return core::Done{};
}

}  // namespace mobula::agones
