// Looking inside a mirrored world: what entities there are, what each is made of, and one value by its name.
#pragma once

#include <mobula/client/mirror/mirror.hpp>
#include <mobula/client/pipe/access.hpp>
#include <mobula/index/property.hpp>
#include <optional>
#include <string>
#include <variant>

namespace mobula::client {

struct LookOptions {
  Access access;
  std::string name = "look";
  std::shared_ptr<const reflect::Schema> schema;  // null: whichever the server has
  std::optional<ecs::Entity> entity;              // whose properties are listed; none: entities are
  std::string property;                           // HANDLE/COMPONENT/PATH, which alone is printed; empty: list
  // Instead of a server: a file, and the server's tick up to which it is replayed (0: to its end).
  std::string recording;
  ecs::Tick at = 0;
};

// Joins, waits until the mirror is complete, prints to stdout and leaves. Exit status: 0; 1, with the reason on stderr,
// if there is no such thing or no server. Of a recording the mirror is shown as it is then, complete or not.
int run_look(const LookOptions& options);

// What it prints, each line ended. Entities by what they are made of, the most frequent kinds first.
std::string describe_entities(Mirror& mirror, std::size_t kinds_max);
// Reasons: those of index::Properties; "not sent" for what the server keeps to itself.
core::Result<std::string> describe_properties(Mirror& mirror, ecs::Entity entity);
core::Result<std::string> describe_property(Mirror& mirror, std::string_view address);

}  // namespace mobula::client
