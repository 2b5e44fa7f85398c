// Finds out what is wrong in a mirror whose hash differs from the server's. It sends the server the hash of each
// entity, and reports in which fields the server's corrections differ. The right values arrive with later deltas.
//
// A list of hashes is sent in parts, one each quarter of a second. The next list begins at least 4 seconds after the
// last part. The values that were sent are kept until then, as the mirror changes meanwhile.
#pragma once

#include <mobula/client/mirror/mirror.hpp>
#include <mobula/core/clock.hpp>
#include <mobula/wire/messages.hpp>
#include <optional>
#include <vector>

namespace mobula::client {

class MirrorCheck {
 public:
  static constexpr core::Nanoseconds part_interval = core::second / 4;
  static constexpr core::Nanoseconds pause = 4 * core::second;
  static constexpr std::uint32_t explained_max = 64;  ///< Corrections of a list that are logged and reported.

  /// Starts a list with the next part that is due. Does nothing while a list is being sent, or shortly after one.
  void suspect(core::Nanoseconds now);
  /// Returns the next part of the list, if one is due.
  std::optional<wire::MirrorHashes> next(Mirror& mirror, core::Nanoseconds now);
  /// Logs in which fields a correction differs from what was sent, and returns the differences to report to the server.
  /// An entity that the server does not know is destroyed. A correction of an entity that was not sent yields nothing.
  /// Reason: "malformed correction".
  core::Result<std::vector<wire::MirrorDifference>> on_correction(Mirror& mirror,
                                                                  const wire::MirrorCorrection& correction);

 private:
  struct Sent {
    bool of_level;
    wire::MirrorHash hash;
    ecs::PrototypeId prototype;  // held
    bool owner;
    std::size_t words;  // where they begin in words_
  };

  void begin(Mirror& mirror);
  void forget(Mirror& mirror);
  void add(Mirror& mirror, wire::MirrorHashes& part, const Sent& sent);
  void add_ids(Mirror& mirror, wire::MirrorHashes& part);
  void add_level(Mirror& mirror, wire::MirrorHashes& part);
  [[nodiscard]] Sent* find(const wire::MirrorCorrection& correction);
  core::Status compare(const MirrorState& mirror, const Sent& sent, const wire::MirrorCorrection& correction,
                       std::vector<wire::MirrorDifference>& differences) const;

  bool wanted_ = false;
  bool under_way_ = false;
  bool of_level_ = false;  // the next part lists entities of the level
  std::uint32_t next_place_ = 0;
  core::Nanoseconds next_at_ = 0;  // earliest time of the next part or list
  std::uint32_t explained_ = 0;
  std::vector<Sent> sent_;  // by of_level, then place
  std::vector<std::uint32_t> words_;
};

}  // namespace mobula::client
