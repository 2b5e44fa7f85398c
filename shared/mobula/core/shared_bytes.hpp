// Bytes with their owner: a buffer, or the pages of a mapped file.
#pragma once

#include <memory>
#include <mobula/core/bytes.hpp>

namespace mobula::core {

/// Bytes that are valid as long as the owner lives.
struct SharedBytes {
  ByteView view{};
  std::shared_ptr<const void> owner{};
};

/// Makes a buffer its own owner. Aligned to 16, as operator new aligns.
inline SharedBytes share(Bytes bytes) {
  const auto owner = std::make_shared<const Bytes>(std::move(bytes));
  return {*owner, owner};
}

}  // namespace mobula::core
