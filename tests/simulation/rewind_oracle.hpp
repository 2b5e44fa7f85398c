// Oracle of rewind: a rewound picture equals what the client drew, bit for bit. Clients note their pictures
// when they give a command. The game asks for the view of the command when it runs it.
#pragma once

#include <map>
#include <mobula/client/connection/connection.hpp>
#include <mobula/hierarchy/world_transform.hpp>
#include <mobula/server/game/game.hpp>
#include <mobula/server/rewind/rewind.hpp>
#include <optional>
#include <string>

namespace mobula::sim {

// A picture that a client drew when it gave a command.
struct DrawnWorld {
  struct Entity {
    bool stale = false;
    bool spawned = false;
    std::optional<hierarchy::WorldTransform> pose{};
  };

  double view = 0;
  ecs::Tick newest = 0;  // tick of its mirror
  ecs::Tick first = 0;   // tick of the first delta
  std::map<ecs::Entity, Entity> entities;
};

// Draws pictures beside a connection, as a program does that shows the world. Its views never go back.
class Drawer {
 public:
  // Called after each update. Returns the command that was given in it, with its picture; nothing if there is none.
  struct Drawn {
    core::Bytes command;
    DrawnWorld world;
  };
  std::optional<Drawn> draw(client::Connection& connection);

 private:
  std::uint32_t mirror_ = 0;
  std::uint32_t last_ = 0;  // number of the last command
  ecs::Tick first_ = 0;
  double view_ = 0;
};

// Its memory does not count as the server's.
class RewindOracle {
 public:
  // `is_lossless`: nothing can be lost on the way.
  explicit RewindOracle(bool is_lossless) : is_lossless_(is_lossless) {}

  // Called when a server starts.
  void begin();
  // A client of the account has drawn this. No other command of the account has the same bytes.
  void note(const std::string& account, const Drawer::Drawn& drawn);
  // The game runs a command. Compares its view with what the client drew.
  void judge(server::World& world, const server::Player& player, const server::CommandContext& context,
             const core::Bytes& command);

  [[nodiscard]] const std::optional<std::string>& wrong() const { return wrong_; }
  [[nodiscard]] std::uint64_t poses() const { return poses_; }
  // Returns what is wrong with the number of views that were refused or not known, where nothing was lost.
  [[nodiscard]] std::optional<std::string> check_at_last() const;
  // Returns numbers of poses and refusals.
  [[nodiscard]] std::string summary() const;

 private:
  void compare(server::Rewound& past, const server::World& world, ecs::Entity own, const DrawnWorld& drawn);
  void compare(server::Rewound& past, ecs::Entity entity, const DrawnWorld::Entity* drawn);
  [[nodiscard]] bool is_justified(const std::string& reason, server::World& world, std::uint32_t player,
                                  const server::CommandContext& context, const DrawnWorld& drawn) const;
  void fail(const std::string& what) {
    if (!wrong_) wrong_ = what;
  }

  bool is_lossless_;
  std::map<std::pair<std::string, core::Bytes>, DrawnWorld> drawn_;  // by account and command
  std::map<std::uint32_t, double> last_views_;                       // accepted, by player
  std::map<std::string, std::uint64_t> refusals_;                    // by reason
  std::optional<std::string> wrong_;
  std::uint64_t views_ = 0;    // accepted
  std::uint64_t poses_ = 0;    // compared
  std::uint64_t unknown_ = 0;  // drawn, but not known to the server any more
};

}  // namespace mobula::sim
