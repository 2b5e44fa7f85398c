// Components, entities and their words for the tests of the codec.
#pragma once

#include <algorithm>
#include <bit>
#include <kitchen/components.hpp>
#include <mobula/core/bit_stream.hpp>
#include <mobula/core/random.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/wire/entity_codec.hpp>
#include <reflect/compile_schema.hpp>
#include <string>
#include <vector>

namespace mobula::wire::test {

using Words = std::vector<std::uint32_t>;

// Tick of all states.
inline constexpr ecs::Tick tick = 100'000;

inline const reflect::Component& kitchen_component(std::string_view name) {
  static const std::shared_ptr<const reflect::Schema> schema = *reflect::Schema::load(kitchen::schema_bytes());
  return *schema->find(name);
}
inline const reflect::Component& demo_component(std::string_view name) {
  static const std::shared_ptr<const reflect::Schema> schema = *reflect::Schema::load(demo::schema_bytes());
  return *schema->find(name);
}

template <class T>
const std::byte* bytes_of(const T& value) {
  return reinterpret_cast<const std::byte*>(&value);
}
template <class T>
std::byte* bytes_of(T& value) {
  return reinterpret_cast<std::byte*>(&value);
}

// Encoded bits, and how many of the bytes' bits are used.
struct Bits {
  core::Bytes bytes;
  std::size_t bits = 0;

  bool operator==(const Bits&) const = default;
};

template <class Write>
Bits written(std::size_t bits_max, Write&& write) {
  Bits result{core::Bytes(bits_max / 8 + 1), 0};
  core::BitWriter writer(result.bytes);
  write(writer);
  MOBULA_ASSERT(writer.ok(), "the string is longer than was said");
  result.bits = writer.bits();
  result.bytes.resize(writer.bytes());
  return result;
}

// Every kind of unit, narrowest and widest.
inline constexpr std::string_view units_schema = R"(
  enum Two:ubyte { no = 0, yes }
  struct Coarse { l:ubyte (range:"0 3"); a:ubyte (bits:"2"); b:ubyte (bits:"2"); c:ubyte (bits:"2"); }
  struct Exact { l:uint (range:"0 3"); a:uint (bits:"16"); b:uint (bits:"16"); c:uint (bits:"16"); }
  struct Wide { x:double; y:double; z:double; w:double; v:double; }
  struct Thin { x:float; y:float; }
  struct Line { text:[ubyte:5] (fixed_string); n:byte; }
  struct Turn { q:mobula.engine.Quat (unit_quaternion, bits:"9", default:"0 0 0 1"); }
  struct Moving (component) {
    position:mobula.engine.Vec3 (range:"-512 512", step:"0.01");
    rotation:mobula.engine.Quat (unit_quaternion, bits:"10", default:"0 0 0 1");
    exact:mobula.engine.Quat (unit_quaternion, bits:"16", default:"0 0 0 1");
  }
  struct Sailing (component) {
    position:mobula.engine.Vec3 (range:"-512 512", step:"0.01", dead_reckoning:"0.02");
    rotation:mobula.engine.Quat (unit_quaternion, bits:"10", default:"0 0 0 1", dead_reckoning:"0.01");
    depth:double (range:"0 4294967295", step:"1", dead_reckoning:"1");
    sharp:mobula.engine.Quat (unit_quaternion, bits:"16", default:"0 0 0 1", dead_reckoning:"1");
    own:int (owner_only);
  }
  struct Edges (component) {
    wide:Wide (range:"-1000 1000", bits:"32");
    thin:Thin (range:"0 1", step:"1");
    alone:float (range:"0 1", bits:"15");
    coarse:Coarse (smallest_three);
    sharp:Exact (smallest_three);
  }
  struct Rest (component) {
    a:bool; two:Two; bit:ubyte (bits:"1"); all:uint; most:int (range:"-2147483648 2147483647"); small:byte;
    far:long; ranged:long (range:"-9007199254740992 9007199254740992"); real:double; turn:mobula.engine.Quat (unit_quaternion, default:"0 0 0 1");
    lines:[Line:3] (count:"n"); flags:[bool:9] (count:"m"); n:ubyte; m:ushort; who:mobula.engine.EntityRef;
    turns:[Turn:2]; heights:[float:4] (range:"0 1", bits:"9");
    twos:[Two:3];
  }
  struct Own (component) {
    seen:int; place:mobula.engine.Vec3 (range:"0 100", step:"0.1", owner_only); turn:Coarse (smallest_three, owner_only);
    items:[ushort:5] (count:"n", owner_only); n:ubyte (owner_only); hidden:int (not_sent); last:bool;
  }
  struct Lines (component) { lines:[Line:3]; }
  struct Lone (component) { n:short; }
)";

// Fields that others follow as courses and the owner receives exactly, beside all other kinds.
inline constexpr std::string_view piloted_schema = R"(
  struct Mixed { x:float (predicted, dead_reckoning:"0.5"); y:float (dead_reckoning:"0.5"); z:float (predicted); }
  struct Piloted (component) {
    own:int (owner_only); position:mobula.engine.Vec3 (range:"-512 512", step:"0.01", dead_reckoning:"0.02", predicted);
    seen:int; rotation:mobula.engine.Quat (unit_quaternion, bits:"10", default:"0 0 0 1", dead_reckoning:"0.01", predicted);
    depth:double (range:"0 100", step:"1", dead_reckoning:"1", velocity:"Piloted.sinking"); mixed:Mixed (range:"0 100", step:"0.5");
    items:[ushort:5] (count:"n", owner_only); n:ubyte (owner_only); turn:mobula.engine.Quat (unit_quaternion, bits:"9", default:"0 0 0 1", predicted);
    sinking:float (not_sent);
  }
)";

// Random words, and others near them -----------------------------------------------------

inline std::uint32_t any_below(core::Random& random, std::uint32_t max) {
  switch (random.below(5)) {
    case 0: return 0;
    case 1: return max;
    case 2: return std::min(max, random.below(20));
    default: return static_cast<std::uint32_t>(random.next() % (std::uint64_t{max} + 1));
  }
}

inline std::uint32_t near(core::Random& random, std::uint32_t value, std::uint32_t max) {
  const std::int64_t reach = std::int64_t{1} << random.below(1 + random.below(33));
  const auto step = static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(2 * reach + 1)) - reach;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value + step, 0, max));
}

inline void random_text(std::uint32_t bytes_max, core::Random& random, std::uint32_t* words) {
  const std::uint32_t length = any_below(random, bytes_max);
  words[0] = length;
  std::fill_n(words + 1, (bytes_max + 3) / 4, 0u);
  for (std::uint32_t i = 0; i < length; ++i) words[1 + i / 4] |= (1 + random.below(255)) << (i % 4 * 8);
}

// Changes an element; in `chance_near` of 8 cases to a value near its current one.
inline void random_element(const Unit& unit, core::Random& random, std::uint32_t chance_near, std::uint32_t* words) {
  if (unit.kind == Unit::Kind::text) return random_text(unit.max[0], random, words);
  if (unit.kind == Unit::Kind::entity) {
    words[1] = random.chance(1, 3) ? 0 : std::max(1u, any_below(random, 0xffffffff));
    words[0] = words[1] == 0 ? 0 : any_below(random, 0xffffffff);
    return;
  }
  const bool close = random.chance(chance_near, 8);
  for (std::uint32_t i = 0; i < unit.words; ++i)
    words[i] = close ? near(random, words[i], unit.max[i]) : any_below(random, unit.max[i]);
}

// Changes a course to one that a state of `tick` may have, often by a little.
inline void random_course(const CourseUnit& unit, core::Random& random, std::uint32_t* row) {
  std::uint32_t* const course = row + unit.course;
  const std::int64_t reach = std::int64_t{1} << random.below(unit.turns ? 20 : 27);
  const bool from_rest = random.chance(1, 2);
  for (std::uint32_t i = 0; i + 1 < unit.course_words(); ++i) {
    const std::int64_t before = from_rest ? 0 : static_cast<std::int32_t>(course[i]);
    const auto step = static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(2 * reach + 1)) - reach;
    const std::int64_t most = unit.turns ? course_turn_one / 2 : course_velocity_max;
    course[i] = static_cast<std::uint32_t>(std::clamp(before + step, -most, most));
  }
  if (!unit.turns && random.chance(1, 2)) std::fill_n(course + unit.parts, unit.parts, 0u);
  row[unit.tick_word()] = tick - (random.chance(1, 2) ? 0 : random.below(path_age_max));
  if (random.chance(1, 4) || !is_course(unit, row)) std::fill_n(course, unit.course_words(), 0u);
}

// Changes each unit with probability `chance` / 8.
inline void change(const EntityLayout& layout, core::Random& random, std::uint32_t chance, std::uint32_t chance_near,
                   Words& words) {
  for (const EntityLayout::Row& row : layout.rows) {
    for (const Unit& unit : row.codec->units()) {
      std::uint32_t* const first = words.data() + row.first + unit.first;
      const std::uint32_t count = unit.counter == Unit::no_counter ? unit.elements : words[row.first + unit.counter];
      const bool changes = random.chance(chance, 8);
      for (std::uint32_t i = 0; i < unit.elements; ++i) {
        if (i >= count) {
          std::fill_n(first + i * unit.words, unit.words, 0u);
        } else if (changes && (unit.elements == 1 || random.chance(1, 2))) {
          random_element(unit, random, chance_near, first + i * unit.words);
        }
      }
      if (changes && unit.course != Unit::no_course && random.chance(3, 4))
        random_course(row.codec->courses()[unit.course], random, words.data() + row.first);
    }
  }
}

// Copies the words of `from` that the owner, or another client, does not receive.
inline Words as_received(const EntityLayout& layout, bool owner, const Words& words, const Words& from) {
  Words seen = words;
  for (const EntityLayout::Row& row : layout.rows) {
    const std::uint32_t first = owner ? row.codec->common_words() : row.codec->public_words();
    const std::uint32_t end = owner ? row.codec->public_words() : row.codec->words();
    for (std::uint32_t i = row.first + first; i < row.first + end; ++i) seen[i] = from[i];
  }
  return seen;
}

}  // namespace mobula::wire::test
