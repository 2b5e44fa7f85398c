#include <mobula/client/mirror/mirrored_courses.hpp>

#include <gtest/gtest.h>

#include <map>
#include <mobula/core/random.hpp>
#include <reflect/compile_schema.hpp>
#include <seeds.hpp>
#include <set>

namespace mobula::client::mirrored_courses_test {
namespace {

constexpr std::string_view ships_schema = R"(
  struct Ship (component) {
    position:mobula.engine.Vec3 (range:"-512 512", step:"0.002", dead_reckoning:"0.005");
    rotation:mobula.engine.Quat (unit_quaternion, bits:"12", default:"0 0 0 1", dead_reckoning:"0.001");
    depth:double (range:"0 4000000000", step:"1", dead_reckoning:"2");
    name:ushort;
  }
)";

// Entities with one or two ships each, and as a model the words of those that are shown.
class Fleet {
 public:
  explicit Fleet(std::uint64_t seed) : random_(seed) {
    static_cast<void>(reflect::register_components(registry_, *schema_).value());
    ships_ = registry_.find_pool(core::StringId32("Ship"), core::StringId32("Ship"));
    spares_ = *registry_.open_pool(core::StringId32("Ship"), "Spare");
  }

  void tick() {
    for (std::uint32_t i = random_.below(5); i > 0; --i) change_one();
    tick_ += random_.chance(1, 20) ? 1 + random_.below(400) : 1;
    registry_.set_tick(tick_);
    courses_.follow(registry_, tick_, changes_);
    changes_.hand_out();
    expect_values();
    expect_listed();
    registry_.clear_journal();
  }

 private:
  struct Shown {
    std::vector<std::uint32_t> words;
    std::uint32_t courses = 0;
  };

  [[nodiscard]] std::span<const ecs::PoolId> pools(ecs::Entity entity) const {
    return registry_.prototypes().pools(registry_.prototype(entity));
  }
  void change_one() {
    const std::uint32_t kind = random_.below(8);
    if (kind < 3 && shown_.size() < 150) return add();
    if (shown_.empty()) return;
    const auto one = std::next(shown_.begin(), random_.below(static_cast<std::uint32_t>(shown_.size())));
    if (kind < 5) return change(one->first, one->second);
    if (kind == 5) return reorder();
    if (kind == 6) return recompose(one->first, one->second);
    courses_.erase(one->first.index, pools(one->first));
    registry_.destroy(one->first);
    shown_.erase(one);
  }
  void add() {
    const ecs::Entity entity = registry_.create();
    registry_.add_bytes(entity, ships_);
    if (random_.chance(1, 2)) registry_.add_bytes(entity, spares_);
    show(entity, shown_[entity]);
  }
  // Shows another state. Some courses go on.
  void change(ecs::Entity entity, Shown& shown) {
    const std::vector<std::uint32_t> before = shown.words;
    std::size_t first = 0;
    for (const ecs::PoolId pool : pools(entity)) {
      change_row(*codecs_.row(pool), shown.words.data() + first, 2);
      first += codecs_.row(pool)->words();
    }
    set(entity, shown, before.data());
  }
  // Shows a first state with the entity's components.
  void show(ecs::Entity entity, Shown& shown) {
    shown.words.clear();
    for (const ecs::PoolId pool : pools(entity)) {
      const std::span<const std::uint32_t> words = codecs_.row(pool)->default_words();
      shown.words.insert(shown.words.end(), words.begin(), words.end());
      change_row(*codecs_.row(pool), &*shown.words.end() - words.size(), 1);
    }
    set(entity, shown, nullptr);
  }
  void recompose(ecs::Entity entity, Shown& shown) {
    courses_.erase(entity.index, pools(entity));
    if (registry_.pool(spares_).contains(entity.index)) {
      registry_.remove(entity, spares_);
    } else {
      registry_.add_bytes(entity, spares_);
    }
    show(entity, shown);
  }
  void set(ecs::Entity entity, Shown& shown, const std::uint32_t* before) {
    shown.courses = courses_.set(
        codecs_,
        {.entity = entity, .id = entity.index, .pools = pools(entity), .words = shown.words.data(), .before = before});
  }
  void reorder() {
    ecs::Pool& pool = registry_.pool(ships_);
    const std::uint32_t a = random_.below(pool.size());
    const std::uint32_t b = random_.below(pool.size());
    if (a != b) pool.swap(a, b);
  }
  // Changes one in `one_in` courses of a row.
  void change_row(const wire::RowCodec& codec, std::uint32_t* row, std::uint32_t one_in) {
    for (const wire::CourseUnit& unit : codec.courses()) {
      if (!random_.chance(1, one_in)) continue;
      std::fill_n(row + unit.course, unit.course_words(), 0u);
      for (std::uint32_t i = unit.turns ? 1 : 0; i < unit.parts; ++i)
        row[unit.first + i] = unit.turns ? 2000 + random_.below(100) : random_.below(500'000);
      if (random_.chance(1, 4)) continue;
      for (std::uint32_t i = 0; i + 1 < unit.course_words(); ++i) row[unit.course + i] = random_.below(2001) - 1000;
      row[unit.tick_word()] = tick_ + 1 - random_.below(std::min(tick_ + 1, 300u));
      if (!wire::is_course(unit, row)) std::fill_n(row + unit.course, unit.course_words(), 0u);
    }
  }

  // Calls function(pool, component, unit, words of the row) for each course that is followed.
  template <class Function>
  void each_course(ecs::Entity entity, const Shown& shown, Function&& function) {
    const std::uint32_t* row = shown.words.data();
    for (const ecs::PoolId pool : pools(entity)) {
      for (const wire::CourseUnit& unit : codecs_.row(pool)->courses())
        if (wire::is_under_way(unit, row)) function(pool, registry_.try_read(entity, pool), unit, row);
      row += codecs_.row(pool)->words();
    }
  }
  void expect_values() {
    std::size_t courses = 0;
    for (const auto& [entity, shown] : shown_) {
      std::uint32_t followed = 0;
      each_course(entity, shown,
                  [&](ecs::PoolId, const std::byte* at, const wire::CourseUnit& unit, const std::uint32_t* row) {
                    ++followed;
                    std::array<std::byte, 64> expected{};
                    std::copy_n(at, schema_->find("Ship")->size, expected.data());
                    wire::write_course_value(unit, row, tick_, expected.data());
                    EXPECT_EQ(std::memcmp(at, expected.data(), schema_->find("Ship")->size), 0)
                        << to_string(entity) << " at tick " << tick_;
                  });
      EXPECT_EQ(shown.courses, followed);
      EXPECT_EQ(courses_.count(entity.index, pools(entity)), followed);
      courses += followed;
    }
    EXPECT_EQ(courses_.size(), courses);
  }
  // Each component with a course is listed once.
  void expect_listed() {
    std::set<std::pair<ecs::Entity, ecs::PoolId>> expected;
    for (const auto& [entity, shown] : shown_)
      each_course(entity, shown,
                  [&](ecs::PoolId pool, const std::byte*, const wire::CourseUnit&, const std::uint32_t*) {
                    expected.emplace(entity, pool);
                  });
    std::set<std::pair<ecs::Entity, ecs::PoolId>> listed;
    for (const Change& change : changes_.list()) listed.emplace(change.entity, change.pool);
    EXPECT_EQ(listed, expected) << "tick " << tick_;
    EXPECT_EQ(changes_.list().size(), expected.size()) << "tick " << tick_;
  }

  const std::shared_ptr<const reflect::Schema> schema_ = test::load_schema(ships_schema);
  core::Random random_;
  ecs::Registry registry_{{.entities = {}, .pools = {.sparse_page_shift = ecs::SparseSet::no_pages}}};
  wire::SchemaCodecs codecs_{registry_, *schema_};
  MirroredCourses courses_;
  MirrorChanges changes_;
  std::map<ecs::Entity, Shown> shown_;
  ecs::PoolId ships_ = ecs::no_pool;
  ecs::PoolId spares_ = ecs::no_pool;
  ecs::Tick tick_ = 1;
};

TEST(MirroredCourses, WriteTheValuesOfAllThatIsShown) {
  test::for_each_seed(1, test::few_or_all(6, 24), 400, [&](std::uint64_t seed) {
    Fleet fleet(seed);
    for (int tick = 0; tick < 400 && !testing::Test::HasFailure(); ++tick) fleet.tick();
  });
}

}  // namespace
}  // namespace mobula::client::mirrored_courses_test
