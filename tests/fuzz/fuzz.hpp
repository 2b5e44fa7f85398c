// Shared by the fuzz targets. A target is a function of arbitrary bytes that returns 0 and meets its requirements.
// libFuzzer calls it (./dev fuzz), or replay_main.cpp with the seeds in corpus/.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mobula/core/bytes.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace mobula::fuzz {

// Aborts if `holds` is false, in every build, unlike MOBULA_ASSERT.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "required: %s\n", what);
  std::abort();
}

inline core::ByteView view(const std::uint8_t* data, std::size_t size) { return core::as_bytes(data, size); }

// Reads an input piece by piece. Returns zeros or nothing at its end.
class Input {
 public:
  explicit Input(core::ByteView bytes) : rest_(bytes) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }
  std::uint8_t byte() {
    const core::ByteView one = bytes(1);
    return one.empty() ? std::uint8_t{0} : std::to_integer<std::uint8_t>(one[0]);
  }
  std::uint16_t word() {
    const unsigned low = byte();
    return static_cast<std::uint16_t>(low | unsigned{byte()} << 8);
  }
  core::ByteView bytes(std::size_t count) {
    const core::ByteView taken = rest_.first(std::min(count, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }

 private:
  core::ByteView rest_;
};

}  // namespace mobula::fuzz
