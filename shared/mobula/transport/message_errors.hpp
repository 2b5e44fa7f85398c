// Errors of queueing a message.
#pragma once

#include <mobula/core/format.hpp>
#include <mobula/core/result.hpp>

namespace mobula::transport {

inline core::Error too_large(std::size_t size, std::size_t most) {
  return {"too large", core::format("a message has {} bytes; the limit is {}", size, most)};
}
inline core::Error queue_full(std::size_t size, std::size_t queued, std::size_t most) {
  return {"queue full", core::format("{} of {} bytes are queued; no room for {} more bytes", queued, most, size)};
}

}  // namespace mobula::transport
