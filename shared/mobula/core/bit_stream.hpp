// Bit streams over a byte buffer, least significant bit first: bit n of the stream is bit n % 8 of byte n / 8.
// A writer or reader that exceeds its buffer fails permanently, and reads then return 0. A decoder must check ok()
// before it uses any value.
// Up to 64 bits are one unaligned load or store if the buffer has room for it.
#pragma once

#include <algorithm>
#include <mobula/core/assert.hpp>
#include <mobula/core/bytes.hpp>

namespace mobula::core {

/// Invariant: unwritten bits of the last byte are zero. Bytes of the buffer after it are unspecified: the writer may
/// have stored zeros there.
class BitWriter {
 public:
  explicit BitWriter(MutableBytes buffer) : buffer_(buffer) {}

  /// Writes the low `bits` (0 to 64) of a value. Its higher bits must be zero.
  void write(std::uint64_t value, unsigned bits) {
    MOBULA_ASSERT(bits <= 64 && (bits == 64 || value >> bits == 0), "value does not fit its bits");
    if (bits > buffer_.size() * 8 - position_) {
      overflow_ = true;
      return;
    }
    const std::size_t byte = position_ / 8;
    const unsigned offset = position_ % 8;
    const unsigned end = offset + bits;
    const std::uint64_t word = last_ | value << offset;
    const std::uint64_t rest = value >> 1 >> (63 - offset);  // bits that do not fit into the word
    position_ += bits;
    if (buffer_.size() - byte >= 9) {
      store(&buffer_[byte], word);
      if (end > 64) buffer_[byte + 8] = static_cast<std::byte>(rest);
    } else {  // near the end of the buffer, where end <= 64
      for (unsigned i = 0; i < end; i += 8) buffer_[byte + i / 8] = static_cast<std::byte>(word >> i);
    }
    last_ = end < 64 ? word >> (end & ~7u) : rest;
  }
  void write_bool(bool value) { write(value ? 1 : 0, 1); }

  /// Writes an exponential-Golomb code of order k, which encodes small numbers in few bits. value < 2^32, k < 32.
  void write_golomb(std::uint32_t value, unsigned k) {
    const std::uint64_t shifted = static_cast<std::uint64_t>(value) + (1ull << k);
    const auto width = static_cast<unsigned>(std::bit_width(shifted));
    const unsigned zeros = width - 1 - k;
    // A one, then the bits of `shifted` without its leading one.
    const std::uint64_t tail = (shifted - (1ull << (width - 1))) << 1 | 1;
    if (zeros + width <= 64) return write(tail << zeros, zeros + width);
    write(0, zeros);
    write(tail, width);
  }

  /// Copies bits of another stream. Bytes after the last bit are not read.
  void write_bits(const std::byte* source, std::size_t bits) {
    for (; bits >= 64; bits -= 64, source += 8) write(load<std::uint64_t>(source), 64);
    std::uint64_t rest = 0;
    for (unsigned i = 0; i < bits; i += 8) rest |= std::to_integer<std::uint64_t>(source[i / 8]) << i;
    write(rest & ((1ull << bits) - 1), static_cast<unsigned>(bits));
  }

  [[nodiscard]] bool ok() const { return !overflow_; }
  [[nodiscard]] std::size_t bits() const { return position_; }
  [[nodiscard]] std::size_t bytes() const { return (position_ + 7) / 8; }

  /// Removes everything written after `bits`, including a failed write.
  void rewind(std::size_t bits) {
    MOBULA_ASSERT(bits <= position_, "cannot rewind forward");
    position_ = bits;
    overflow_ = false;
    last_ = 0;
    if (bits % 8 == 0) return;
    std::byte& last = buffer_[bits / 8];
    last &= static_cast<std::byte>((1u << bits % 8) - 1);
    last_ = std::to_integer<std::uint64_t>(last);
  }

 private:
  MutableBytes buffer_;
  std::size_t position_ = 0;
  std::uint64_t last_ = 0;  // written bits of the byte at position_
  bool overflow_ = false;
};

/// Reads a bit stream. After a failure all reads return 0.
class BitReader {
 public:
  explicit BitReader(ByteView buffer) : buffer_(buffer) {}

  /// Reads up to 64 bits.
  std::uint64_t read(unsigned bits) {
    MOBULA_ASSERT(bits <= 64, "at most 64 bits at a time");
    if (bits > left()) {
      fail();
      return 0;
    }
    const std::uint64_t value = peek(bits);
    position_ += bits;
    return value;
  }
  bool read_bool() { return read(1) != 0; }

  /// Reads a number that write_golomb() has written with the same k. Fails if the code is malformed.
  std::uint32_t read_golomb(unsigned k) {
    // The bit that ends the zeros is among the next 33 - k bits, or the code is malformed.
    const std::uint64_t start = peek(static_cast<unsigned>(std::min<std::size_t>(left(), 33 - k)));
    if (start == 0) {
      fail();
      return 0;
    }
    const auto zeros = static_cast<unsigned>(std::countr_zero(start));
    position_ += zeros + 1;
    const unsigned width = k + zeros;
    const std::uint64_t value = (1ull << width) + read(width) - (1ull << k);
    if (value > 0xffffffffull) fail();
    return bad_ ? 0 : static_cast<std::uint32_t>(value);
  }

  /// Returns the next bits without consuming them. At most 64, and no more than left().
  [[nodiscard]] std::uint64_t peek(unsigned bits) const {
    if (bits == 0) return 0;
    const std::size_t byte = position_ / 8;
    const unsigned offset = position_ % 8;
    std::uint64_t value = 0;
    if (buffer_.size() - byte >= 8) {
      value = load<std::uint64_t>(&buffer_[byte]) >> offset;
      if (offset + bits > 64) value |= std::to_integer<std::uint64_t>(buffer_[byte + 8]) << (64 - offset);
    } else {
      for (unsigned i = 0; i < offset + bits; i += 8)
        value |= std::to_integer<std::uint64_t>(buffer_[byte + i / 8]) << i;
      value >>= offset;
    }
    return value & (~0ull >> (64 - bits));
  }

  /// Skips bits. Fails if fewer are left.
  void skip(std::size_t bits) {
    if (bits > left()) return fail();
    position_ += bits;
  }

  [[nodiscard]] bool ok() const { return !bad_; }
  [[nodiscard]] std::size_t position() const { return position_; }                   // in bits
  [[nodiscard]] std::size_t left() const { return buffer_.size() * 8 - position_; }  // in bits
  /// Marks the stream as invalid. A decoder calls it for malformed input; all later reads return 0.
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
