#include <algorithm>
#include <mobula/core/secret_stream.hpp>

namespace mobula::core {

void SecretStream::fill(MutableBytes out) {
  while (!out.empty()) {
    ++blocks_;
    const ContentHash block = keyed_hash(key_, as_bytes(&blocks_, 1));
    const std::size_t taken = std::min(out.size(), block.bytes.size());
    std::copy_n(block.bytes.begin(), taken, out.begin());
    out = out.subspan(taken);
  }
}

std::uint64_t SecretStream::next() {
  std::uint64_t value = 0;
  fill(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

}  // namespace mobula::core
