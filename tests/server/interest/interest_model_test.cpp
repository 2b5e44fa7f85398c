// Random worlds, viewers and changes, compared with the reference rules.
#include <gtest/gtest.h>

#include <hierarchy/reference_hierarchy.hpp>
#include <mobula/core/random.hpp>
#include <mobula/ecs/registry_guests.hpp>
#include <seeds.hpp>
#include <server/interest/reference_interest.hpp>

namespace mobula::server {
namespace {

using ecs::Entity;
using engine::Parent;
using engine::Transform;
using engine::Vec3;

constexpr std::uint32_t players = 4;

std::vector<Layer> some_layers() {
  return {{"creatures", 30}, {"landmarks"}, {"small things", 8, 9}, {"ships", 200, 300}};
}

// Answers differ for each player, entity and tick.
struct Whim : InterestRule {
  explicit Whim(const ecs::Registry& asked) : registry(asked) {}
  [[nodiscard]] bool may_see(const Viewer& viewer, Entity entity) const override {
    core::Random random(viewer.player() + 10ull * registry.tick() / 3 + 1000ull * std::hash<Entity>()(entity));
    return random.below(4) != 0;
  }
  const ecs::Registry& registry;
};

class History {
 public:
  History(std::uint64_t seed, bool with_rule, float size, bool recycle_fast)
      : random_(seed),
        size_(size),
        recycling_(recycle_fast ? ecs::Recycling::lifo : ecs::Recycling::queue),
        world_({.entities = {.recycling = recycling_}, .pools = {}}) {
    if (with_rule) {
      interest_.set_rule(&whim_);
      reference_.rule = &whim_;
    }
    for (std::uint32_t player = 1; player <= players; ++player) observers_.push_back({Viewer(player, create()), {}});
    observers_.push_back({Viewer(players + 1, {}, true), {}});
    move_region();
  }

  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      SCOPED_TRACE("tick " + std::to_string(world_.tick()));
      for (std::uint32_t change = random_.below(12); change-- > 0;) operate();
      end_tick();
      for (Observer& observer : observers_)
        if (random_.chance(1, 2)) query(observer);
      world_.next_tick();
      if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_GT(entered_, 200u);
    EXPECT_GT(left_, 200u);
  }

 private:
  struct Observer {
    Viewer viewer;
    std::vector<std::uint32_t> seen;
    std::uint64_t version = 0;  // 0 means that something may have changed
  };
  using Operation = void (History::*)();

  void operate() {
    constexpr std::array<Operation, 21> operations{
        &History::make,       &History::make,        &History::destroy,        &History::move,
        &History::move,       &History::move,        &History::move,           &History::jump,
        &History::relate,     &History::relate,      &History::toggle_place,   &History::toggle_relevance,
        &History::set_parent, &History::change_room, &History::set_viewpoints, &History::toggle_published,
        &History::replace,    &History::name_parent, &History::set_parent,     &History::move_region,
        &History::haunt};
    (this->*operations[random_.below(operations.size())])();
  }

  Entity living() { return living_[random_.below(static_cast<std::uint32_t>(living_.size()))]; }
  Vec3 anywhere() {
    if (random_.chance(1, 40)) return odd();
    return {random_.uniform(-size_, size_), random_.uniform(-9, 9), random_.uniform(-size_, size_)};
  }
  Vec3 odd() {
    constexpr std::array<float, 7> values{
        0, 1e9f, -1e12f, 3e38f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -30};
    return {values[random_.below(7)], values[random_.below(7)] / 1e9f, values[random_.below(7)]};
  }

  Entity create() {
    const Entity entity = random_.chance(1, 8) ? world_.create() : world_.make(anywhere());
    living_.push_back(entity);
    if (random_.chance(2, 3)) world_.add<Relevance>(entity, any_relevance());
    return entity;
  }
  void make() {
    if (living_.size() < 120) create();
  }
  void destroy() {
    if (living_.size() < 20) return;
    const std::size_t place = random_.below(static_cast<std::uint32_t>(living_.size()));
    world_.destroy(living_[place]);
    living_[place] = living_.back();
    living_.pop_back();
  }
  // Another entity at the same index, where indices are reused at once.
  void replace() {
    destroy();
    create();
  }
  void move() {
    for (int i = 0; i < 8; ++i) {
      Transform* transform = world_.try_get<Transform>(living());
      if (transform == nullptr) continue;
      transform->position.x += random_.uniform(-3, 3);
      transform->position.z += random_.uniform(-3, 3);
    }
  }
  void jump() {
    if (Transform* transform = world_.try_get<Transform>(living())) transform->position = anywhere();
  }
  Relevance any_relevance() {
    return {static_cast<std::uint8_t>(random_.below(5)), random_.chance(1, 2) ? 0 : random_.below(5),
            random_.chance(3, 4) ? 0 : random_.below(players + 2), random_.uniform(0, 3)};
  }
  void relate() {
    if (Relevance* relevance = world_.try_get<Relevance>(living())) *relevance = any_relevance();
  }
  void toggle_relevance() {
    const Entity entity = living();
    if (world_.has<Relevance>(entity)) return world_.remove<Relevance>(entity);
    world_.add<Relevance>(entity, any_relevance());
  }
  void toggle_place() {
    const Entity entity = living();
    if (world_.has<Transform>(entity)) return world_.remove<Transform>(entity);
    world_.add<Transform>(entity).position = anywhere();
  }
  void set_parent() { static_cast<void>(hierarchy_.set_parent(living(), random_.chance(1, 3) ? Entity{} : living())); }
  // Cycles and dead parents occur.
  void name_parent() {
    const Entity child = living();
    const Entity parent = random_.chance(1, 8) ? Entity{living().index, 4000} : living();
    if (world_.has<Parent>(child)) {
      world_.get<Parent>(child).entity = parent;
    } else {
      world_.add<Parent>(child, {parent});
    }
  }
  void toggle_published() {
    const Entity entity = living();
    if (hidden_.erase(entity) == 0) hidden_.insert(entity);
    toggled_.push_back(entity.index);
  }
  void change_room() {
    Observer& observer = observers_[random_.below(players)];
    const std::uint32_t group = random_.below(5);
    if (random_.chance(1, 2)) {
      observer.viewer.leave_group(group);
    } else {
      EXPECT_TRUE(observer.viewer.join_group(group));
    }
    observer.version = 0;
  }
  // Some of them may be destroyed later.
  void set_viewpoints() {
    std::vector<Entity> viewpoints(random_.below(4));
    for (Entity& viewpoint : viewpoints) viewpoint = living();
    Observer& observer = observers_[random_.below(players)];
    observer.viewer.set_viewpoints(viewpoints);
    observer.version = 0;
  }

  // One of the world's sides may be the region's.
  void move_region() {
    const auto side = [&](float sign) {
      return random_.chance(1, 4) ? sign * std::numeric_limits<float>::infinity() : random_.uniform(-size_, size_);
    };
    Region region{side(-1), side(-1), 0, 0};
    region.x_max = std::max(side(1), region.x_min);
    region.z_max = std::max(side(1), region.z_min);
    observers_.back().viewer.set_zone({1, region});
    observers_.back().version = 0;
  }
  void haunt() {
    if (recycling_ != ecs::Recycling::queue) return;
    const Entity entity = living();
    ecs::Guests(world_).set_ghost(entity, !world_.entities().is_ghost(entity));
    observers_.back().version = 0;
  }

  void end_tick() {
    hierarchy_.update();
    for (const ecs::JournalEntry& entry : world_.journal())
      for (std::uint32_t i = 0; i < entry.count; ++i) publish(entry.first.index + i);
    for (const std::uint32_t index : toggled_) publish(index);
    toggled_.clear();
    interest_.update();
    interest_.check();
  }
  void publish(std::uint32_t index) {
    const Entity entity = world_.entities().at(index);
    if (entity && hidden_.count(entity) == 0) {
      interest_.add(index);
      reference_.published.insert(index);
    } else {
      interest_.remove(index);
      reference_.published.erase(index);
    }
  }

  void query(Observer& observer) {
    std::vector<std::uint32_t> gained{7};  // existing entries stay
    std::vector<std::uint32_t> lost{8};
    interest_.query_visibility(observer.viewer, observer.seen, gained, lost);
    test::ReferenceInterest::Query expected = reference_.query(observer.viewer, observer.seen);
    entered_ += expected.gained.size();
    left_ += expected.lost.size();
    if (observer.version == interest_.version() && reference_.rule == nullptr) {
      EXPECT_TRUE(expected.gained.empty() && expected.lost.empty());
    }
    observer.version = interest_.version();
    expected.gained.insert(expected.gained.begin(), 7);
    expected.lost.insert(expected.lost.begin(), 8);
    ASSERT_EQ(gained, expected.gained);
    ASSERT_EQ(lost, expected.lost);
    observer.seen.insert(observer.seen.end(), gained.begin() + 1, gained.end());
    for (std::size_t i = 1; i < lost.size(); ++i) {
      if (random_.chance(1, 4)) {  // its client is not rid of it yet
        observer.version = 0;
      } else {
        std::erase(observer.seen, lost[i]);
      }
    }
    for (const std::uint32_t index : reference_.published)
      ASSERT_EQ(interest_.owner(index), reference_.relevance(world_.entities().at(index)).owner);
    for (std::uint32_t index = 0; index < world_.entities().index_end() + 2; ++index)
      ASSERT_EQ(interest_.may_enter(observer.viewer, index), reference_.relevant(observer.viewer, index, false))
          << index;
    expect_parents_in_view(observer);
    expect_ancestors_to_stay(observer);
  }

  // The promise itself, apart from the rules that lead to it.
  void expect_parents_in_view(const Observer& observer) {
    const std::set<std::uint32_t> seen(observer.seen.begin(), observer.seen.end());
    if (observer.version == 0) return;  // some are lost, but still visible
    for (const std::uint32_t index : seen)
      for (const Entity parent : reference_.above(world_.entities().at(index)))
        ASSERT_TRUE(seen.contains(parent.index)) << index << " is visible without " << to_string(parent);
  }
  void expect_ancestors_to_stay(const Observer& observer) {
    const std::set<std::uint32_t> seen(observer.seen.begin(), observer.seen.end());
    const std::set<std::uint32_t> stays =
        reference_.relevant(observer.viewer, [&](std::uint32_t index) { return seen.contains(index); });
    for (const std::uint32_t index : seen) {
      const Entity entity = world_.entities().at(index);
      if (!entity) continue;
      ASSERT_EQ(interest_.may_stay(observer.viewer, index) ||
                    interest_.may_stay_for_others(observer.viewer, entity, observer.seen),
                stays.contains(index))
          << index;
    }
  }

  core::Random random_;
  float size_;
  ecs::Recycling recycling_;
  hierarchy::test::World world_;
  hierarchy::Hierarchy hierarchy_{world_};
  std::vector<Layer> layers_ = some_layers();
  Interest interest_{world_, layers_};
  Whim whim_{world_};
  test::ReferenceInterest reference_{world_, layers_, {}};
  std::vector<Entity> living_;
  std::set<Entity> hidden_;  // not published
  std::vector<std::uint32_t> toggled_;
  std::vector<Observer> observers_;
  std::size_t entered_ = 0;
  std::size_t left_ = 0;
};

TEST(InterestModel, AgreesInASmallWorld) {
  mobula::test::for_each_seed(1, mobula::test::few_or_all(2, 4), 400,
                              [](std::uint64_t seed) { History(seed, false, 20, false).run(400); });
}

TEST(InterestModel, AgreesInALargeWorld) {
  mobula::test::for_each_seed(11, mobula::test::few_or_all(2, 4), 400,
                              [](std::uint64_t seed) { History(seed, false, 150, false).run(400); });
}

TEST(InterestModel, AgreesWhenIndicesAreReusedAtOnce) {
  mobula::test::for_each_seed(21, mobula::test::few_or_all(2, 4), 400,
                              [](std::uint64_t seed) { History(seed, false, 40, true).run(400); });
}

TEST(InterestModel, AgreesWithARuleOfTheGame) {
  mobula::test::for_each_seed(31, mobula::test::few_or_all(2, 4), 400,
                              [](std::uint64_t seed) { History(seed, true, 40, seed % 2 == 0).run(400); });
}

}  // namespace
}  // namespace mobula::server
