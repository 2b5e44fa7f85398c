// Rewind: the past as a client saw it when it gave a command. Game::rewind() turns it on.
//
//   core::Result<Rewound> past = world.rewind().view(player.id, context);
//   if (!past) return past.error();
//   if (std::optional<Rewound::Hit> hit = past->ray(…)) …
//
// Claims of a client are checked. A refused one is counted by its reason, and logged.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mobula/server/game/command_buffer.hpp>
#include <mobula/server/game/rewind_config.hpp>
#include <mobula/server/game/world.hpp>
#include <mobula/server/rewind/rewound.hpp>
#include <span>

namespace mobula::server {

struct RewindClient;
struct RewindStats;

class Rewind {
 public:
  /// Returns the client of a player, whose acknowledgements have been applied.
  using FindClient = std::function<RewindClient(std::uint32_t player)>;

  /// All but config and find outlive it. Nothing is published yet.
  Rewind(const RewindConfig& config, World& world, Published& published, RewindStats& stats, FindClient find);
  ~Rewind();

  /// Records a publication. Once per tick, with the indices that changed. Called by the server.
  void record(std::span<const std::uint32_t> changed);

  /// Returns the past as a player saw it when it gave a command. Errors:
  /// - "no view": the player has no client, or it has received nothing
  /// - "unknown deltas", "outdated deltas": the server cannot know what the client had
  /// - "view in the future", "view before joining", "view goes back": it contradicts the deltas or earlier views
  /// - "view too old", "view beyond the path", "unusual view": it exceeds the limits of RewindConfig
  core::Result<Rewound> view(std::uint32_t player, const CommandContext& context);

  /// Returns where clients may have drawn entities. For checks.
  [[nodiscard]] const PastBounds& bounds() const;

 private:
  class Past;

  std::unique_ptr<Past> past_;
};

}  // namespace mobula::server
