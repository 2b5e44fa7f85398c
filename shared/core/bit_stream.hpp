// Bits written to and read from a byte buffer, least significant bit first:
// bit n of the stream is bit n % 8 of byte n / 8.
// A writer or reader that meets the end of its buffer goes bad and stays so; reads
// then give zero. Whoever decodes checks ok() before believing anything.
#pragma once

#include <mobula/core/assert.hpp>
#include <mobula/core/bytes.hpp>

namespace mobula::core {

class BitWriter {
 public:
  explicit BitWriter(MutableBytes buffer) : buffer_(buffer) {}

  // bits: 0..64; the value's higher bits must be zero.
  void write(std::uint64_t value, unsigned bits) {
    MOBULA_ASSERT(bits <= 64 && (bits == 64 || value >> bits == 0), "value does not fit its bits");
    if (bits > buffer_.size() * 8 - position_) {
      overflow_ = true;
      return;
    }
    while (bits > 0) {
      const unsigned offset = position_ % 8;
      const unsigned taken = bits < 8 - offset ? bits : 8 - offset;
      std::byte& target = buffer_[position_ / 8];
      const auto keep = static_cast<std::byte>((1u << offset) - 1u);
      const auto part = static_cast<std::byte>((value & ((1u << taken) - 1u)) << offset);
      target = (target & keep) | part;
      value = taken == 64 ? 0 : value >> taken;
      position_ += taken;
      bits -= taken;
    }
  }
  void write_bool(bool value) { write(value ? 1 : 0, 1); }

  // Exponential-Golomb of order k: small numbers take few bits. value < 2^32.
  void write_golomb(std::uint32_t value, unsigned k) {
    const std::uint64_t shifted = static_cast<std::uint64_t>(value) + (1ull << k);
    const auto width = static_cast<unsigned>(std::bit_width(shifted));
    write(0, width - 1 - k);
    write_bool(true);
    write(shifted - (1ull << (width - 1)), width - 1);
  }

  // Copies bits of another stream, whose bytes past the last bit are not read.
  void write_bits(const std::byte* source, std::size_t bits) {
    for (; bits >= 32; bits -= 32, source += 4) write(load<std::uint32_t>(source), 32);
    for (; bits >= 8; bits -= 8, ++source) write(std::to_integer<std::uint64_t>(*source), 8);
    if (bits > 0) write(std::to_integer<std::uint64_t>(*source) & ((1u << bits) - 1u), static_cast<unsigned>(bits));
  }

  [[nodiscard]] bool ok() const { return !overflow_; }
  [[nodiscard]] std::size_t bits() const { return position_; }
  [[nodiscard]] std::size_t bytes() const { return (position_ + 7) / 8; }

  // Takes back all that was written after `bits`, a failed write included.
  void rewind(std::size_t bits) {
    MOBULA_ASSERT(bits <= position_, "rewind goes back, not forward");
    position_ = bits;
    overflow_ = false;
  }

 private:
  MutableBytes buffer_;
  std::size_t position_ = 0;
  bool overflow_ = false;
};

class BitReader {
 public:
  explicit BitReader(ByteView buffer) : buffer_(buffer) {}

  std::uint64_t read(unsigned bits) {
    MOBULA_ASSERT(bits <= 64, "at most 64 bits at a time");
    if (bits > buffer_.size() * 8 - position_) {
      bad_ = true;
      position_ = buffer_.size() * 8;
      return 0;
    }
    std::uint64_t value = 0;
    unsigned done = 0;
    while (done < bits) {
      const unsigned offset = position_ % 8;
      const unsigned taken = bits - done < 8 - offset ? bits - done : 8 - offset;
      const auto part = (std::to_integer<std::uint64_t>(buffer_[position_ / 8]) >> offset) & ((1u << taken) - 1u);
      value |= part << done;
      position_ += taken;
      done += taken;
    }
    return value;
  }
  bool read_bool() { return read(1) != 0; }

  std::uint32_t read_golomb(unsigned k) {
    unsigned width = k;
    while (!read_bool()) {
      if (bad_ || ++width > 32) {
        bad_ = true;
        return 0;
      }
    }
    const std::uint64_t shifted = (1ull << width) + read(width);
    const std::uint64_t value = shifted - (1ull << k);
    if (value > 0xffffffffull) bad_ = true;
    return bad_ ? 0 : static_cast<std::uint32_t>(value);
  }

  void skip(std::size_t bits) {
    if (bits > left()) return fail();
    position_ += bits;
  }

  [[nodiscard]] bool ok() const { return !bad_; }
  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] std::size_t left() const { return buffer_.size() * 8 - position_; }
  // What was read means nothing: the decoder says so, and all later reads give zero.
  void fail() {
    bad_ = true;
    position_ = buffer_.size() * 8;
  }

 private:
  ByteView buffer_;
  std::size_t position_ = 0;
  bool bad_ = false;
};

}  // namespace mobula::core
