#include <algorithm>
#include <array>
#include <cmath>
#include <mobula/core/assert.hpp>
#include <mobula/wire/row_codec.hpp>

namespace mobula::wire {
namespace {

using reflect::Component;
using reflect::Field;
using reflect::FieldKind;

std::string_view parent(const Field& field) {
  const std::string_view path = field.path;
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

bool is_array(const Field& field) { return field.count > 1 || field.count_field >= 0; }

bool is_vector_part(const Field& field) { return reflect::is_float(field.kind) && field.ranged && !is_array(field); }

// A predicted field with dead_reckoning is sent twice: as a course, and exactly.
bool is_sent_to(const Field& field, Receivers receivers) {
  if (field.not_sent) return false;
  if (field.owner_only) return receivers == Receivers::owner;
  const bool twice = field.predicted && field.tolerance > 0;
  return twice == (receivers != Receivers::everyone);
}

bool continues(const Unit& unit, const Field& before, const Field& field) {
  // Numbers of a course have one size and one tolerance.
  const bool one_course = before.tolerance == field.tolerance && (field.tolerance == 0 || before.kind == field.kind);
  const bool alike = before.owner_only == field.owner_only && one_course;
  if (!alike || parent(before) != parent(field) || parent(field).empty()) return false;
  if (unit.kind == Unit::Kind::vector) return unit.words < 4 && is_vector_part(before) && is_vector_part(field);
  return unit.kind == Unit::Kind::rotation && unit.words < 4 && field.smallest_three;
}

Unit::Kind unit_kind(const Field& field) {
  switch (field.kind) {
    case FieldKind::entity: return Unit::Kind::entity;
    case FieldKind::fixed_string: return Unit::Kind::text;
    case FieldKind::unit_quaternion:
      return field.bits > 0 && !is_array(field) ? Unit::Kind::rotation : Unit::Kind::plain;
    default: break;
  }
  if (is_vector_part(field)) return Unit::Kind::vector;
  if (field.smallest_three) return Unit::Kind::rotation;
  const bool near = (reflect::is_integer(field.kind) || field.ranged) && field.enum_values.empty();
  return near && (field.bits > 0 ? field.bits : field.size * 8) <= 32 ? Unit::Kind::number : Unit::Kind::plain;
}

// Sets the bits and the greatest value of each word of a value.
void describe_words(const Field& field, std::uint32_t words, Unit& unit, std::size_t at) {
  const auto set = [&](std::size_t word, std::uint32_t bits, std::uint64_t max) {
    unit.bits[at + word] = static_cast<std::uint8_t>(bits);
    unit.max[at + word] = static_cast<std::uint32_t>(std::min<std::uint64_t>(max, 0xffffffff));
  };
  if (field.kind == FieldKind::fixed_string) return set(0, 0, field.size);
  if (field.kind == FieldKind::entity) return;
  if (field.kind == FieldKind::unit_quaternion && field.bits > 0) {
    set(0, 2, 3);
    for (std::size_t i = 1; i < 4; ++i) set(i, field.bits, 2 * ((1u << (field.bits - 1)) - 1));
    return;
  }
  if (field.kind == FieldKind::unit_quaternion) {
    for (std::size_t i = 0; i < 4; ++i) set(i, 32, 0xffffffff);
    return;
  }
  const bool coded = field.bits > 0 || !field.enum_values.empty();
  const std::uint32_t bits = coded ? field.bits : field.kind == FieldKind::boolean ? 1 : field.size * 8;
  const std::uint64_t max = coded ? field.steps : bits == 64 ? ~0ull : (1ull << bits) - 1;
  set(0, std::min(bits, 32u), max);
  if (words == 2) set(1, bits - 32, max >> 32);
}

// Returns the tolerance in steps of a number, or of a part of a rotation, rounded up.
std::uint32_t tolerance_steps(const Field& field) {
  const double per_unit =
      field.kind == FieldKind::unit_quaternion ? ((1u << (field.bits - 1)) - 1) * std::sqrt(2.0) : 1 / field.step;
  return static_cast<std::uint32_t>(std::min(std::ceil(field.tolerance * per_unit), 1e6));
}

}  // namespace

std::string unit_path(const Component& component, const Unit& unit) {
  const Field& field = component.fields[unit.field];
  const bool has_several = field.kind != FieldKind::unit_quaternion && !unit.is_array() && unit.words > 1 &&
                           (unit.kind == Unit::Kind::vector || unit.kind == Unit::Kind::rotation);
  const bool is_first = unit.field == 0 || parent(component.fields[unit.field - 1u]) != parent(field);
  return has_several && is_first ? std::string(parent(field)) : field.path;
}

RowCodec::RowCodec(const Component& component) : bits_max_(component.sent_bits_max) {
  if (component.not_sent) return;
  std::vector<bool> counts(component.fields.size());
  for (const Field& field : component.fields)
    if (field.count_field >= 0) counts[static_cast<std::size_t>(field.count_field)] = true;
  add_section(component, counts, Receivers::everyone);
  common_words_ = words_;
  common_fields_ = fields_.size();
  add_section(component, counts, Receivers::others);
  public_words_ = words_;
  public_fields_ = fields_.size();
  add_section(component, counts, Receivers::owner);
  default_words_.resize(words_);
  to_words(component.default_value.data(), default_words_.data());
}

void RowCodec::add_section(const Component& component, const std::vector<bool>& counts, Receivers receivers) {
  const std::size_t first_field = fields_.size();
  const std::size_t first_unit = units_.size();
  for (const bool counters : {true, false}) {
    for (std::size_t i = 0; i < component.fields.size(); ++i)
      if (counts[i] == counters && is_sent_to(component.fields[i], receivers)) add_field(component, i, receivers);
  }
  for (std::size_t i = first_field; i < fields_.size(); ++i) add_unit(component, i, receivers);
  if (receivers != Receivers::owner) add_courses(component, first_unit);
}

void RowCodec::add_field(const Component& component, std::size_t which, Receivers receivers) {
  const Field& field = component.fields[which];
  FieldPlace place{.codec = field_words(field),
                   .first = words_,
                   .offset = field.offset,
                   .count = field.count,
                   .stride = field.stride,
                   .owner_only = field.owner_only,
                   .predicted = field.predicted && receivers != Receivers::others};
  if (field.count_field >= 0) {
    const Field& counter = component.fields[static_cast<std::size_t>(field.count_field)];
    place.counter_offset = counter.offset;
    place.counter_size = counter.size;
  }
  words_ += place.codec.words * field.count;
  MOBULA_ASSERT(words_ < Unit::no_counter, "a row's words are counted in 16 bits");
  has_predicted_ = has_predicted_ || field.predicted;
  fields_.push_back(std::move(place));
  order_.push_back(static_cast<std::uint16_t>(which));
}

std::uint16_t RowCodec::word_of(const Component& component, std::int32_t counter) const {
  if (counter < 0) return Unit::no_counter;
  MOBULA_ASSERT(static_cast<std::size_t>(counter) < component.fields.size(), "a counter is a field");
  const auto found = std::find(order_.begin(), order_.end(), static_cast<std::uint16_t>(counter));
  return static_cast<std::uint16_t>(fields_[static_cast<std::size_t>(found - order_.begin())].first);
}

void RowCodec::add_unit(const Component& component, std::size_t which, Receivers receivers) {
  const Field& field = component.fields[order_[which]];
  const FieldPlace& place = fields_[which];
  const bool same_receivers = !units_.empty() && units_.back().receivers == receivers;
  if (same_receivers && continues(units_.back(), component.fields[order_[which - 1]], field)) {
    Unit& unit = units_.back();
    describe_words(field, 1, unit, unit.words);
    ++unit.words;
    return;
  }
  Unit unit{.kind = unit_kind(field),
            .receivers = receivers,
            .first = static_cast<std::uint16_t>(place.first),
            .words = static_cast<std::uint16_t>(place.codec.words),
            .elements = static_cast<std::uint16_t>(field.count),
            .counter = word_of(component, field.count_field),
            .field = order_[which]};
  describe_words(field, place.codec.words, unit, 0);
  if (field.cut) cuts_.push_back({place.first, place.codec.words});
  units_.push_back(unit);
}

void RowCodec::add_courses(const Component& component, std::size_t first_unit) {
  for (Unit& unit : std::span(units_).subspan(first_unit)) {
    const Field& field = component.fields[unit.field];
    if (field.tolerance == 0) continue;
    CourseUnit course{
        .turns = unit.kind == Unit::Kind::rotation,
        .for_others = unit.receivers == Receivers::others,
        .parts = static_cast<std::uint8_t>(unit.words),
        .part_bytes = static_cast<std::uint8_t>(field.kind == FieldKind::unit_quaternion ? sizeof(float) : field.size),
        .first = unit.first,
        .course = static_cast<std::uint16_t>(words_),
        .bits = field.bits,
        .tolerance = field.tolerance,
        .tolerance_steps = tolerance_steps(field)};
    course.first_field = static_cast<std::uint16_t>(std::ranges::find(order_, unit.field) - order_.begin());
    for (std::uint32_t i = 0; i < course.fields(); ++i) {
      FieldPlace& part = fields_[course.first_field + i];
      part.follows = true;
      course.offsets[i] = part.offset;
      course.max[i] = part.codec.steps;
      course.quantisers[i] = part.codec.quantiser;
    }
    unit.course = static_cast<std::uint16_t>(courses_.size());
    words_ += course.course_words();
    courses_.push_back(course);
  }
}

std::vector<ByteRange> RowCodec::other_ranges() const {
  std::vector<ByteRange> ranges;
  for (const FieldPlace& field : fields_)
    if (!field.follows) ranges.push_back({field.offset, (field.count - 1) * field.stride + field.codec.size});
  std::ranges::sort(ranges, {}, &ByteRange::offset);
  std::vector<ByteRange> merged;
  for (const ByteRange& range : ranges) {
    if (!merged.empty() && merged.back().offset + merged.back().size == range.offset) {
      merged.back().size += range.size;
    } else {
      merged.push_back(range);
    }
  }
  return merged;
}

// Returns the number of elements in use, limited to the array's size whatever the counter in memory is.
std::uint32_t RowCodec::elements(const FieldPlace& field, const std::byte* component) {
  if (field.counter_size == 0) return field.count;
  std::uint32_t counter = 0;
  std::memcpy(&counter, component + field.counter_offset, field.counter_size);
  return std::min(counter, field.count);
}

void RowCodec::to_words(const std::byte* component, std::uint32_t* words) const {
  for (const FieldPlace& field : fields_) write_words(field, component, words);
  for (const CourseUnit& course : courses_) std::fill_n(words + course.course, course.course_words(), 0u);
}

void RowCodec::to_other_words(const std::byte* component, std::uint32_t* words) const {
  for (const FieldPlace& field : fields_)
    if (!field.follows) write_words(field, component, words);
}

void RowCodec::to_course_words(const CourseUnit& course, const std::byte* component, std::uint32_t* words) const {
  for (std::uint32_t i = 0; i < course.fields(); ++i) write_words(fields_[course.first_field + i], component, words);
  std::fill_n(words + course.course, course.course_words(), 0u);
}

void RowCodec::write_words(const FieldPlace& field, const std::byte* component, std::uint32_t* words) {
  const std::uint32_t count = elements(field, component);
  std::uint32_t* word = words + field.first;
  const std::byte* at = component + field.offset;
  for (std::uint32_t i = 0; i < count; ++i, at += field.stride, word += field.codec.words)
    field.codec.to_words(field.codec, at, word);
  std::fill(word, words + field.first + std::size_t{field.count} * field.codec.words, 0u);
}

bool RowCodec::to_component(const std::uint32_t* words, bool owner, ecs::Tick tick, std::byte* component) const {
  if (!to_fields(0, owner ? common_fields_ : public_fields_, words, component)) return false;
  if (owner && !to_fields(public_fields_, fields_.size(), words, component)) return false;
  for (const CourseUnit& course : courses_) {
    if (owner && course.for_others) continue;
    if (words[course.tick_word()] == 0 && !is_under_way(course, words)) continue;
    if (!is_course(course, words)) return false;
    write_course_value(course, words, tick, component);
  }
  return true;
}

// Writes the fields from place `first` to `end`. False if the words are no value of one.
bool RowCodec::to_fields(std::size_t first, std::size_t end, const std::uint32_t* words, std::byte* component) const {
  for (std::size_t i = first; i < end; ++i) {
    const FieldPlace& field = fields_[i];
    const std::uint32_t count = elements(field, component);
    const std::uint32_t* word = words + field.first;
    std::byte* at = component + field.offset;
    for (std::uint32_t element = 0; element < count; ++element, at += field.stride, word += field.codec.words)
      if (!field.codec.to_value(field.codec, word, at)) return false;
    for (std::uint32_t element = count; element < field.count; ++element, at += field.stride)
      std::memset(at, 0, field.codec.size);
    const std::uint32_t* const end_word = words + field.first + std::size_t{field.count} * field.codec.words;
    if (!std::all_of(word, end_word, [](std::uint32_t each) { return each == 0; })) return false;
  }
  return true;
}

void RowCodec::reset_owner_only(const std::byte* defaults, std::byte* component) const {
  for (std::size_t i = public_fields_; i < fields_.size(); ++i)
    for (std::uint32_t element = 0; fields_[i].owner_only && element < fields_[i].count; ++element) {
      const std::size_t at = fields_[i].offset + std::size_t{element} * fields_[i].stride;
      std::memcpy(component + at, defaults + at, fields_[i].codec.size);
    }
}

void RowCodec::snap_predicted(std::byte* component) const {
  // Uninitialised: to_words writes the words that are used.
  std::array<std::uint32_t, 2 + reflect::Limits::component_bytes / 4> words;
  for (const FieldPlace& field : fields_) {
    if (!field.predicted) continue;
    const std::uint32_t count = elements(field, component);
    std::byte* at = component + field.offset;
    for (std::uint32_t i = 0; i < field.count; ++i, at += field.stride) {
      if (i >= count) {
        std::memset(at, 0, field.codec.size);
        continue;
      }
      field.codec.to_words(field.codec, at, words.data());
      field.codec.to_value(field.codec, words.data(), at);
    }
  }
}

}  // namespace mobula::wire
