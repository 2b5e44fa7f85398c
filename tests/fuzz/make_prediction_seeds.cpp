// Seeds of the fuzz targets about prediction and rewind.
#include <fuzz/seeds.hpp>
#include <mobula/core/random.hpp>

namespace mobula::fuzz {
namespace {

std::string bytes_of(std::initializer_list<int> all) {
  std::string bytes;
  for (const int each : all) bytes += static_cast<char>(each);
  return bytes;
}

// Honest claims; then a future one, one before joining, and one that jumps back.
void claims() {
  const std::string honest = bytes_of({1, 1, -1, 128, 0, 0, 0, 0});
  std::string steps;
  for (int i = 0; i < 12; ++i) steps += honest;
  write_seed("claims", "honest", steps);
  write_seed("claims", "future", steps + bytes_of({1, 3, 3, 0, 0, 0, 0, 0}));
  write_seed("claims", "before_joining", bytes_of({1, 1, -30, 0, 0, 0, 0, 0}) + honest);
  write_seed("claims", "jumps", steps + bytes_of({1, 1, -8, 0, 0, 0, 0, 0}) + honest + honest);
  write_seed("claims", "other_deltas", steps + bytes_of({1, 1, -1, 0, 1, 6, 2, 3}) + honest);
  write_seed("claims", "rejoins", steps + bytes_of({3, 0, 0}) + steps);
}

void outcomes() {
  std::string in_time;
  for (int i = 1; i < 20; ++i) in_time += bytes_of({0, 1, 2, 1, 1, i, 0, 1, 0, 0});
  write_seed("outcomes", "in_time", in_time);
  std::string late;
  for (int i = 1; i < 20; ++i) late += bytes_of({0, 1, 0, 0, 2, 3, 1, i * 2, 0, -1, 3, 0, i % 4, 2});
  write_seed("outcomes", "late", late);
  write_seed("outcomes", "not_given", in_time + bytes_of({1, 255, 64, 0, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0}));
}

void spawn_keys() {
  std::string throws;
  for (int i = 0; i < 6; ++i) throws += bytes_of({1, i, 1, 0, 0, 0, 0, 0, 0});
  write_seed("spawn_keys", "honest", throws);
  write_seed("spawn_keys", "doubled", throws + bytes_of({2, 0, -1, 1, 0, 2, 1, -1, 1, 0, 0, 0}));
  write_seed("spawn_keys", "late_and_of_others", throws + bytes_of({2, 0, -100, 2, 0, 3, 0, 2, 2, 1, 90, 0, 130, 0}));
  // Keys of all commands that are under way, in ticks about theirs and far ones, of entities that the client owns.
  std::string forged = bytes_of({3, 1, 1, 3, 2, 1});
  for (int i = 0; i < 16; ++i) forged += bytes_of({1, i, 0, 2, i % 3, i % 5, i % 4, i % 3, 2, 1, 127, i % 4, 0});
  write_seed("spawn_keys", "forged", forged);
  write_seed("spawn_keys", "components", throws + bytes_of({5, 0, 0, 5, 1, 1, 4, 0, 6, 0, 1, 5, 2, 3, 7, 0, 0, 7, 0}));
  core::Random random(5);
  std::string any;
  for (int i = 0; i < 300; ++i) any += static_cast<char>(random.below(256));
  write_seed("spawn_keys", "any", any);
}

}  // namespace

void write_prediction_seeds() {
  claims();
  outcomes();
  spawn_keys();
}

}  // namespace mobula::fuzz
