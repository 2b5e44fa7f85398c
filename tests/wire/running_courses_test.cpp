#include <mobula/wire/running_courses.hpp>

#include <gtest/gtest.h>

#include <seeds.hpp>
#include <wire/codec_world.hpp>

namespace mobula::wire::running_courses_test {
namespace {

using test::Words;

// Ranges that begin at a whole number of steps, between two, and so far from zero that sums are not exact.
constexpr std::string_view odd_schema = R"(
  struct Tilt { x:float; y:float; }
  struct Odd (component) {
    tilt:Tilt (range:"-0.7 2", step:"0.03", dead_reckoning:"0.06");
    far:double (range:"200000000000000 200000000001000", step:"1", default:"200000000000000", dead_reckoning:"2");
    low:double (range:"-1000 1000", step:"0.25", dead_reckoning:"2");
  })";

// A unit of a component, with arrays of its courses and a row for each entry.
class Fleet {
 public:
  Fleet(const RowCodec& codec, std::size_t unit, std::uint64_t seed)
      : codec_(codec), unit_(codec.courses()[unit]), courses_(unit_), random_(seed) {}

  // Adds, changes and erases some, and moves to the next tick, or beyond some.
  void change_some() {
    for (std::uint32_t i = random_.below(4); i > 0; --i) {
      switch (random_.below(5)) {
        case 0: erase(); break;
        case 1: change(); break;
        default: add(); break;
      }
    }
    courses_.advance(tick_ += random_.chance(1, 30) ? 2 + random_.below(400) : 1);
  }
  // Expects the values of the rows, computed one by one.
  void expect_equal() const {
    RunningCourses::Values values;
    for (std::uint32_t first = 0; first < courses_.size(); first += RunningCourses::block_size) {
      const std::uint32_t count = std::min(RunningCourses::block_size, courses_.size() - first);
      courses_.values(first, count, values);
      for (std::uint32_t i = 0; i < count; ++i)
        for (std::uint32_t part = 0; part < unit_.parts; ++part) expect_value(first + i, part, values[part][i]);
    }
  }

 private:
  void add() {
    rows_.push_back(any_row());
    courses_.push(rows_.back().data());
  }
  void change() {
    if (rows_.empty()) return;
    const std::uint32_t entry = random_.below(courses_.size());
    rows_[entry] = any_row();
    courses_.set(entry, rows_[entry].data());
  }
  void erase() {
    if (rows_.empty()) return;
    const std::uint32_t entry = random_.below(courses_.size());
    rows_[entry] = rows_.back();
    rows_.pop_back();
    courses_.erase(entry);
  }
  // A course that has begun or begins with the next tick, or a unit at rest.
  Words any_row() {
    Words row(codec_.words());
    for (std::uint32_t i = 0; i < unit_.parts; ++i)
      row[unit_.first + i] = unit_.turns ? 0 : test::any_below(random_, static_cast<std::uint32_t>(unit_.max[i]));
    if (unit_.turns) {
      row[unit_.first] = random_.below(4);
      for (std::uint32_t i = 1; i < 4; ++i) row[unit_.first + i] = (1u << (unit_.bits - 1)) - 1 + random_.below(150);
    }
    if (!random_.chance(1, 8)) test::random_course(unit_, random_, row.data());
    if (!is_under_way(unit_, row.data())) return row;
    const std::uint32_t age = random_.chance(1, 4) ? random_.below(20'000) : random_.below(300);
    row[unit_.tick_word()] = random_.chance(1, 4) ? tick_ + 1 : tick_ - std::min(age, tick_ - 1);
    return row;
  }
  void expect_value(std::uint32_t entry, std::uint32_t part, double value) const {
    std::array<std::byte, 256> component{};
    write_course_value(unit_, rows_[entry].data(), tick_, component.data());
    const std::byte* const at = component.data() + unit_.part_offset(part);
    if (unit_.part_bytes == sizeof(float)) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(static_cast<float>(value)), core::load<std::uint32_t>(at))
          << "entry " << entry << " at tick " << tick_;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(value), core::load<std::uint64_t>(at))
          << "entry " << entry << " at tick " << tick_;
    }
  }

  const RowCodec& codec_;
  const CourseUnit& unit_;
  RunningCourses courses_;
  core::Random random_;
  std::vector<Words> rows_;
  ecs::Tick tick_ = 1;
};

// Every unit, each with all that can happen to its entries.
TEST(RunningCourses, HaveTheValuesOfTheirRows) {
  const auto units = mobula::test::load_schema(test::units_schema);
  const auto odd = mobula::test::load_schema(odd_schema);
  const RowCodec codecs[] = {RowCodec(*units->find("Sailing")), RowCodec(*odd->find("Odd"))};
  mobula::test::for_each_seed(1, 8, 4200, [&](std::uint64_t seed) {
    for (const RowCodec& codec : codecs)
      for (std::size_t unit = 0; unit < codec.courses().size(); ++unit) {
        Fleet fleet(codec, unit, seed);
        for (int step = 0; step < 600 && !testing::Test::HasFatalFailure(); ++step) {
          fleet.change_some();
          fleet.expect_equal();
        }
      }
  });
}

}  // namespace
}  // namespace mobula::wire::running_courses_test
