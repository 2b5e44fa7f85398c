// Random worlds of ships that fly, turn, stop, jump, and change their composition, beside a model of what is published
// and counted. The game gives one of their velocities, which is sometimes wrong.
#include <mobula/server/replication/followed_rows.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <mobula/core/random.hpp>
#include <mobula/server/replication/publisher.hpp>
#include <reflect/compile_schema.hpp>
#include <seeds.hpp>

namespace mobula::server::followed_rows_test {
namespace {

constexpr std::string_view ships_schema = R"(
  struct Ship (component) {
    position:mobula.engine.Vec3 (range:"-512 512", step:"0.002", dead_reckoning:"0.005");
    rotation:mobula.engine.Quat (unit_quaternion, bits:"12", default:"0 0 0 1", dead_reckoning:"0.001");
    depth:double (range:"0 4000000000", step:"1", dead_reckoning:"2", velocity:"Ship.sinking");
    sinking:float;
    name:ushort;
    own:int (owner_only);
  }
  struct Mark (component) { n:uint; }
)";

constexpr double tick_seconds = 0.5;
constexpr std::size_t depth_unit = 2;

struct Ship {
  std::array<float, 3> position{};
  std::array<float, 4> rotation{0, 0, 0, 1};
  double depth = 0;
  float sinking = 0;
  std::uint16_t name = 0;
  std::int32_t own = 0;
};

using Speed = std::optional<CourseSpeed>;

const std::byte* bytes_of(const Ship& ship) { return reinterpret_cast<const std::byte*>(&ship); }

// Words that are published of a ship, by plain rules, one unit after the other.
class ModelRow {
 public:
  // A row that is new. `speed` is the velocity of its depth.
  ModelRow(const wire::RowCodec& codec, const Ship& now, ecs::Tick tick, const Speed& speed)
      : codec_(codec), words_(codec.words()), last_(now), follows_(speed), has_followed_(speed) {
    codec_.to_words(bytes_of(now), words_.data());
    for (const wire::CourseUnit& unit : codec_.courses()) units_.emplace_back().truth.at.fill(numbers(unit, now));
    if (!speed) return;
    Unit& depth = units_[depth_unit];
    depth.written = tick;
    depth.settled = false;
    depth.truth.given[0] = speed;
    begin_course(codec_.courses()[depth_unit], tick, depth.truth, words_.data());
    depth.truth.differences = 1;
  }

  // Publishes another tick, and adds to the counts but for what is under way.
  void publish(const Ship& now, ecs::Tick tick, const Speed& speed, std::span<CourseStats> stats) {
    bool moved = false;
    for (std::size_t i = 0; i < units_.size(); ++i) moved |= differs(codec_.courses()[i], now);
    if (moved && !follows_) begin_to_follow();
    codec_.to_other_words(bytes_of(now), words_.data());
    bool all_settled = true;
    for (std::size_t i = 0; i < units_.size() && follows_; ++i) {
      const std::vector<std::uint32_t> before = words_;
      const wire::CourseUnit& unit = codec_.courses()[i];
      stats[i].checks += publish_unit(unit, units_[i], now, tick, i == depth_unit ? speed : std::nullopt) ? 1 : 0;
      const auto differ = [&](std::uint32_t first, std::uint32_t count) {
        return !std::equal(words_.begin() + first, words_.begin() + first + count, before.begin() + first);
      };
      stats[i].new_courses += differ(unit.first, unit.parts) || differ(unit.course, unit.course_words()) ? 1 : 0;
      all_settled = all_settled && units_[i].settled;
    }
    follows_ = follows_ && !all_settled;
    last_ = now;
  }

  [[nodiscard]] const std::vector<std::uint32_t>& words() const { return words_; }
  [[nodiscard]] bool follows() const { return follows_; }

 private:
  struct Unit {
    CourseTruth truth;
    ecs::Tick written = 0;
    bool settled = true;
  };

  static std::array<double, 4> numbers(const wire::CourseUnit& unit, const Ship& ship) {
    std::array<double, 4> found{};
    for (std::uint32_t i = 0; i < unit.parts; ++i) {
      const std::byte* const at = bytes_of(ship) + unit.part_offset(i);
      found[i] = unit.part_bytes == sizeof(float) ? static_cast<double>(core::load<float>(at)) : core::load<double>(at);
    }
    return found;
  }
  [[nodiscard]] bool differs(const wire::CourseUnit& unit, const Ship& now) const {
    for (std::uint32_t i = 0; i < unit.parts; ++i) {
      const std::uint32_t at = unit.part_offset(i);
      if (std::memcmp(bytes_of(now) + at, bytes_of(last_) + at, unit.part_bytes) != 0) return true;
    }
    return false;
  }
  void begin_to_follow() {
    follows_ = true;
    for (Unit& unit : units_) unit.truth.differences = has_followed_ ? CourseTruth::ticks : 0;
    has_followed_ = true;
  }
  // Returns whether the true value was compared with a course.
  bool publish_unit(const wire::CourseUnit& unit, Unit& state, const Ship& now, ecs::Tick tick, const Speed& speed) {
    std::shift_right(state.truth.at.begin(), state.truth.at.end(), 1);
    std::shift_right(state.truth.given.begin(), state.truth.given.end(), 1);
    state.truth.at[0] = numbers(unit, now);
    state.truth.given[0].reset();
    if (differs(unit, now)) {
      state.written = tick;
      state.settled = false;
      state.truth.given[0] = speed;
    }
    if (!state.settled && tick - state.written >= settle_ticks) {
      state.settled = true;
      codec_.to_course_words(unit, bytes_of(now), words_.data());
    } else if (!state.settled && !keeps(unit, state.truth.at[0], tick)) {
      codec_.to_course_words(unit, bytes_of(now), words_.data());
      begin_course(unit, tick, state.truth, words_.data());
    }
    ++state.truth.differences;
    return !state.settled;
  }
  [[nodiscard]] bool keeps(const wire::CourseUnit& unit, const std::array<double, 4>& truth, ecs::Tick tick) const {
    const ecs::Tick age = wire::course_age(unit, words_.data(), tick);
    if (wire::is_under_way(unit, words_.data()) && tick - words_[unit.tick_word()] != age) return false;
    if (unit.turns) return keeps_turn(wire::rotation_at(unit, words_.data(), age), truth, unit.tolerance);
    for (std::uint32_t i = 0; i < unit.parts; ++i) {
      const double steps = static_cast<double>(wire::path_at(unit, words_.data(), i, age)) / wire::course_fraction;
      const double number = unit.quantisers[i].limit(truth[i]);
      if (std::abs(unit.quantisers[i].value_between(steps) - number) > unit.tolerance) return false;
    }
    return true;
  }
  static bool keeps_turn(const wire::Rotation& course, std::array<double, 4> truth, double tolerance) {
    double square = 0;
    for (const double part : truth) square += part * part;
    if (!wire::is_rotation(square)) truth = {0, 0, 0, square = 1};
    double dot = 0;
    for (std::size_t i = 0; i < 4; ++i) dot += course[i] * truth[i];
    for (std::size_t i = 0; i < 4; ++i)
      if (std::abs(course[i] - (dot < 0 ? -1 : 1) * truth[i] / std::sqrt(square)) > tolerance) return false;
    return true;
  }

  const wire::RowCodec& codec_;
  std::vector<std::uint32_t> words_;
  std::vector<Unit> units_;
  Ship last_;
  bool follows_ = false;
  bool has_followed_ = false;
};

// A ship with its motion.
struct Flight {
  std::array<double, 3> velocity{};
  double pull = 0;
  double turn = 0;
  double sinking = 0;
  double angle = 0;
};

class Fleet {
 public:
  explicit Fleet(std::uint64_t seed) : random_(seed), publisher_(registry_, *schema_, 16u << 20, tick_seconds) {
    static_cast<void>(reflect::register_components(registry_, *schema_).value());
    ships_ = registry_.find_pool(core::StringId32("Ship"), core::StringId32("Ship"));
    spares_ = *registry_.open_pool(core::StringId32("Ship"), "Spare");
    marks_ = registry_.find_pool(core::StringId32("Mark"), core::StringId32("Mark"));
  }

  void tick() {
    for (std::uint32_t i = random_.below(4); i > 0; --i) change_composition();
    for (const auto& [entity, flight] : flights_)
      for (const ecs::PoolId pool : {ships_, spares_})
        if (registry_.pool(pool).contains(entity.index) && random_.chance(15, 16)) fly(entity, pool);
    publisher_.publish();
    publisher_.published().check();
    expect_equal(ships_);
    expect_equal(spares_);
    registry_.clear_journal();
    registry_.set_tick(registry_.tick() + 1);
  }
  [[nodiscard]] std::size_t followed() const { return followed_; }

 private:
  using Key = std::pair<ecs::Entity, ecs::PoolId>;

  void change_composition() {
    const std::uint32_t kind = random_.below(10);
    if (kind < 3 && flights_.size() < 150) {
      const ecs::Entity made = registry_.create();
      flights_[made] = {};
      registry_.add_bytes(made, ships_);
      return;
    }
    if (flights_.empty()) return;
    const ecs::Entity entity =
        std::next(flights_.begin(), random_.below(static_cast<std::uint32_t>(flights_.size())))->first;
    if (kind == 3) {
      registry_.destroy(entity);
      flights_.erase(entity);
    } else if (kind == 4) {
      toggle(entity, marks_);
    } else if (kind == 5) {
      toggle(entity, ships_);
    } else if (kind == 6) {
      toggle(entity, spares_);
    } else if (kind == 7 && registry_.pool(ships_).contains(entity.index)) {
      registry_.remove(entity, ships_);  // removed and added in one tick
      registry_.add_bytes(entity, ships_);
    } else if (kind == 8) {
      reorder();
    }
  }
  void toggle(ecs::Entity entity, ecs::PoolId pool) {
    if (registry_.pool(pool).contains(entity.index)) {
      registry_.remove(entity, pool);
    } else {
      registry_.add_bytes(entity, pool);
    }
  }
  // Moves components, as the defragmenter does.
  void reorder() {
    ecs::Pool& pool = registry_.pool(ships_);
    if (pool.size() < 2) return;
    const std::uint32_t a = random_.below(pool.size());
    const std::uint32_t b = random_.below(pool.size());
    if (a != b) pool.swap(a, b);
  }
  void fly(ecs::Entity entity, ecs::PoolId pool) {
    Flight& flight = flights_[entity];
    if (random_.chance(1, 20)) choose_motion(flight);
    if (flight.velocity == std::array<double, 3>{} && flight.turn == 0 && flight.sinking == 0 && !random_.chance(1, 30))
      return;
    auto ship = core::load<Ship>(registry_.try_read(entity, pool));
    flight.velocity[1] += flight.pull;
    for (std::size_t i = 0; i < 3; ++i) ship.position[i] += static_cast<float>(flight.velocity[i]);
    ship.depth = std::max(0.0, ship.depth + flight.sinking);
    flight.angle += flight.turn;
    if (flight.turn != 0)
      ship.rotation = {0, static_cast<float>(std::sin(flight.angle)), 0, static_cast<float>(std::cos(flight.angle))};
    ship.sinking = static_cast<float>(flight.sinking / tick_seconds);
    if (random_.chance(1, 100)) disturb(ship);
    std::memcpy(registry_.try_write(entity, pool), &ship, sizeof ship);
    if (random_.chance(1, 50)) std::memcpy(registry_.try_write(entity, pool), &ship, sizeof ship);
  }
  void choose_motion(Flight& flight) {
    const auto any = [&](double greatest) {
      return random_.chance(1, 2) ? 0 : static_cast<double>(random_.uniform(-1, 1)) * greatest;
    };
    flight = {.velocity = {any(0.3), any(0.1), any(20)},
              .pull = any(0.005),
              .turn = any(0.05),
              .sinking = any(1000),
              .angle = flight.angle};
  }
  // Writes values that are no motion.
  void disturb(Ship& ship) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    switch (random_.below(9)) {
      case 0: ship.name = static_cast<std::uint16_t>(random_.below(3)); break;
      case 1: ship.own = static_cast<std::int32_t>(random_.below(3)); break;
      case 2: ship.position = {random_.uniform(-600, 600), 0, 0}; break;
      case 3: ship.position[0] = random_.chance(1, 2) ? nan : std::numeric_limits<float>::infinity(); break;
      case 4: ship.rotation.fill(random_.chance(1, 2) ? nan : 0); break;
      case 5: ship.rotation = {0, 0, 3, 4}; break;
      case 6: ship.sinking = random_.chance(1, 2) ? nan : 3e38f; break;
      case 7: ship.sinking = random_.uniform(-100, 100); break;
      default: ship.depth = random_.chance(1, 2) ? 5e9 : 1e300; break;
    }
  }

  void expect_equal(ecs::PoolId pool) {
    const wire::RowCodec& codec = *publisher_.published().codecs().row(pool);
    std::size_t followed = 0;
    std::vector<CourseStats>& stats = stats_[pool];
    stats.resize(codec.courses().size());
    for (CourseStats& unit : stats) unit.under_way = 0;
    std::erase_if(rows_, [&](const auto& row) {
      const auto& [entity, of] = row.first;
      return !registry_.valid(entity) || !registry_.pool(of).contains(entity.index);
    });
    for (const auto& [entity, flight] : flights_) {
      const std::byte* const component = registry_.try_read(entity, pool);
      if (component == nullptr) continue;
      const auto ship = core::load<Ship>(component);
      const auto [row, is_new] = rows_.try_emplace(Key{entity, pool}, codec, ship, registry_.tick(), speed(entity));
      if (!is_new) row->second.publish(ship, registry_.tick(), speed(entity), stats);
      for (std::size_t i = 0; i < stats.size(); ++i)
        stats[i].under_way += wire::is_under_way(codec.courses()[i], row->second.words().data()) ? 1 : 0;
      followed += row->second.follows() ? 1 : 0;
      ASSERT_EQ(published(entity, pool), row->second.words()) << to_string(entity) << " at tick " << registry_.tick();
    }
    const FollowedRows* const rows = publisher_.published().followed(pool);
    ASSERT_EQ(rows != nullptr ? rows->size() : 0, followed) << "tick " << registry_.tick();
    followed_ += followed;
    expect_counts(publisher_.published().course_stats(pool), stats);
  }
  void expect_counts(std::span<const CourseStats> counts, std::span<const CourseStats> expected) const {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      ASSERT_EQ(counts[i].new_courses, expected[i].new_courses) << "unit " << i << " at tick " << registry_.tick();
      ASSERT_EQ(counts[i].checks, expected[i].checks) << "unit " << i << " at tick " << registry_.tick();
      ASSERT_EQ(counts[i].under_way, expected[i].under_way) << "unit " << i << " at tick " << registry_.tick();
    }
  }
  // Returns the velocity of the depth, which the component of the default instance has.
  [[nodiscard]] Speed speed(ecs::Entity entity) const {
    const std::byte* const component = registry_.try_read(entity, ships_);
    if (component == nullptr) return std::nullopt;
    const float sinking = core::load<Ship>(component).sinking;
    return std::isfinite(sinking) ? Speed(CourseSpeed{static_cast<double>(sinking) * tick_seconds}) : std::nullopt;
  }
  [[nodiscard]] std::vector<std::uint32_t> published(ecs::Entity entity, ecs::PoolId pool) {
    Published& published = publisher_.published();
    const ecs::PrototypeId prototype = published.entity(entity.index).prototype;
    std::vector<std::uint32_t> words(published.codecs().entity(prototype).words);
    published.words_now(entity.index, words.data());
    std::size_t first = 0;
    for (const ecs::PoolId before : registry_.prototypes().pools(prototype)) {
      if (before == pool) break;
      first += published.codecs().row(before)->words();
    }
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(first);
    return {begin, begin + published.codecs().row(pool)->words()};
  }

  const std::shared_ptr<const reflect::Schema> schema_ = mobula::test::load_schema(ships_schema);
  core::Random random_;
  ecs::Registry registry_;
  Publisher publisher_;
  ecs::PoolId ships_ = ecs::no_pool;
  ecs::PoolId spares_ = ecs::no_pool;
  ecs::PoolId marks_ = ecs::no_pool;
  std::map<ecs::Entity, Flight> flights_;
  std::map<Key, ModelRow> rows_;
  std::map<ecs::PoolId, std::vector<CourseStats>> stats_;
  std::size_t followed_ = 0;
};

TEST(FollowedRows, PublishAsTheModelDoes) {
  test::for_each_seed(1, test::few_or_all(4, 12), 600, [&](std::uint64_t seed) {
    Fleet fleet(seed);
    for (int tick = 0; tick < 600; ++tick) {
      fleet.tick();
      if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_GT(fleet.followed(), 5000u) << "most ships fly";
  });
}

}  // namespace
}  // namespace mobula::server::followed_rows_test
