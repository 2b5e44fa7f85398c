// Encodes one entity's values as bits: its full state, or a delta against states that the receiver has.
//
// The bits hold neither their length nor anything about the receiver, except its baselines and whether it owns the
// entity. They are therefore encoded once and copied to all clients with the same baselines.
//
// The rows of an entity's components follow each other in the order of its prototype. A unit has changed if it differs
// from the baseline; a full state has the defaults for its baseline. Bits of an entity, `word` being as many bits as
// its unit has:
//
//   extrapolated  the vectors and rotations, except arrays, that differ between baseline and previous baseline, if
//   there
//                 is one and motion.hpp's limits hold; each in turn:
//                 [others]  before the first, if any other unit has changed
//                 hold      it is as in the baseline; else
//                 vector:   for each number its residual: the value less its prediction
//                 rotation: [turned] and 2 bits, if the omitted part is not the predicted one; three residuals
//   others        if a unit is not extrapolated, and if either none is or [others] was 1:
//                 for each component with such units a bit: changed; then, if it has several, a bit for each: changed
//                 each changed one, coded as below
//   vector, rotation   in a full state: its words. Else as above, without hold; the baseline is the prediction
//   number   1, its word; or 0, the distance from the baseline modulo 2^bits, as golomb(2) of 2d - 1 for d > 0, -2d for
//            d < 0
//   plain    its words
//            a number or plain of two values: nothing, since changed means the other value
//   text     its length, in the bits of the greatest; its bytes
//   entity   a bit: not null; golomb(12) of its index; generation, 32 bits
//   array    for each element in use a bit: changed; each changed one, coded as above. The others are zeros
//   course   instead of vector and rotation, if the unit follows one (course.hpp), which is never extrapolated:
//            a bit: under way; if so golomb(0) of the age: the state's tick - k
//            its words: in a full state as they are; else the residuals of a vector or rotation. The prediction is the
//            value of the baseline's course at k, or at the state's tick if it is not under way
//            if under way: the turn, or the velocities, then a bit: accelerated, and if so the accelerations. Each
//            is a group of differences from those of the baseline's course, its velocity at k; in a full state from 0
//            group  5 bits w, the width of the greatest |difference|; of each: w bits of |difference|, and if w is
//                   not 0 a sign bit, 1 is negative
//
// Tables of residuals (residual_code.hpp): `speed` is that of motion.hpp, 0 if the unit is not extrapolated. The first
// residual of a unit has
//   extrapolated vector    vector family, half_octave(speed), at most 27
//   extrapolated rotation  rotation family, half_octave(speed) + 3 surprise / 2, towards zero; 0 .. 27
//   in steady motion       max(half_octave(age), 2) - 2 of the families slow_vector or steady_vector, and calm_rotation
//                          or steady_rotation. Calm: the last extrapolated vector was steady, and its first three
//                          distances, or all if there are fewer, were at most 1
//   not extrapolated       the same families, 28 + by age: 0 to 6, 7 and 8, 9 to 16, more
//   course                 the same families, half_octave(tolerance in steps, rounded up), at most 27
// and each further one
//   next family, half_octave(2 s / n + speed / 16), at most 31; s is the sum of the unit's n distances so far
// Each division rounds down before the sum is taken. `surprise` is 0 until an extrapolated vector was coded (not held):
// then of the last one half_octave(8 s / n) - half_octave(speed), -8 .. 8; half_octave(4 age) instead if it was steady.
#pragma once

#include <cstdint>
#include <mobula/core/bit_stream.hpp>
#include <mobula/wire/entity_layout.hpp>
#include <mobula/wire/motion.hpp>
#include <span>

namespace mobula::wire {

/// Encodes and decodes entities of one layout, for the owner or for others. The layout outlives it.
class EntityCodec {
 public:
  /// `tick`: that of the states.
  EntityCodec(const EntityLayout& layout, bool owner, ecs::Tick tick) : layout_(layout), owner_(owner), tick_(tick) {}

  /// Writes the full state, or the delta against `baselines`.
  void write_full(const std::uint32_t* words, core::BitWriter& writer) const;
  void write_delta(const std::uint32_t* words, const Baselines& baselines, core::BitWriter& writer) const;

  /// Adds the bits that each row takes of this full state or delta to `row_bits`, one entry per row of the layout.
  /// `writer` is scratch.
  void measure_full(const std::uint32_t* words, core::BitWriter& writer, std::span<std::uint32_t> row_bits) const;
  void measure_delta(const std::uint32_t* words, const Baselines& baselines, core::BitWriter& writer,
                     std::span<std::uint32_t> row_bits) const;

  /// Reads what write_full or write_delta has written. False, with a failed reader, if the bits are malformed. Some
  /// words that RowCodec::to_component refuses are not refused here.
  ///
  /// Words that the owner, or others, do not receive become those of the defaults or the baseline. `words` and the
  /// baseline must not overlap. The baselines are trusted: they come from to_words or from these functions.
  bool read_full(core::BitReader& reader, std::uint32_t* words) const;
  bool read_delta(const Baselines& baselines, core::BitReader& reader, std::uint32_t* words) const;

 private:
  const EntityLayout& layout_;
  bool owner_;
  ecs::Tick tick_;
};

}  // namespace mobula::wire
