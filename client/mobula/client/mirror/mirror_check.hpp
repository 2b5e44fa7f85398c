// Finds out what a mirror has wrong, when its hash is not the server's: tells the server what it has, entity by entity,
// and names what the server's corrections differ in. That the right values come is the business of deltas.
//
// A list goes out in parts, one each quarter of a second, and the next list no sooner than 4 seconds after the last
// part. What was told is kept until then, as the mirror goes on meanwhile.
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
  static constexpr std::uint32_t explained_max =
      64;  // corrections of a list; what goes from the mirror goes silently then

  // The mirror is not what it should be. Nothing happens if a list is under way or was lately.
  void suspect(core::Nanoseconds now);
  // The next part of a list, if it is time.
  std::optional<wire::MirrorHashes> next(Mirror& mirror, core::Nanoseconds now);
  // What the server is to know of a correction; the log knows it too. What is not there at the server goes from the
  // mirror. Corrections of what was not told say nothing. Reason: "malformed correction".
  core::Result<std::vector<wire::MirrorDifference>> take(Mirror& mirror, const wire::MirrorCorrection& correction);

 private:
  struct Told {
    bool of_level;
    wire::MirrorHash hash;
    ecs::PrototypeId prototype;  // held
    bool owner;
    std::size_t words;  // where they begin in words_
  };

  void begin(Mirror& mirror);
  void forget(Mirror& mirror);
  void tell(Mirror& mirror, wire::MirrorHashes& part, const Told& told);
  void tell_ids(Mirror& mirror, wire::MirrorHashes& part);
  void tell_level(Mirror& mirror, wire::MirrorHashes& part);
  [[nodiscard]] Told* find(const wire::MirrorCorrection& correction);
  core::Status compare(Mirror& mirror, const Told& told, const wire::MirrorCorrection& correction,
                       std::vector<wire::MirrorDifference>& differences) const;

  bool wanted_ = false;
  bool under_way_ = false;
  bool of_level_ = false;  // the part that is next
  std::uint32_t next_place_ = 0;
  core::Nanoseconds next_at_ = 0;  // a part, or a list
  std::uint32_t explained_ = 0;
  std::vector<Told> told_;  // by of_level, then place
  std::vector<std::uint32_t> words_;
};

}  // namespace mobula::client
