// Client of Agones' sidecar: sends the wanted state of the game server, health pings and counters, and reads its state.
// Everything runs on the thread of an event loop, and nothing blocks. State, pings and counters have a connection each,
// so that none waits for another. A sidecar that is absent, slow or broken costs log lines and nothing else.
#pragma once

#include <mobula/net/event_loop.hpp>
#include <mobula/net/http_connection.hpp>
#include <mobula/server/agones/sidecar_counters.hpp>

namespace mobula::agones {

struct SidecarConfig {
  std::string url = "http://127.0.0.1:9358";  // sidecar_url()
  core::Nanoseconds request_timeout = 2 * core::second;
  core::Nanoseconds health_interval = 2 * core::second;  // below spec.health.periodSeconds, by default 5 s
  core::Nanoseconds counter_interval = core::second;     // the sidecar writes counters once per second
  core::Nanoseconds state_interval = 10 * core::second;  // between two reads of the state
  core::Nanoseconds settle_time = 5 * core::second;      // until a state that was sent must be read
};

class Sidecar {
 public:
  /// The loop must outlive it.
  Sidecar(net::EventLoop& events, SidecarConfig config);
  Sidecar(const Sidecar&) = delete;
  Sidecar& operator=(const Sidecar&) = delete;

  /// Sets the wanted state. It is sent until the sidecar has it. A later state replaces one that was not sent.
  void ready();
  void allocate();
  /// Reserves the game server for a time, after which Agones makes it ready again. 0 reserves without end.
  void reserve(std::uint32_t seconds);

  void set_counter(Counter counter, CounterValue value) { counters_.set(counter, value); }
  /// Permits the next health ping. Without it no ping is sent: a process whose ticks hang becomes unhealthy.
  void tick_ran() { ticked_ = true; }
  /// Sends what is due.
  void update(core::Nanoseconds now);

  /// Returns whether the sidecar has accepted the wanted state.
  [[nodiscard]] bool settled() const { return settled_; }
  [[nodiscard]] bool counter_sent(Counter counter) const { return counters_.sent(counter); }
  /// Returns the state of the game server as last read. Empty before the first answer.
  [[nodiscard]] const std::string& state() const { return state_; }
  /// Returns whether Agones is ending the game server. Once true, it stays true.
  [[nodiscard]] bool ending() const { return ending_; }
  [[nodiscard]] const SidecarStats& stats() const { return contact_.stats(); }

 private:
  enum class Wanted : std::uint8_t { nothing, ready, allocated, reserved };

  void want(Wanted wanted, std::uint32_t seconds = 0);
  void update_health();
  void update_state();
  void send_state();
  void on_state_answer(std::uint64_t number, const core::Result<std::string>& answer);
  void read_state();
  void on_read(core::Nanoseconds asked_at, const core::Result<std::string>& answer);
  void note_state(const GameServer& read);
  [[nodiscard]] bool shows_wanted() const;
  [[nodiscard]] bool falls_short() const;

  SidecarConfig config_;
  Contact contact_;
  core::Nanoseconds now_ = 0;

  // Health.
  bool ticked_ = false;  // since the last ping
  bool began_ = false;   // a tick has run
  bool held_ = false;    // the next ping is late because no tick has run
  bool pinging_ = false;
  core::Nanoseconds ping_at_ = 0;

  // State.
  Wanted wanted_ = Wanted::nothing;
  std::uint32_t seconds_ = 0;  // duration of a reservation
  std::uint64_t number_ = 0;   // number of the wanted state, counted up
  bool was_in_use_ = false;    // this object has had the server allocated or reserved before
  bool settled_ = true;        // the sidecar has accepted the wanted state
  bool unsure_ = false;        // a request for the wanted state had no answer
  bool refused_ = false;       // the last answer was a refusal, which is logged
  bool busy_ = false;          // a request has no answer yet
  core::Nanoseconds settled_at_ = 0;
  core::Nanoseconds read_at_ = 0;  // time of the next read
  std::uint64_t times_lost_ = 0;   // the contact's number at the last read
  BackOff back_off_;
  std::string state_;
  bool ending_ = false;

  net::HttpConnection health_connection_;
  net::HttpConnection state_connection_;
  SidecarCounters counters_;
};

/// Asks Agones to end the game server. Blocks for up to `timeout`, for the end of a process whose loop has stopped.
/// Errors are those of net::HttpConnection::get.
core::Status send_shutdown(const std::string& url, core::Nanoseconds timeout);

}  // namespace mobula::agones
