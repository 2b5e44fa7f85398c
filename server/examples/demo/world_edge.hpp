// Largest distance from the middle of the demo's world. The schema's range ends at 512.
#pragma once

namespace demo {

inline constexpr float world_edge = 500.0f;  // metres

}  // namespace demo
