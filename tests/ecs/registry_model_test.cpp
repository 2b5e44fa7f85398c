// A million random operations in ./dev test all, compared with a reference model.
#include "ecs/model_world.hpp"
#include <seeds.hpp>

namespace mobula::ecs {
namespace {

using namespace test;

void run_histories(const ModelConfig& config, std::uint64_t first_seed) {
  for (std::uint64_t seed = first_seed; seed < first_seed + 2; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ModelWorld(config, seed).run(static_cast<std::uint32_t>(mobula::test::few_or_all(30000, 100000)));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(RegistryModel, RandomHistoriesAgreeWithAMapOfEntities) { run_histories({.entities = {}, .groups = {}}, 1); }

TEST(RegistryModel, GroupsAndListenersSeeEveryChange) {
  run_histories({.entities = {.reuse_bits = 6}, .groups = some_groups(), .listens = true}, 3);
}

TEST(RegistryModel, OtherGroupsOverTheSamePoolsToo) {
  run_histories({.entities = {.incarnation = 9}, .groups = other_groups()}, 5);
}

TEST(RegistryModel, RecyclingTheLastFirstInASmallIndexSpace) {
  run_histories(
      {.entities = {.recycling = Recycling::lifo, .reuse_bits = 4, .entities_max = 500}, .groups = some_groups()}, 7);
}

TEST(RegistryModel, GuestsAreAmongOwnEntities) {
  run_histories({.entities = {.entities_max = 3000, .own = {.first = 500, .end = 2000}},
                 .groups = some_groups(),
                 .listens = true},
                11);
}

TEST(RegistryModel, AMirrorThatIsGivenItsHandles) {
  run_histories({.entities = {.recycling = Recycling::given}, .groups = other_groups(), .listens = true}, 9);
}

}  // namespace
}  // namespace mobula::ecs
