// Shared by the fuzz targets. A target is a function of arbitrary bytes that returns 0 and meets its requirements.
// libFuzzer calls it (./dev fuzz, one program for each target), or replay_main.cpp with the seeds in corpus/. Sources
// of targets are compiled together, so each has a namespace named after the file.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mobula/core/bytes.hpp>

namespace mobula::fuzz {

// A target of the program. Each source of a target defines one, which is listed before main() begins.
struct Target {
  using Function = int (*)(const std::uint8_t* data, std::size_t size);

  Target(const char* its_name, Function function) : name(its_name), run(function), next(first) { first = this; }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  const char* name;
  Function run;
  const Target* next;
  inline static const Target* first = nullptr;
};

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
