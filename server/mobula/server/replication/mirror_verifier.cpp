#include <algorithm>
#include <mobula/core/log.hpp>
#include <mobula/server/replication/mirror_verifier.hpp>

namespace mobula::server {
namespace {

// Entities per message of hashes whose differences the client is asked for. All entities that differ are sent again.
constexpr std::uint32_t explained_max = 16;
constexpr std::uint32_t differences_max = wire::max_mirror_differences;

std::string_view describe(wire::MirrorFault fault) {
  switch (fault) {
    case wire::MirrorFault::values: return "has other values";
    case wire::MirrorFault::unknown: return "should not be there";
    case wire::MirrorFault::missing: return "is missing";
  }
  return "";
}

}  // namespace

core::Status MirrorVerifier::on_hashes(ClientReplication& client, transport::Session& connection,
                                       const wire::MirrorHashes& hashes, core::Nanoseconds now) {
  if (!client.view->verifies()) return core::Error{"not verified", "hashes of a mirror that is not verified"};
  if (!client.admit_comparison(now))
    return core::Error{"too many hashes", core::format("more than {} messages of mirror hashes in a second",
                                                       ClientReplication::comparisons_per_second_max)};
  corrections_.clear();
  client.view->compare(hashes, corrections_);
  std::uint32_t explained = 0;
  for (const wire::MirrorCorrection& correction : corrections_) {
    const bool is_known = correction.fault != wire::MirrorFault::unknown;
    if (is_known) {
      ++stats_.corrections;
      const core::LogScope about({.entity = {correction.entity.index, correction.entity.generation}});
      core::log_warn("server", "mirror of player {}: entity {} {} at tick {}, and is sent again",
                     client.viewer->player(), to_string(correction.entity), describe(correction.fault),
                     correction.tick);
      if (++explained > explained_max) continue;
    }
    if (const auto sent = connection.send_reliable(wire::encode(correction)); !sent) break;  // the lane is full
    client.differences_expected =
        std::min(client.differences_expected + differences_max, explained_max * differences_max);
  }
  return core::Done{};
}

core::Status MirrorVerifier::on_difference(ClientReplication& client, const wire::MirrorDifference& difference) {
  if (client.differences_expected == 0)
    return core::Error{"not asked for", "a mirror difference that was not requested"};
  --client.differences_expected;
  const core::LogScope about({.entity = {difference.entity.index, difference.entity.generation}});
  core::log_warn("server", "mirror of player {}: entity {}, {} {}: {} in the mirror, {} on the server",
                 client.viewer->player(), to_string(difference.entity), difference.component, difference.field,
                 difference.client, difference.server);
  return core::Done{};
}

}  // namespace mobula::server
