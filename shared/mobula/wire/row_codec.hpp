// One component as whole numbers, and back: what is published, kept as a baseline, hashed and sent.
//
// A row is an array of 32-bit words. What they are follows from the schema alone: the fields by offset, those that
// count others first, those that are owner_only last; none that is not_sent. A field is
//   bool            0 or 1
//   integer         its own bits; ranged: value - low; of more than 32 bits: two words, the low one first
//   enum            the place in the list of values
//   float           its own bits, a double in two words; ranged: steps from low
//   unit quaternion the bits of x, y, z, w; with bits b: which part is left out (the greatest, made positive), then the
//                   others in order: 2^(b-1) - 1 + part / unit, where 2^(b-1) - 1 units are the square root of 1/2
//   string id       its bits
//   entity          index, generation; two zeros for none
//   fixed string    its length, then its bytes, four to a word, zero-filled
//   array           its elements; those that do not count are zeros
//
// Units are the parts of a row that change, and are sent, together: up to four ranged floats that stand side by side in
// a struct are a vector, four integers that are smallest_three a rotation, each other field a unit of its own.
// Immutable; any number of threads may use one.
#pragma once

#include <array>
#include <cstdint>
#include <mobula/reflect/schema.hpp>
#include <mobula/wire/field_words.hpp>
#include <span>
#include <vector>

namespace mobula::wire {

struct Unit {
  enum class Kind : std::uint8_t {
    vector,    // numbers that move on as they moved before
    rotation,  // which part is left out, then the codes of the other three
    number,    // an integer, near what it was
    plain,     // bits, near nothing
    text,      // length, bytes
    entity,
  };
  static constexpr std::uint16_t no_counter = 0xffff;

  Kind kind = Kind::plain;
  bool owner_only = false;
  std::uint16_t first = 0;             // its first word
  std::uint16_t words = 1;             // of one element
  std::uint16_t elements = 1;          // of an array
  std::uint16_t counter = no_counter;  // the word that says how many of them count
  std::array<std::uint8_t, 4> bits{};  // of each word of an element; not of text and entity
  std::array<std::uint32_t, 4> max{};  // and its greatest value; of text: [0] bytes
  std::uint16_t field = 0;             // of the component: the first that it is made of

  [[nodiscard]] bool is_array() const { return elements > 1 || counter != no_counter; }
  [[nodiscard]] std::uint32_t size() const { return std::uint32_t{words} * elements; }
};

class RowCodec {
 public:
  explicit RowCodec(const reflect::Component& component);

  // Of a row; the first `public_words` are for everyone, the rest for the entity's owner.
  [[nodiscard]] std::uint32_t words() const { return words_; }
  [[nodiscard]] std::uint32_t public_words() const { return public_words_; }
  [[nodiscard]] std::span<const Unit> units() const { return units_; }
  [[nodiscard]] std::span<const std::uint32_t> default_words() const { return default_words_; }

  // `component`: its bytes, aligned or not. Values that cannot be sent become the nearest that can.
  void to_words(const std::byte* component, std::uint32_t* words) const;
  // False if no value has these words; `component` is then partly written. Bytes that do not travel (fields, padding),
  // and those of owner_only fields if not `owner`, stay; array elements that do not count become zero.
  bool to_component(const std::uint32_t* words, bool owner, std::byte* component) const;

  // For whom is not the owner: owner_only fields become those of `defaults`.
  void forget_owned(const std::byte* defaults, std::byte* component) const;
  // Makes of each field that is `predicted` what a mirror makes of it.
  void snap_predicted(std::byte* component) const;
  [[nodiscard]] bool has_predicted() const { return has_predicted_; }

 private:
  struct FieldPlace {
    FieldWords codec;
    std::uint32_t first = 0;  // word
    std::uint32_t offset = 0;
    std::uint32_t count = 1;
    std::uint32_t stride = 0;
    std::uint32_t counter_offset = 0;  // where the number of elements that count is,
    std::uint32_t counter_size = 0;    // in so many bytes; 0: all count
    bool predicted = false;
  };

  static std::uint32_t elements(const FieldPlace& field, const std::byte* component);
  void add_field(const reflect::Component& component, std::size_t which);
  void add_unit(const reflect::Component& component, std::size_t which);
  [[nodiscard]] std::uint16_t word_of(const reflect::Component& component, std::int32_t counter) const;

  std::vector<FieldPlace> fields_;
  std::vector<std::uint16_t> order_;  // beside fields_: the component's
  std::vector<Unit> units_;
  std::vector<std::uint32_t> default_words_;
  std::uint32_t words_ = 0;
  std::uint32_t public_words_ = 0;
  std::size_t public_fields_ = 0;
  bool has_predicted_ = false;
};

}  // namespace mobula::wire
