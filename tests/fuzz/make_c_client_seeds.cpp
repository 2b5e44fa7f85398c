// Seeds of the fuzz targets that call the C interface.
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

// Steps that make a client which predicts.
std::string predicts(std::uint8_t place) {
  constexpr std::size_t create_arguments = 15;  // bytes that each call reads
  std::string steps{static_cast<char>(c_create_call), static_cast<char>(place), usual};
  steps += {static_cast<char>(c_predict_call), static_cast<char>(place)};
  steps += std::string(create_arguments, usual);
  for (int i = 0; i < 12; ++i) {
    steps += {static_cast<char>(c_tick_call), static_cast<char>(place)};
    steps += {static_cast<char>(c_update_call), static_cast<char>(place)};
  }
  return steps;
}

// Updates whose steps make the calls of a host.
std::string stepped(std::uint64_t seed) {
  core::Random random(seed);
  std::string steps = predicts(0);
  for (int update = 0; update < 40; ++update) {
    steps += {static_cast<char>(c_tick_call), usual};
    steps += {static_cast<char>(c_begin_call), usual, usual};
    steps += {static_cast<char>(c_next_call), usual, usual, usual};
    for (int call = 0; call < 4; ++call) {
      steps += static_cast<char>(c_step_calls[random.below(std::size(c_step_calls))]);
      for (std::uint32_t i = 0; i < 9; ++i) steps += static_cast<char>(i % 2 == 0 ? 0 : random.below(8));
    }
  }
  return steps;
}

}  // namespace

void write_c_client_seeds() {
  write_seed("c_client", "joins", joins(0) + all_calls(1));
  write_seed("c_client", "two_clients", joins(0) + joins(1) + all_calls(2) + joins(1) + all_calls(3));
  write_seed("c_client", "without_a_server", all_calls(4));
  write_seed("c_prediction", "predicts", predicts(0) + all_calls(5) + all_calls(6) + all_calls(7));
  write_seed("c_prediction", "steps", stepped(9));
  write_seed("c_prediction", "without_a_server", all_calls(8));
}

}  // namespace mobula::fuzz
