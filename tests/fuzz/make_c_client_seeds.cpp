// Seeds of the fuzz target that calls the C interface.
#include <fuzz/c_world.hpp>
#include <fuzz/seeds.hpp>
#include <mobula/core/random.hpp>

namespace mobula::fuzz {
namespace {

constexpr char usual = 0;

// Steps that make a client which mirrors the hamlet.
std::string joins(std::uint8_t place) {
  std::string steps{static_cast<char>(c_create_call), static_cast<char>(place)};
  steps += std::string(12, usual);
  for (int i = 0; i < 12; ++i) steps += {static_cast<char>(c_tick_call), usual};
  return steps;
}

// Each call with arguments that are mostly usual.
std::string all_calls(std::uint64_t seed) {
  core::Random random(seed);
  std::string steps;
  for (std::uint8_t call = 2; call < c_calls_max; ++call) {
    steps += static_cast<char>(call);
    for (std::uint32_t i = 0; i < 6; ++i)
      steps += static_cast<char>(random.chance(1, 3) ? random.below(256) : random.below(4));
  }
  return steps;
}

}  // namespace

void write_c_client_seeds() {
  write_seed("c_client", "joins", joins(0) + all_calls(1));
  write_seed("c_client", "two_clients", joins(0) + joins(1) + all_calls(2) + joins(1) + all_calls(3));
  write_seed("c_client", "without_a_server", all_calls(4));
}

}  // namespace mobula::fuzz
