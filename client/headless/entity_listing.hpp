// Lists what a mirror holds (--list, --get): its entities, the properties of one entity, or one property by its name.
#pragma once

#include <mobula/client/mirror/mirror.hpp>
#include <mobula/client/pipe/access.hpp>
#include <mobula/index/property.hpp>
#include <optional>
#include <string>
#include <variant>

namespace mobula::client {

struct ListingOptions {
  Access access;
  std::string name = "look";
  std::shared_ptr<const reflect::Schema> schema;  ///< Schema that the server must have; null accepts any.
  std::optional<ecs::Entity> entity;              ///< Lists the properties of this entity; nothing lists all entities.
  std::string property;                           ///< HANDLE/COMPONENT/PATH: prints this property instead of a list.
  std::string recording;                          ///< File to replay instead of connecting; empty connects.
  ecs::Tick at = 0;                               ///< Tick of the server at which the replay ends; 0 for its end.
};

/// Connects, waits until the mirror is complete, prints to stdout and leaves. A recording is replayed instead, and its
/// mirror printed complete or not. Returns the exit status: 0; 1, with the reason on stderr, if there is no such entity
/// or property, or no server.
int run_listing(const ListingOptions& options);

/// Describes all entities, grouped by prototype, the most frequent first; at most `groups_max` groups. Each line ends
/// with a newline, as in the functions below.
std::string describe_entities(Mirror& mirror, std::size_t groups_max);
/// Describes the properties of one entity: path, value and type. Reasons: "not seen"; those of index::Properties.
core::Result<std::string> describe_properties(Mirror& mirror, ecs::Entity entity);
/// Returns one property, HANDLE/COMPONENT/PATH, as JSON. Reasons: "not seen"; "not sent" for a server-only property;
/// those of index::Properties.
core::Result<std::string> describe_property(Mirror& mirror, std::string_view address);

}  // namespace mobula::client
