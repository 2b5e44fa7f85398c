// One entity's values as a string of bits: whole, as it appears, or what is new since a state that the receiver has.
// Nothing around the string says how long it is, and nothing in it depends on the receiver but those states and whether
// it owns the entity: it is made once and copied to all who know the same.
//
// The rows of an entity's components stand one after the other, in the order of its prototype. "Changed": not what it
// is at b1; of a whole entity b1 are the defaults. Bits of an entity, `word` the bits of its unit:
//
//   moving   the vectors and rotations, but arrays, that differ between b1 and b2, if there is a b2, and motion.hpp's
//            limits hold; each in turn:
//              [others]  before the first, if any unit that is not moving has changed
//              hold      it is what it is at b1; else
//              vector:   for each number its residual: what it is less what is predicted
//              rotation: [turned] and 2 bits, if another part is left out than predicted; three residuals
//   rest     unless all are moving, and if there are no moving or it was said that others changed:
//              for each component with such units a bit: changed; then if it has several a bit for each: changed
//              each that is, coded as below
//   vector, rotation   of a whole entity: its words. Else as above, predicted to be as it is at b1 and without hold
//   number   1, its word; or 0, the distance from b1 modulo 2^bits, as golomb(2) of 2d - 1 for d > 0, -2d for d < 0
//   plain    its words
//            a number or plain that has two values: nothing
//   text     its length, in the bits of the greatest; its bytes
//   entity   a bit: is there one; golomb(12) of its index; generation, 32 bits
//   array    of those elements that count a bit: changed; and each that is, coded as above. Others are zeros
//
// Tables of residuals (residual_code.hpp): `speed` is that of motion.hpp, 0 where it is not moving. A unit's first
// residual
//   moving vector      vector family, half_octave(speed), at most 27
//   moving rotation    rotation family, half_octave(speed) + 3 surprise / 2, towards zero; 0 .. 27
//   not moving         the same families, 28 + by age: 0 to 6, 7 and 8, 9 to 16, more
// and each further one: next family, half_octave(2 s / n + speed / 16), at most 31, s the sum of the n distances of the
// unit so far. `surprise` is 0 until a moving vector was coded (not held): then of the last half_octave(8 s / n) -
// half_octave(speed), -8 .. 8.
#pragma once

#include <cstdint>
#include <mobula/core/bit_stream.hpp>
#include <mobula/wire/entity_layout.hpp>
#include <mobula/wire/motion.hpp>
#include <span>

namespace mobula::wire {

struct Baseline {
  const std::uint32_t* b1;
  const std::uint32_t* b2;  // null: there is none
  Interval time;
};

class EntityCodec {
 public:
  EntityCodec(const EntityLayout& layout, bool owner) : layout_(layout), owner_(owner) {}

  void write_whole(const std::uint32_t* words, core::BitWriter& writer) const;
  void write_change(const std::uint32_t* words, const Baseline& baseline, core::BitWriter& writer) const;

  // How many bits of these strings are whose: added to `row_bits`, beside the layout's rows. `writer` is scratch.
  void measure_whole(const std::uint32_t* words, core::BitWriter& writer, std::span<std::uint32_t> row_bits) const;
  void measure_change(const std::uint32_t* words, const Baseline& baseline, core::BitWriter& writer,
                      std::span<std::uint32_t> row_bits) const;

  // False, and a failed reader, if these bits are no entity. Not all that RowCodec::to_component refuses is refused
  // here. Words of the owner's are the default's, or b1's, if it is not the owner who reads. `words` and b1 lie apart;
  // b1 and b2 are what to_words or these made: their values are not checked again.
  bool read_whole(core::BitReader& reader, std::uint32_t* words) const;
  bool read_change(const Baseline& baseline, core::BitReader& reader, std::uint32_t* words) const;

 private:
  const EntityLayout& layout_;
  bool owner_;
};

}  // namespace mobula::wire
