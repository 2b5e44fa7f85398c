// Presence of an entity in what a client drew.
#pragma once

#include <cstdint>

namespace mobula::server {

/// Presence of an entity in a picture.
enum class Seen : std::uint8_t {
  alive,        ///< Shown.
  not_spawned,  ///< It spawned later; the client has its first state already.
  absent,       ///< Not there.
  out_of_view,  ///< Out of view. Its picture is not known.
  unknown,      ///< Its states are not kept any more, or depend on the order in which deltas arrived.
  present,      ///< Not rewound.
};

}  // namespace mobula::server
