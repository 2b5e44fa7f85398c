#include <algorithm>
#include <array>
#include <cstdlib>
#include <mobula/core/assert.hpp>
#include <mobula/wire/residual_code.hpp>
#include <mobula/wire/residual_lengths.hpp>

namespace mobula::wire {
namespace {

constexpr std::uint32_t first_near = 8;  // lower symbols are the distance itself
constexpr std::uint64_t far_begin = 1u << 15;
constexpr unsigned far_order = 12;

constexpr std::uint32_t digit(char c) { return static_cast<std::uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10); }

struct Code {
  std::uint16_t bits = 0;  // its highest bit is the lowest here
  std::uint16_t length = 0;
};

// Most symbols are found by looking up the next bits: the entry of any bits that begin with their code.
constexpr std::uint32_t near_bits = 7;
struct Near {
  std::uint8_t symbol = 0;
  std::uint8_t length = 0;  // 0 if the code is longer
};

struct Table {
  std::array<Code, residual_symbols> codes{};
  std::array<Near, 1u << near_bits> near{};
};

constexpr std::uint16_t mirrored(std::uint32_t code, std::uint32_t length) {
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < length; ++i) bits |= (code >> i & 1) << (length - 1 - i);
  return static_cast<std::uint16_t>(bits);
}

constexpr Table make_table(const char* lengths) {
  Table table;
  std::uint32_t code = 0;
  for (std::uint32_t length = 1; length <= residual_code_bits_max; ++length, code <<= 1) {
    for (std::uint32_t symbol = 0; symbol < residual_symbols; ++symbol) {
      if (digit(lengths[symbol]) != length) continue;
      const std::uint16_t bits = mirrored(code++, length);
      table.codes[symbol] = {bits, static_cast<std::uint16_t>(length)};
      for (std::uint32_t place = bits; length <= near_bits && place < table.near.size(); place += 1u << length)
        table.near[place] = {static_cast<std::uint8_t>(symbol), static_cast<std::uint8_t>(length)};
    }
  }
  return table;
}

constexpr std::array<Table, residual_tables> make_tables() {
  std::array<Table, residual_tables> all;
  for (std::size_t i = 0; i < residual_tables; ++i) all[i] = make_table(lengths + i * residual_symbols);
  return all;
}

static_assert(sizeof(lengths) == residual_tables * residual_symbols + 1);
constexpr std::array<Table, residual_tables> tables = make_tables();

// Returns the symbol whose code the bits begin with. There is one: the codes of each table are complete.
std::uint32_t symbol_of(const Table& table, std::uint64_t bits) {
  const auto begins = [&](const Code& code) {
    return code.length > 0 && (bits & ((1u << code.length) - 1)) == code.bits;
  };
  const auto found = std::ranges::find_if(table.codes, begins);
  return found == table.codes.end() ? 0 : static_cast<std::uint32_t>(found - table.codes.begin());
}

// Writes the code of a symbol and the bits that follow it at once.
void write_symbol_and(core::BitWriter& writer, std::uint32_t table, std::uint32_t symbol, std::uint64_t rest,
                      unsigned rest_bits) {
  const Code code = tables[table].codes[symbol];
  MOBULA_ASSERT(code.length > 0, "every symbol that is written has a code");
  writer.write(code.bits | rest << code.length, code.length + rest_bits);
}

}  // namespace

const char* residual_lengths() { return lengths; }

void write_symbol(core::BitWriter& writer, std::uint32_t table, std::uint32_t symbol) {
  write_symbol_and(writer, table, symbol, 0, 0);
}

std::uint32_t read_symbol(core::BitReader& reader, std::uint32_t which) {
  const Table& table = tables[which];
  const auto there = static_cast<unsigned>(std::min<std::size_t>(reader.left(), residual_code_bits_max));
  const std::uint64_t bits = reader.peek(there);
  const Near near = table.near[bits % table.near.size()];
  const std::uint32_t symbol = near.length > 0 ? near.symbol : symbol_of(table, bits);
  reader.skip(table.codes[symbol].length);  // fails if the code exceeds the end
  return symbol;
}

void write_residual(core::BitWriter& writer, std::uint32_t table, std::int64_t residual) {
  const auto distance = static_cast<std::uint64_t>(std::abs(residual));
  const std::uint64_t sign = residual < 0 ? 1 : 0;
  if (distance < first_near)
    return write_symbol_and(writer, table, static_cast<std::uint32_t>(distance), sign, distance > 0 ? 1 : 0);
  if (distance >= far_begin) {
    write_symbol(writer, table, symbol_far);
    writer.write_golomb(static_cast<std::uint32_t>(distance - far_begin), far_order);
    return writer.write(sign, 1);
  }
  const auto e = static_cast<unsigned>(std::bit_width(distance)) - 1;
  const auto half = static_cast<std::uint32_t>(distance >> (e - 1) & 1);
  const std::uint64_t rest = distance & ((1ull << (e - 1)) - 1);
  write_symbol_and(writer, table, first_near + 2 * (e - 3) + half, rest | sign << (e - 1), e);
}

bool write_small(core::BitWriter& writer, std::uint32_t table, std::span<const std::int64_t> residuals) {
  std::uint32_t mask = 0;
  std::uint64_t signs = 0;
  unsigned count = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    if (!is_small(residuals[i])) return false;
    if (residuals[i] == 0) continue;
    mask |= 1u << i;
    signs |= (residuals[i] < 0 ? 1ull : 0ull) << count++;
  }
  write_symbol_and(writer, table, symbol_small + mask, signs, count);
  return true;
}

bool read_small(core::BitReader& reader, std::uint32_t symbol, std::span<std::int64_t> residuals) {
  const std::uint32_t mask = symbol - symbol_small;
  if (mask >> residuals.size() != 0) return false;
  for (std::size_t i = 0; i < residuals.size(); ++i)
    residuals[i] = (mask >> i & 1) == 0 ? 0 : reader.read_bool() ? -1 : 1;
  return true;
}

std::int64_t read_residual(core::BitReader& reader, std::uint32_t symbol) {
  std::uint64_t distance = symbol;
  if (symbol == symbol_far) {
    distance = far_begin + reader.read_golomb(far_order);
  } else if (symbol >= first_near) {
    const unsigned e = 3 + (symbol - first_near) / 2;
    distance = (2 + (symbol - first_near) % 2) << (e - 1) | reader.read(e - 1);
  }
  const bool negative = distance > 0 && reader.read_bool();
  return negative ? -static_cast<std::int64_t>(distance) : static_cast<std::int64_t>(distance);
}

}  // namespace mobula::wire
