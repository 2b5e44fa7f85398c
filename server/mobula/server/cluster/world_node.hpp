// The node that has a world, as the world uses it. NodeThread answers for the node of a process; a simulation has no
// threads.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/server/cluster/records.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::cluster {

class WorldNode {
 public:
  virtual ~WorldNode() = default;

  /// Returns the record of a world. Null if the directory has none.
  [[nodiscard]] virtual std::optional<WorldRecord> find_world(std::string_view world) const = 0;
  /// Returns the JSON of a map if its revision is not `seen`, which becomes that. Null if the directory has none.
  [[nodiscard]] virtual std::optional<std::string> changed_map(std::string_view map, Revision& seen) const = 0;
  /// Returns whether a player may be sent from one world to another. Errors: "no such world", "other game".
  [[nodiscard]] virtual core::Status may_cross(std::string_view source, std::string_view target) const = 0;
  /// Returns whether the cluster has a schema of this hash.
  [[nodiscard]] virtual bool has_schema(std::string_view hash) const = 0;
  /// Returns the bytes of a schema. Null if the cluster has none of this hash.
  [[nodiscard]] virtual std::optional<core::Bytes> find_schema(std::string_view hash) const = 0;
  /// Records a departure, as Crossings does.
  virtual void depart(const std::string& world, std::uint64_t epoch, const std::string& id, CrossingRecord record) = 0;
  /// Notes what a save on the disk has, as Crossings does.
  virtual void saved(std::string_view world, std::uint64_t epoch, std::uint64_t version,
                     const std::vector<std::string>& ids) = 0;
};

}  // namespace mobula::cluster
