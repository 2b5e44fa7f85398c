// One component as 32-bit words, and back. These words, a row, are published, kept as baselines, hashed and sent.
// entity_codec.hpp turns the rows of an entity into bits.
//
// The schema alone determines them: the fields by offset, those that count others first, those that are owner_only
// last, without those that are not_sent. A field is
//   bool            0 or 1
//   integer         its own bits; ranged: value - low; of more than 32 bits: two words, the low one first
//   enum            its position in the list of values
//   float           its own bits, a double in two words; ranged: steps from low
//   unit quaternion the bits of x, y, z, w; with bits b: which part is omitted (the greatest, made positive), then the
//                   others in order: 2^(b-1) - 1 + part / unit, where 2^(b-1) - 1 units are the square root of 1/2
//   string id       its bits
//   entity          index, generation; two zeros for null
//   fixed string    its length, then its bytes, four to a word, zero-filled
//   array           its elements; those not in use are zeros
// The courses of fields with dead_reckoning (course.hpp) follow the words that everyone receives.
//
// A predicted field with dead_reckoning is in the row twice: as a course for all but the owner, and exactly for the
// owner. So a row is
//   words for everyone, their courses | words for the others, their courses | words for the owner
//
// Units are the parts of a row that change and are sent together. Up to four ranged floats side by side in a struct are
// a vector. Four integers that are smallest_three are a rotation. Each other field is a unit of its own. Immutable and
// thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <mobula/reflect/schema.hpp>
#include <mobula/wire/course.hpp>
#include <mobula/wire/field_words.hpp>
#include <span>
#include <string>
#include <vector>

namespace mobula::wire {

/// Clients that receive a unit. `others` are all but the entity's owner.
enum class Receivers : std::uint8_t { everyone, others, owner };

/// Returns whether the owner, or another client, receives it.
[[nodiscard]] constexpr bool receives(Receivers receivers, bool owner) {
  return receivers == Receivers::everyone || (receivers == Receivers::owner) == owner;
}

/// Part of a row that is sent as one.
struct Unit {
  enum class Kind : std::uint8_t {
    vector,    // numbers that are extrapolated
    rotation,  // the omitted part, then the codes of the other three
    number,    // an integer, often near its baseline
    plain,     // bits, without relation to the baseline
    text,      // length, bytes
    entity,
  };
  static constexpr std::uint16_t no_counter = 0xffff;
  static constexpr std::uint16_t no_course = 0xffff;

  Kind kind = Kind::plain;
  Receivers receivers = Receivers::everyone;
  std::uint16_t first = 0;             // its first word
  std::uint16_t words = 1;             // words of one element
  std::uint16_t elements = 1;          // length of an array
  std::uint16_t counter = no_counter;  // word that holds the number of elements in use
  std::array<std::uint8_t, 4> bits{};  // bits of each word of an element; unused in text and entity
  std::array<std::uint32_t, 4> max{};  // greatest value of each word; [0] of a text: bytes
  std::uint16_t field = 0;             // its first field in the component
  std::uint16_t course = no_course;    // its CourseUnit in RowCodec::courses()

  [[nodiscard]] bool is_array() const { return elements > 1 || counter != no_counter; }
  // Whether it is extrapolated from its baselines when these differ.
  [[nodiscard]] bool can_extrapolate() const {
    return (kind == Kind::vector || kind == Kind::rotation) && course == no_course;
  }
  [[nodiscard]] std::uint32_t size() const { return std::uint32_t{words} * elements; }
};

/// Returns the path of the field that a unit is, or of the struct whose numbers it has, such as "position". Units of a
/// component have different paths.
std::string unit_path(const reflect::Component& component, const Unit& unit);

/// Words of a row or of an entity.
struct WordRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// Bytes of a component.
struct ByteRange {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

/// Converts components of one type to rows and back.
class RowCodec {
 public:
  explicit RowCodec(const reflect::Component& component);

  /// Returns the number of words of a row.
  [[nodiscard]] std::uint32_t words() const { return words_; }
  /// Returns an upper bound for the bits of a row.
  [[nodiscard]] std::uint32_t bits_max() const { return bits_max_; }
  /// Returns the number of words that everyone receives. They come first.
  [[nodiscard]] std::uint32_t common_words() const { return common_words_; }
  /// Returns the number of words that clients receive which do not own the entity. The rest is sent to its owner alone.
  [[nodiscard]] std::uint32_t public_words() const { return public_words_; }
  /// Returns whether there are words that all but the owner receive.
  [[nodiscard]] bool has_words_for_others() const { return common_words_ != public_words_; }
  [[nodiscard]] std::span<const Unit> units() const { return units_; }
  /// Returns the units that follow courses.
  [[nodiscard]] std::span<const CourseUnit> courses() const { return courses_; }
  /// Returns the number in the component of the codec's field at a place.
  [[nodiscard]] std::uint16_t field(std::size_t place) const { return order_[place]; }
  /// Returns the places of the fields that are `cut`.
  [[nodiscard]] std::span<const WordRange> cuts() const { return cuts_; }
  [[nodiscard]] std::span<const std::uint32_t> default_words() const { return default_words_; }
  /// Returns the bytes of the fields that are sent and follow no course, by offset.
  [[nodiscard]] std::vector<ByteRange> other_ranges() const;

  /// Writes the words of a component, whose bytes need not be aligned. Values that cannot be sent become the nearest
  /// that can. Its courses are at rest.
  void to_words(const std::byte* component, std::uint32_t* words) const;
  /// Writes the words of a component without those of units that follow courses.
  void to_other_words(const std::byte* component, std::uint32_t* words) const;
  /// Writes the words of one such unit and its course, at rest.
  void to_course_words(const CourseUnit& course, const std::byte* component, std::uint32_t* words) const;
  /// Writes the component that has these words at a tick. False if none has; `component` is then partly written.
  ///
  /// Bytes that are not sent (fields, padding) keep their values, as do owner_only fields without `owner`. Words that
  /// the owner, or others, do not receive are not read. Array elements not in use become zero.
  bool to_component(const std::uint32_t* words, bool owner, ecs::Tick tick, std::byte* component) const;

  /// Sets the owner_only fields to those of `defaults`, for clients that do not own the entity.
  void reset_owner_only(const std::byte* defaults, std::byte* component) const;
  /// Replaces each field that is `predicted` by the value that mirrors decode.
  void snap_predicted(std::byte* component) const;
  [[nodiscard]] bool has_predicted() const { return has_predicted_; }

 private:
  struct FieldPlace {
    FieldWords codec;
    std::uint32_t first = 0;  // word
    std::uint32_t offset = 0;
    std::uint32_t count = 1;
    std::uint32_t stride = 0;
    std::uint32_t counter_offset = 0;  // place of the number of elements in use
    std::uint32_t counter_size = 0;    // its bytes; 0 if all elements are in use
    bool owner_only = false;
    bool predicted = false;  // its words are exact
    bool follows = false;    // a course
  };

  static void write_words(const FieldPlace& field, const std::byte* component, std::uint32_t* words);
  static std::uint32_t elements(const FieldPlace& field, const std::byte* component);
  void add_section(const reflect::Component& component, const std::vector<bool>& counts, Receivers receivers);
  void add_field(const reflect::Component& component, std::size_t which, Receivers receivers);
  void add_unit(const reflect::Component& component, std::size_t which, Receivers receivers);
  void add_courses(const reflect::Component& component, std::size_t first_unit);
  bool to_fields(std::size_t first, std::size_t end, const std::uint32_t* words, std::byte* component) const;
  [[nodiscard]] std::uint16_t word_of(const reflect::Component& component, std::int32_t counter) const;

  std::vector<FieldPlace> fields_;
  std::vector<std::uint16_t> order_;  // beside fields_: their numbers in the component
  std::vector<Unit> units_;
  std::vector<CourseUnit> courses_;
  std::vector<WordRange> cuts_;
  std::vector<std::uint32_t> default_words_;
  std::uint32_t words_ = 0;
  std::uint32_t bits_max_ = 0;
  std::uint32_t common_words_ = 0;
  std::uint32_t public_words_ = 0;
  std::size_t common_fields_ = 0;
  std::size_t public_fields_ = 0;
  bool has_predicted_ = false;
};

}  // namespace mobula::wire
