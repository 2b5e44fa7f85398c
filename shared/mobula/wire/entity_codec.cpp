#include <algorithm>
#include <cstdlib>
#include <mobula/core/assert.hpp>
#include <mobula/wire/course_bits.hpp>
#include <mobula/wire/entity_bits.hpp>
#include <mobula/wire/entity_codec.hpp>
#include <mobula/wire/residual_code.hpp>
#include <mobula/wire/value_bits.hpp>

namespace mobula::wire {
namespace {

constexpr std::uint32_t level_max = 27;
constexpr std::uint32_t next_level_max = 31;

std::uint32_t age_class(std::uint32_t age) { return age <= 6 ? 0 : age <= 8 ? 1 : age <= 16 ? 2 : 3; }

// Compares words one by one: most units have few of them, where a call of memcmp costs more than the comparison.
bool same(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t words) {
  for (std::uint32_t i = 0; i < words; ++i)
    if (a[i] != b[i]) return false;
  return true;
}

// Traverses the units of an entity in the order of the wire and codes each. `Io` is EntityBitsWriter, EntityBitsMeter
// or EntityBitsReader.
template <class Io>
class UnitTraversal {
 public:
  using Words = std::conditional_t<Io::reads, std::uint32_t, const std::uint32_t>;

  // `full`: a full state. The baseline are the defaults, and vectors and rotations are sent as their words.
  UnitTraversal(const EntityLayout& layout, bool owner, ecs::Tick tick, Words* words, const Baselines& baselines,
                bool full, Io& io)
      : layout_(layout), owner_(owner), tick_(tick), words_(words), baselines_(baselines), full_(full), io_(io) {
    const Interval time = baselines_.time;
    const bool near = time.age <= motion_age_max && time.span > 0 && time.span <= motion_span_max;
    if (!near) baselines_.previous_baseline = baselines_.early_baseline = nullptr;
  }

  bool run() {
    bool any_extrapolated = false;
    bool others = false;
    each([&]([[maybe_unused]] const EntityLayout::Row& row, const Unit& unit, std::uint32_t at) {
      if (is_extrapolated(unit, at)) {
        any_extrapolated = true;
      } else if constexpr (!Io::reads) {
        others = others || changed(row, unit, at);
      }
    });
    if (any_extrapolated) {
      others_ = others;
      each([&](const EntityLayout::Row& /*row*/, const Unit& unit, std::uint32_t at) {
        if (is_extrapolated(unit, at)) code_extrapolated(unit, at);
      });
    }
    if (!any_extrapolated || others_) code_others();
    return io_.ok();
  }

 private:
  template <class Function>
  void each(Function&& function) {
    for (const EntityLayout::Row& row : layout_.rows) {
      enter(row);
      for (const Unit& unit : row.codec->units())
        if (receives(unit.receivers, owner_)) function(row, unit, row.first + unit.first);
    }
  }
  void enter([[maybe_unused]] const EntityLayout::Row& row) {
    if constexpr (std::is_same_v<Io, EntityBitsMeter>) io_.enter(static_cast<std::size_t>(&row - layout_.rows.data()));
  }

  [[nodiscard]] bool is_extrapolated(const Unit& unit, std::uint32_t at) const {
    return unit.can_extrapolate() && baselines_.previous_baseline != nullptr &&
           !same(baselines_.baseline + at, baselines_.previous_baseline + at, unit.size());
  }
  [[nodiscard]] bool changed(const EntityLayout::Row& row, const Unit& unit, std::uint32_t at) const {
    if (!same(words_ + at, baselines_.baseline + at, unit.size())) return true;
    if (unit.course == Unit::no_course) return false;
    const CourseUnit& course = row.codec->courses()[unit.course];
    const std::uint32_t first = row.first + course.course;
    return !same(words_ + first, baselines_.baseline + first, course.course_words());
  }

  // Moving --------------------------------------------------------------------------------------------------------

  void code_extrapolated(const Unit& unit, std::uint32_t at) {
    if (unit.kind == Unit::Kind::vector) return code_extrapolated_vector(unit, at);
    const RotationMotion motion = predict_rotation(unit, baselines_.from(at));
    const std::uint32_t table =
        motion.steady ? steady_table(calm_ ? ResidualFamily::calm_rotation : ResidualFamily::steady_rotation)
                      : rotation_table(motion.speed);
    std::uint32_t omitted = motion.turned;
    const std::uint32_t symbol = code_first_symbol(unit, at, table, &omitted);
    if (!held_) code_rotation(unit, at, motion, omitted, table, symbol);
  }

  void code_extrapolated_vector(const Unit& unit, std::uint32_t at) {
    const VectorMotion motion = predict_vector(unit, baselines_.from(at));
    const std::uint32_t expected = half_octave(motion.steady ? 4 * baselines_.time.age : motion.speed);
    const std::uint32_t table =
        motion.steady ? steady_table(motion.slow ? ResidualFamily::slow_vector : ResidualFamily::steady_vector)
                      : table_of(ResidualFamily::vector, std::min(expected, level_max));
    const std::uint32_t symbol = code_first_symbol(unit, at, table, nullptr);
    if (held_) return;
    const std::uint64_t sum =
        code_residuals(at, {motion.at.data(), unit.words}, unit.max.data(), motion.speed, table, symbol);
    surprise_ = std::clamp(static_cast<int>(half_octave(8 * sum / unit.words)) - static_cast<int>(expected), -8, 8);
    calm_ = motion.steady && small_;
  }

  // Returns the table of the first number of a unit whose motion is steady.
  [[nodiscard]] std::uint32_t steady_table(ResidualFamily family) const {
    return table_of(family, std::max(half_octave(baselines_.time.age), 2u) - 2);
  }
  [[nodiscard]] std::uint32_t rotation_table(std::uint64_t speed) const {
    const int level = static_cast<int>(half_octave(speed)) + surprise_ * 3 / 2;
    return table_of(ResidualFamily::rotation, static_cast<std::uint32_t>(std::clamp(level, 0, int{level_max})));
  }
  static std::uint32_t table_of(ResidualFamily family, std::uint32_t level) {
    return static_cast<std::uint32_t>(family) + level;
  }
  [[nodiscard]] std::uint32_t table_at_rest(ResidualFamily family) const {
    return table_of(family, level_max + 1 + age_class(baselines_.time.age));
  }

  // Codes what precedes the first number of an extrapolated unit, and sets held_ if no number follows. When reading,
  // returns the symbol that the number begins with.
  std::uint32_t code_first_symbol(const Unit& unit, std::uint32_t at, std::uint32_t table, std::uint32_t* turned) {
    std::uint32_t symbol = 0;
    if constexpr (Io::reads) {
      symbol = io_.symbol(table);
      if (symbol == symbol_others && !others_sent_) {
        others_ = true;
        symbol = io_.symbol(table);
      }
      held_ = symbol == symbol_hold;
    } else {
      if (!others_sent_ && others_) io_.symbol(table, symbol_others);
      held_ = same(words_ + at, baselines_.baseline + at, unit.size());
      if (held_) io_.symbol(table, symbol_hold);
    }
    others_sent_ = true;
    return held_ || turned == nullptr ? symbol : code_omitted(at, table, symbol, *turned);
  }

  // Codes the numbers from word `at` on. Returns the sum of their distances.
  std::uint64_t code_residuals(std::uint32_t at, std::span<const std::uint32_t> predicted, const std::uint32_t* max,
                               std::uint64_t speed, std::uint32_t table, std::uint32_t symbol) {
    std::array<std::int64_t, 4> residuals{};
    if constexpr (!Io::reads)
      for (std::uint32_t i = 0; i < predicted.size(); ++i)
        residuals[i] = static_cast<std::int64_t>(words_[at + i]) - static_cast<std::int64_t>(predicted[i]);
    const std::uint32_t first = std::min<std::uint32_t>(small_max, static_cast<std::uint32_t>(predicted.size()));
    const std::uint32_t coded = io_.first_residuals(table, symbol, std::span(residuals).first(first));
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < predicted.size(); ++i) {
      if (i >= coded) {
        const std::uint32_t level = std::min(half_octave(2 * sum / i + speed / 16), next_level_max);
        io_.residual(table_of(ResidualFamily::next, level), residuals[i]);
      }
      sum += static_cast<std::uint64_t>(std::abs(residuals[i]));
    }
    small_ = std::ranges::all_of(residuals.begin(), residuals.begin() + first, is_small);
    if constexpr (Io::reads) set_words(at, predicted, max, residuals);
    return sum;
  }

  void set_words(std::uint32_t at, std::span<const std::uint32_t> predicted, const std::uint32_t* max,
                 const std::array<std::int64_t, 4>& residuals) {
    for (std::uint32_t i = 0; i < predicted.size(); ++i) {
      const std::int64_t value = static_cast<std::int64_t>(predicted[i]) + residuals[i];
      if (value < 0 || value > static_cast<std::int64_t>(max[i])) return io_.fail();
      words_[at + i] = static_cast<std::uint32_t>(value);
    }
  }

  void code_rotation(const Unit& unit, std::uint32_t at, const RotationMotion& motion, std::uint32_t omitted,
                     std::uint32_t table, std::uint32_t symbol) {
    const std::array<std::uint32_t, 3> predicted = codes_of(motion, omitted, unit.max[1]);
    if constexpr (Io::reads) words_[at] = omitted;
    code_residuals(at + 1, predicted, unit.max.data() + 1, motion.speed, table, symbol);
  }

  // Codes which part of a rotation is omitted, if it is not the predicted one. When reading, returns the symbol that
  // the numbers begin with.
  std::uint32_t code_omitted(std::uint32_t at, std::uint32_t table, std::uint32_t symbol, std::uint32_t& turned) {
    if constexpr (Io::reads) {
      if (symbol != symbol_turned) return symbol;
      io_.bits(turned, 2);
      return io_.symbol(table);
    } else {
      if (turned == words_[at]) return 0;
      io_.symbol(table, symbol_turned);
      turned = words_[at];
      io_.bits(turned, 2);
      return 0;
    }
  }

  // At rest -------------------------------------------------------------------------------------------------------

  void code_others() {
    for (const EntityLayout::Row& row : layout_.rows) {
      enter(row);
      std::uint32_t units = 0;
      bool any = false;
      each_other(row, [&]([[maybe_unused]] const Unit& unit, [[maybe_unused]] std::uint32_t at) {
        ++units;
        if constexpr (!Io::reads) any = any || changed(row, unit, at);
      });
      if (units == 0 || !io_.flag(any) || !io_.ok()) continue;
      each_other(row, [&](const Unit& unit, std::uint32_t at) {
        bool is = units == 1;
        if constexpr (!Io::reads) is = is || changed(row, unit, at);
        if (units > 1) is = io_.flag(is);
        if (!is || !io_.ok()) return;
        unit.course == Unit::no_course ? code_unit(unit, at) : code_course(row, unit);
      });
    }
  }

  template <class Function>
  void each_other(const EntityLayout::Row& row, Function&& function) {
    for (const Unit& unit : row.codec->units()) {
      const std::uint32_t at = row.first + unit.first;
      if (receives(unit.receivers, owner_) && !is_extrapolated(unit, at)) function(unit, at);
    }
  }

  void code_unit(const Unit& unit, std::uint32_t at) {
    if (!unit.is_array()) return code_element(unit, at);
    const std::uint32_t all = unit.elements;
    // The counter stands before what it counts.
    const std::uint32_t counts =
        unit.counter == Unit::no_counter ? all : std::min(words_[at - unit.first + unit.counter], all);
    for (std::uint32_t i = 0; i < counts; ++i) {
      const std::uint32_t place = at + i * unit.words;
      bool is = false;
      if constexpr (!Io::reads) is = !same(words_ + place, baselines_.baseline + place, unit.words);
      if (io_.flag(is)) code_element(unit, place);
    }
    if constexpr (Io::reads) std::fill(words_ + at + counts * unit.words, words_ + at + all * unit.words, 0u);
  }

  void code_element(const Unit& unit, std::uint32_t at) {
    if (is_bit(unit)) return code_flip(at);
    switch (unit.kind) {
      case Unit::Kind::vector: return full_ ? code_plain(io_, unit, words_ + at) : code_still_vector(unit, at);
      case Unit::Kind::rotation: return full_ ? code_plain(io_, unit, words_ + at) : code_still_rotation(unit, at);
      case Unit::Kind::number: return code_number(io_, unit, baselines_.baseline + at, words_ + at);
      case Unit::Kind::plain: return code_plain(io_, unit, words_ + at);
      case Unit::Kind::text: return code_text(io_, unit, words_ + at);
      case Unit::Kind::entity: return code_entity(io_, words_ + at);
    }
  }

  // The baseline is the prediction.
  void code_still_vector(const Unit& unit, std::uint32_t at) {
    const std::uint32_t table = table_at_rest(ResidualFamily::vector);
    std::uint32_t symbol = 0;
    if constexpr (Io::reads) symbol = io_.symbol(table);
    code_residuals(at, {baselines_.baseline + at, unit.words}, unit.max.data(), 0, table, symbol);
  }
  void code_still_rotation(const Unit& unit, std::uint32_t at) {
    const RotationMotion still = motion_at_rest(unit, baselines_.baseline + at);
    const std::uint32_t table = table_at_rest(ResidualFamily::rotation);
    std::uint32_t omitted = baselines_.baseline[at];
    std::uint32_t symbol = 0;
    if constexpr (Io::reads) symbol = io_.symbol(table);
    symbol = code_omitted(at, table, symbol, omitted);
    code_rotation(unit, at, still, omitted, table, symbol);
  }

  // Courses -------------------------------------------------------------------------------------------------------

  void code_course(const EntityLayout::Row& row, const Unit& unit) {
    const CourseUnit& course = row.codec->courses()[unit.course];
    Words* const words = words_ + row.first;
    const std::uint32_t* const from = baselines_.baseline + row.first;
    bool is = false;
    if constexpr (Io::reads) {
      std::fill_n(words + course.course, course.course_words(), 0u);
    } else {
      is = is_under_way(course, words);
    }
    is = io_.flag(is);
    ecs::Tick began = tick_;
    if (is) began = code_course_begin(io_, course, tick_, words);
    if (!io_.ok()) return;
    const ecs::Tick age = course_age(course, from, began);
    full_ ? code_plain(io_, unit, words + unit.first) : code_course_value(row, unit, age);
    if (is) code_course_motion(io_, course, full_ ? nullptr : from, age, words);
  }

  void code_course_value(const EntityLayout::Row& row, const Unit& unit, ecs::Tick age) {
    const CourseUnit& course = row.codec->courses()[unit.course];
    const std::uint32_t at = row.first + unit.first;
    const std::uint32_t* const from = baselines_.baseline + row.first;
    const std::uint32_t level = std::min(half_octave(course.tolerance_steps), level_max);
    const std::uint32_t table = table_of(course.turns ? ResidualFamily::rotation : ResidualFamily::vector, level);
    std::uint32_t symbol = 0;
    if constexpr (Io::reads) symbol = io_.symbol(table);
    if (course.turns) {
      RotationMotion motion = motion_at_rest(rotation_at(course, from, age));
      motion.speed = course.tolerance_steps;
      std::uint32_t omitted = motion.turned;
      symbol = code_omitted(at, table, symbol, omitted);
      return code_rotation(unit, at, motion, omitted, table, symbol);
    }
    std::array<std::uint32_t, 4> predicted{};
    for (std::uint32_t i = 0; i < course.parts; ++i)
      predicted[i] =
          static_cast<std::uint32_t>((path_at(course, from, i, age) + course_fraction / 2) / course_fraction);
    code_residuals(at, {predicted.data(), unit.words}, unit.max.data(), course.tolerance_steps, table, symbol);
  }

  // A changed unit that has two values has only one value left.
  static bool is_bit(const Unit& unit) {
    return (unit.kind == Unit::Kind::plain || unit.kind == Unit::Kind::number) && unit.words == 1 && unit.max[0] == 1;
  }
  void code_flip(std::uint32_t at) {
    if constexpr (Io::reads) words_[at] = 1 - baselines_.baseline[at];
  }

  const EntityLayout& layout_;
  const bool owner_;
  const ecs::Tick tick_;
  Words* const words_;
  Baselines baselines_;
  const bool full_;
  Io& io_;
  bool others_ = false;
  bool others_sent_ = false;  // the first extrapolated unit has been coded, and `others` with it
  bool held_ = false;
  bool small_ = false;  // the numbers coded last were all small
  bool calm_ = false;   // so were those of the last extrapolated vector, and its motion is steady
  int surprise_ = 0;
};

}  // namespace

void EntityCodec::write_full(const std::uint32_t* words, core::BitWriter& writer) const {
  EntityBitsWriter io(writer);
  UnitTraversal<EntityBitsWriter>(layout_, owner_, tick_, words, {.baseline = layout_.defaults.data()}, true, io).run();
}

bool EntityCodec::read_full(core::BitReader& reader, std::uint32_t* words) const {
  EntityBitsReader io(reader);
  std::ranges::copy(layout_.defaults, words);
  return UnitTraversal<EntityBitsReader>(layout_, owner_, tick_, words, {.baseline = layout_.defaults.data()}, true, io)
      .run();
}

void EntityCodec::write_delta(const std::uint32_t* words, const Baselines& baselines, core::BitWriter& writer) const {
  EntityBitsWriter io(writer);
  UnitTraversal<EntityBitsWriter>(layout_, owner_, tick_, words, baselines, false, io).run();
}

void EntityCodec::measure_full(const std::uint32_t* words, core::BitWriter& writer,
                               std::span<std::uint32_t> row_bits) const {
  if (layout_.rows.empty()) return;
  EntityBitsMeter io(writer, row_bits);
  UnitTraversal<EntityBitsMeter>(layout_, owner_, tick_, words, {.baseline = layout_.defaults.data()}, true, io).run();
  io.leave();
}

void EntityCodec::measure_delta(const std::uint32_t* words, const Baselines& baselines, core::BitWriter& writer,
                                std::span<std::uint32_t> row_bits) const {
  if (layout_.rows.empty()) return;
  EntityBitsMeter io(writer, row_bits);
  UnitTraversal<EntityBitsMeter>(layout_, owner_, tick_, words, baselines, false, io).run();
  io.leave();
}

bool EntityCodec::read_delta(const Baselines& baselines, core::BitReader& reader, std::uint32_t* words) const {
  EntityBitsReader io(reader);
  std::copy_n(baselines.baseline, layout_.words, words);
  return UnitTraversal<EntityBitsReader>(layout_, owner_, tick_, words, baselines, false, io).run();
}

}  // namespace mobula::wire
