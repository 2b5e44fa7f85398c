// Applies a delta's bytes to a mirror, as a connection does.
#pragma once

#include <mobula/client/mirror/mirror.hpp>

namespace mobula::test {

inline core::Status apply_delta(client::Mirror& mirror, core::ByteView delta) {
  const core::Result<wire::DeltaHeader> header = wire::read_delta_header(delta);
  return header ? mirror.apply(*header, delta) : header.error();
}

}  // namespace mobula::test
