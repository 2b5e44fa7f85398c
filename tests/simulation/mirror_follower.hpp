// Reference model of the changes that a mirror hands out: a host that copies what they name, and reads nothing else,
// has all of the mirror.
#pragma once

#include <mobula/client/connection/connection.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mobula::sim {

class MirrorFollower {
 public:
  // Copies what the last update of a connection has handed out. Call it after each update. Returns what is wrong with
  // the changes.
  std::optional<std::string> follow(const client::Connection& connection);
  // Compares the copy with the mirror, of which nothing was received since.
  [[nodiscard]] std::optional<std::string> check(const client::Mirror& mirror) const;

 private:
  struct Component {
    ecs::PoolId pool;
    core::Bytes value;
  };
  struct Copy {
    ecs::Entity entity;  // null if none is at the index
    bool lost = false;
    std::vector<Component> components{};
  };

  std::optional<std::string> follow(const client::Mirror& mirror, const client::Change& change);
  [[nodiscard]] static std::vector<Component> read_all(const client::Mirror& mirror, ecs::Entity entity);
  [[nodiscard]] bool is_copy(const client::Mirror& mirror, ecs::Entity entity) const;
  static void read_one(const client::Mirror& mirror, const client::Change& change, Copy& copy);

  std::uint32_t mirror_ = 0;
  std::vector<Copy> copies_;  // by index
  std::set<std::pair<ecs::Entity, ecs::PoolId>> listed_;
};

}  // namespace mobula::sim
