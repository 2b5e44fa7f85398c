// Runs a fuzz target of many without libFuzzer, on each file of a folder, on ROUNDS of its truncations and on ROUNDS
// seeded mutations; on a fourth of them unless TEST_ALL_SEEDS is set, as ./dev test all does. Fails if there is no
// file.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <fuzz/fuzz.hpp>
#include <iterator>
#include <mobula/core/random.hpp>
#include <string_view>
#include <vector>

namespace {

using mobula::fuzz::Target;
using Buffer = std::vector<std::uint8_t>;

// Null if there is none.
const Target* find_target(std::string_view name) {
  const Target* target = Target::first;
  while (target != nullptr && target->name != name) target = target->next;
  return target;
}

void run(const Target& target, const Buffer& input) {
  // A copy of exact size lets AddressSanitizer detect each byte read beyond it.
  const Buffer exact(input);
  target.run(exact.data(), exact.size());
}

void run_mutations(const Target& target, const Buffer& seed, std::uint32_t rounds) {
  mobula::core::Random random(seed.size());
  const auto size = static_cast<std::uint32_t>(seed.size());
  for (std::uint32_t i = 0; i < rounds && i < size; ++i)
    run(target,
        Buffer(seed.begin(), seed.begin() + static_cast<std::ptrdiff_t>(size <= rounds ? i : random.below(size))));
  for (std::uint32_t i = 0; i < rounds && size > 0; ++i) {
    Buffer mutated = seed;
    for (std::uint32_t changes = 1 + random.below(3); changes > 0; --changes) {
      std::uint8_t& byte = mutated[random.below(size)];
      byte = random.chance(1, 2) ? static_cast<std::uint8_t>(byte ^ 1u << random.below(8))
                                 : static_cast<std::uint8_t>(random.below(256));
    }
    run(target, mutated);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Target* target = argc == 4 ? find_target(argv[1]) : nullptr;
  if (target == nullptr) {
    std::fprintf(stderr, "usage: %s TARGET FOLDER ROUNDS\n", argv[0]);
    return 2;
  }
  const auto all = static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10));
  const std::uint32_t rounds = std::getenv("TEST_ALL_SEEDS") != nullptr ? all : all / 4;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[2])) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    std::printf("%s\n", file.filename().c_str());
    std::fflush(stdout);
    std::ifstream stream(file, std::ios::binary);
    const Buffer seed{std::istreambuf_iterator<char>(stream), {}};
    run(*target, seed);
    run_mutations(*target, seed, rounds);
  }
  run(*target, {});
  return files.empty() ? 1 : 0;
}
