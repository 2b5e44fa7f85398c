// Counters of the GameServer resource. A changed value is sent at most once per interval, and the newest value alone.
#pragma once

#include <array>
#include <mobula/core/clock.hpp>
#include <mobula/net/http_connection.hpp>
#include <mobula/server/agones/back_off.hpp>
#include <mobula/server/agones/contact.hpp>
#include <mobula/server/agones/sidecar_messages.hpp>
#include <optional>

namespace mobula::agones {

/// Counters by their names in the resource.
enum class Counter : std::uint8_t { players, worlds };
inline constexpr std::array<const char*, 2> counter_names{"players", "worlds"};

class SidecarCounters {
 public:
  SidecarCounters(net::EventLoop& events, const std::string& url, core::Nanoseconds request_timeout,
                  core::Nanoseconds interval, Contact& contact);

  void set(Counter counter, CounterValue value) { entry(counter).wanted = value; }
  void update(core::Nanoseconds now);
  /// Returns whether the sidecar has the newest value.
  [[nodiscard]] bool sent(Counter counter) const;

 private:
  struct Entry {
    std::optional<CounterValue> wanted;  // nothing until the first set()
    std::optional<CounterValue> sent;    // nothing if the sidecar may have another value
    core::Nanoseconds next_at = 0;
    BackOff back_off;
    bool refused = false;  // the last answer was a refusal, which is logged
  };

  Entry& entry(Counter counter) { return entries_.at(static_cast<std::size_t>(counter)); }
  [[nodiscard]] bool due(const Entry& entry) const;
  void send(std::size_t index, CounterValue value);
  bool has_accepted(CounterValue value, const std::string& answer);
  void on_answer(std::size_t index, CounterValue value, const core::Result<std::string>& answer);

  Contact& contact_;
  core::Nanoseconds interval_;
  core::Nanoseconds now_ = 0;
  std::array<Entry, counter_names.size()> entries_;
  std::size_t next_ = 0;          // entry whose turn is next
  bool busy_ = false;             // a request has no answer yet
  std::uint64_t times_lost_ = 0;  // the contact's number when the values were sent
  net::HttpConnection connection_;
};

}  // namespace mobula::agones
