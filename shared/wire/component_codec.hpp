// One component's value as a string of bits, which ends where it ends: nothing around it
// says how long it is. What the bits are follows from the schema alone:
//
//   fields by offset, those that count others first; not those that are not_sent or owner_only
//   bool            1 bit
//   integer         its own width; ranged: value - low in the bits of the range
//   enum            the place in the list of values, in the bits the last place needs
//   float           its own 32 or 64 bits; ranged: steps from low in the bits of the range
//   unit quaternion four floats of 32 bits; with bits b: 2 bits say which part is left out (the greatest,
//                   made positive), then the others in order, b bits each: 2^(b-1) - 1 + part / unit,
//                   where 2^(b-1) - 1 units are the square root of 1/2
//   string id       32 bits
//   entity          1 bit: is there one; then the index (exp-Golomb, order 12), then 32 bits of generation
//   fixed string    its length in the bits that the greatest length needs, then its bytes
//   array           its elements, only those that count
//
// Invariant: decode accepts exactly what encode can write, and encode(decode(bits)) == bits.
// Immutable; any number of threads may use one.
#pragma once

#include <cstdint>
#include <mobula/core/bit_stream.hpp>
#include <mobula/reflect/quantise.hpp>
#include <mobula/reflect/schema.hpp>
#include <vector>

namespace mobula::wire {

class ComponentCodec {
 public:
  // What the codec knows of one field; `kind` points into a table of functions by kind.
  struct Kind;
  struct FieldCodec {
    const Kind* kind = nullptr;
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
    std::uint32_t count = 1;
    std::uint32_t stride = 0;
    std::uint32_t bits = 0;
    std::uint32_t counter_offset = 0;  // where the number of elements that count is,
    std::uint32_t counter_size = 0;    // in so many bytes; 0: all count
    std::uint64_t steps = 0;
    std::uint64_t low = 0;  // of ranged integers, in two's complement
    reflect::Quantiser quantiser;
    std::vector<std::int64_t> enum_values;
  };

  explicit ComponentCodec(const reflect::Component& component);

  // No value takes more.
  [[nodiscard]] std::uint32_t max_bits() const { return max_bits_; }

  // `component`: its bytes, aligned or not. Values that cannot be sent are encoded as the nearest that can.
  void encode(const std::byte* component, core::BitWriter& writer) const;

  // False if no encode wrote these bits, or they end too early; `component` is then as it was. Bytes
  // that do not travel (fields, padding) stay; array elements that do not count become zero.
  bool decode(core::BitReader& reader, std::byte* component) const;

  // Makes of each value that travels what decode(encode) would make of it.
  void snap(std::byte* component) const;

 private:
  std::vector<FieldCodec> fields_;
  std::uint32_t size_ = 0;
  std::uint32_t max_bits_ = 0;
};

}  // namespace mobula::wire
