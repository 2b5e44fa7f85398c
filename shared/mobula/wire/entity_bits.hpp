// Sources and sinks for the bits of an entity. Writing and reading share one traversal of its units (entity_codec.cpp).
// It passes each value by the same call: a writer sends it, a reader overwrites it.
#pragma once

#include <cstdint>
#include <mobula/core/bit_stream.hpp>
#include <mobula/wire/residual_code.hpp>
#include <span>

namespace mobula::wire {

/// Writes the bits of an entity.
class EntityBitsWriter {
 public:
  static constexpr bool reads = false;
  explicit EntityBitsWriter(core::BitWriter& bits) : bits_(bits) {}

  void bits(std::uint32_t value, unsigned count) { bits_.write(value, count); }
  bool flag(bool value) {
    bits_.write_bool(value);
    return value;
  }
  void golomb(std::uint32_t value, unsigned order) { bits_.write_golomb(value, order); }
  void symbol(std::uint32_t table, std::uint32_t symbol) { write_symbol(bits_, table, symbol); }
  void residual(std::uint32_t table, std::int64_t value) { write_residual(bits_, table, value); }
  // Writes the first residual of a unit, or all of these if they are small. Returns how many were written.
  std::uint32_t first_residuals(std::uint32_t table, std::uint32_t /*symbol*/, std::span<std::int64_t> residuals) {
    if (write_small(bits_, table, residuals)) return static_cast<std::uint32_t>(residuals.size());
    residual(table, residuals[0]);
    return 1;
  }
  [[nodiscard]] static bool ok() { return true; }

 private:
  core::BitWriter& bits_;
};

/// Writes the bits and counts them by row. Rows are entered one after the other, some of them twice.
class EntityBitsMeter : public EntityBitsWriter {
 public:
  EntityBitsMeter(core::BitWriter& bits, std::span<std::uint32_t> bits_of_rows)
      : EntityBitsWriter(bits), writer_(bits), bits_of_rows_(bits_of_rows), entered_at_(bits.bits()) {}

  void enter(std::size_t row) {
    leave();
    row_ = row;
  }
  void leave() {
    bits_of_rows_[row_] += static_cast<std::uint32_t>(writer_.bits() - entered_at_);
    entered_at_ = writer_.bits();
  }

 private:
  core::BitWriter& writer_;
  std::span<std::uint32_t> bits_of_rows_;
  std::size_t row_ = 0;
  std::uint64_t entered_at_;
};

/// Reads the bits of an entity.
class EntityBitsReader {
 public:
  static constexpr bool reads = true;
  explicit EntityBitsReader(core::BitReader& bits) : bits_(bits) {}

  void bits(std::uint32_t& value, unsigned count) { value = static_cast<std::uint32_t>(bits_.read(count)); }
  bool flag(bool /*value*/) { return bits_.read_bool(); }
  void golomb(std::uint32_t& value, unsigned order) { value = bits_.read_golomb(order); }
  std::uint32_t symbol(std::uint32_t table) { return read_symbol(bits_, table); }
  void residual(std::uint32_t table, std::int64_t& value) { residual_of(symbol(table), value); }
  std::uint32_t first_residuals(std::uint32_t /*table*/, std::uint32_t symbol, std::span<std::int64_t> residuals) {
    if (symbol >= symbol_small) {
      if (!read_small(bits_, symbol, residuals)) bits_.fail();
      return static_cast<std::uint32_t>(residuals.size());
    }
    residual_of(symbol, residuals[0]);
    return 1;
  }
  void fail() { bits_.fail(); }
  [[nodiscard]] bool ok() const { return bits_.ok(); }

 private:
  void residual_of(std::uint32_t symbol, std::int64_t& value) {
    symbol <= symbol_far ? void(value = read_residual(bits_, symbol)) : bits_.fail();
  }

  core::BitReader& bits_;
};

}  // namespace mobula::wire
