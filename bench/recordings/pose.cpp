#include "recordings/pose.hpp"

#include <flatbuffers/idl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mobula/core/assert.hpp>
#include <mobula/core/format.hpp>
#include <numbers>

namespace mobula::bench {

PoseError pose_error(const engine::Vec3& position, const engine::Quat& rotation, const engine::Vec3& true_position,
                     const engine::Quat& true_rotation) {
  const std::array<double, 3> moved{double{position.x} - true_position.x, double{position.y} - true_position.y,
                                    double{position.z} - true_position.z};
  const std::array<double, 4> a{rotation.x, rotation.y, rotation.z, rotation.w};
  const std::array<double, 4> b{true_rotation.x, true_rotation.y, true_rotation.z, true_rotation.w};
  const double sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
  // A sum is not finite if one part is not, which a maximum might hide.
  PoseError error{.position = 0 * (moved[0] + moved[1] + moved[2]), .rotation = 0 * (a[0] + a[1] + a[2] + a[3])};
  for (const double part : moved) error.position = std::max(error.position, std::abs(part));
  for (std::size_t i = 0; i < a.size(); ++i) error.rotation = std::max(error.rotation, std::abs(sign * a[i] - b[i]));
  return error;
}

core::Bytes reckoned_schema(std::string_view component, int range, const PoseTolerance& tolerance) {
  constexpr double step_part = 0.4;
  const double steps = 2.0 * range / (step_part * tolerance.position);
  const double parts = std::numbers::sqrt2 / (step_part * tolerance.rotation);
  const std::string source = core::format(
      R"(attribute "component"; attribute "range"; attribute "bits"; attribute "unit_quaternion"; attribute "default";
      attribute "dead_reckoning";
      namespace bench;
      struct Vec3 {{ x:float; y:float; z:float; }}
      struct Quat {{ x:float; y:float; z:float; w:float; }}
      struct {} (component) {{
        position:Vec3 (range:"{} {}", bits:"{}", dead_reckoning:"{}");
        rotation:Quat (unit_quaternion, bits:"{}", default:"0 0 0 1", dead_reckoning:"{}");
      }})",
      component, -range, range, static_cast<int>(std::ceil(std::log2(steps + 1))), tolerance.position,
      static_cast<int>(std::ceil(std::log2(parts + 1))), tolerance.rotation);
  flatbuffers::Parser parser;
  MOBULA_CHECK(parser.Parse(source.c_str()), parser.error_);
  parser.Serialize();
  const core::ByteView bytes = core::as_bytes(parser.builder_.GetBufferPointer(), parser.builder_.GetSize());
  return {bytes.begin(), bytes.end()};
}

}  // namespace mobula::bench
