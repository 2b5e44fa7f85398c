// Whether the sidecar answers, over all connections to it. Each change is logged once.
#pragma once

#include <cstdint>
#include <mobula/core/result.hpp>
#include <string>
#include <utility>

namespace mobula::agones {

/// Counters of a sidecar.
struct SidecarStats {
  std::uint64_t requests = 0;    // each is answered, refused or unanswered in the end
  std::uint64_t answered = 0;    // carried out
  std::uint64_t refused = 0;     // answered with a status other than 2xx
  std::uint64_t unanswered = 0;  // no connection, or no complete answer in time
  std::uint64_t malformed = 0;   // answers without the fields that they should have; counted as answered too
  std::uint64_t pings = 0;       // health pings that were answered
  std::uint64_t tick_stops = 0;  // times that pings were held back because no tick had run
  std::uint64_t counters_sent = 0;
  std::uint64_t times_lost = 0;  // times that the sidecar stopped answering
  bool answers = false;          // false before the first answer as well
};

/// Results of a request.
enum class Outcome : std::uint8_t {
  done,
  refused,  // by an answer
  unknown,  // no answer of the sidecar; the request may have been carried out
};

class Contact {
 public:
  /// Requests without an answer in a row until the sidecar counts as lost.
  static constexpr int unanswered_max = 3;

  explicit Contact(std::string url) : url_(std::move(url)) {}

  /// Counts a request of any connection.
  void note_request() { ++stats_.requests; }
  /// Counts its answer.
  Outcome note(const core::Result<std::string>& answer);
  [[nodiscard]] SidecarStats& stats() { return stats_; }
  [[nodiscard]] const SidecarStats& stats() const { return stats_; }

 private:
  void note_unanswered(const std::string& why);

  std::string url_;
  SidecarStats stats_;
  int unanswered_ = 0;  // in a row
  bool lost_ = false;
};

}  // namespace mobula::agones
