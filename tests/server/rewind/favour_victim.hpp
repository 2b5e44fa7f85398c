// The rule "favour the victim" of docs/server-guide.md.
#pragma once

#include <mobula/server/game/world.hpp>
#include <mobula/server/rewind/rewound.hpp>

namespace mobula::test {

// Returns what a shot hits. One whose view is older than `seconds_max` misses a target that has left its line since.
std::optional<server::Rewound::Hit> favour_victim(const server::World& world, server::Rewound& past,
                                                  const server::Ray& ray, double seconds_max);

}  // namespace mobula::test
