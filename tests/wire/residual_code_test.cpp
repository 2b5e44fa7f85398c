#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <mobula/core/random.hpp>
#include <mobula/wire/residual_code.hpp>
#include <string>
#include <vector>

namespace mobula::wire {
namespace {

std::uint32_t length_of(std::uint32_t table, std::uint32_t symbol) {
  const char digit = residual_lengths()[table * residual_symbols + symbol];
  return static_cast<std::uint32_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

// Returns the codes as texts of 0 and 1, in the order of transmission.
std::map<std::string, std::uint32_t> reference_codes(std::uint32_t table) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted;
  for (std::uint32_t symbol = 0; symbol < residual_symbols; ++symbol)
    if (length_of(table, symbol) > 0) sorted.emplace_back(length_of(table, symbol), symbol);
  std::ranges::sort(sorted);
  std::map<std::string, std::uint32_t> codes;
  std::string last;
  for (const auto& [length, symbol] : sorted) {
    if (!last.empty()) {  // one more, then as long as it must be
      while (last.back() == '1') last.pop_back();
      if (last.empty()) return {};
      last.back() = '1';
    }
    last.resize(length, '0');
    codes.emplace(last, symbol);
  }
  return codes;
}

std::string text_of(const core::Bytes& bytes, std::size_t bits) {
  std::string text;
  for (std::size_t i = 0; i < bits; ++i)
    text += (std::to_integer<unsigned>(bytes[i / 8]) >> (i % 8) & 1) != 0 ? '1' : '0';
  return text;
}

std::string written_symbol(std::uint32_t table, std::uint32_t symbol) {
  core::Bytes bytes(4);
  core::BitWriter writer(bytes);
  write_symbol(writer, table, symbol);
  return text_of(bytes, writer.bits());
}

TEST(ResidualCode, EveryTableIsComplete) {
  for (std::uint32_t table = 0; table < residual_tables; ++table) {
    std::uint32_t sum = 0;
    for (std::uint32_t symbol = 0; symbol < residual_symbols; ++symbol) {
      const std::uint32_t length = length_of(table, symbol);
      ASSERT_LE(length, residual_code_bits_max);
      if (length > 0) sum += 1u << (residual_code_bits_max - length);
    }
    ASSERT_EQ(sum, 1u << residual_code_bits_max) << "table " << table;
  }
}

TEST(ResidualCode, EverySymbolThatATableMayNeedHasACodeAndNoOther) {
  for (std::uint32_t table = 0; table < residual_tables; ++table) {
    SCOPED_TRACE(table);
    const auto begins = [&](ResidualFamily family) { return table >= static_cast<std::uint32_t>(family); };
    const bool steady = begins(ResidualFamily::steady_vector);
    const bool next = begins(ResidualFamily::next) && !steady;
    const bool moving = steady || (table % 32 < 28 && !next);
    const bool rotation =
        begins(ResidualFamily::steady_rotation) || (begins(ResidualFamily::rotation) && !begins(ResidualFamily::next));
    for (std::uint32_t symbol = 0; symbol <= symbol_far; ++symbol) ASSERT_GT(length_of(table, symbol), 0u);
    for (std::uint32_t symbol = symbol_small; symbol < residual_symbols; ++symbol)
      ASSERT_EQ(length_of(table, symbol) > 0, !next);
    ASSERT_EQ(length_of(table, symbol_hold) > 0, moving);
    ASSERT_EQ(length_of(table, symbol_others) > 0, moving);
    ASSERT_EQ(length_of(table, symbol_turned) > 0, rotation);
  }
}

TEST(ResidualCode, CodesAreTheReferenceCanonicalOnes) {
  for (std::uint32_t table = 0; table < residual_tables; ++table) {
    SCOPED_TRACE(table);
    const auto codes = reference_codes(table);
    ASSERT_FALSE(codes.empty());
    for (const auto& [code, symbol] : codes) ASSERT_EQ(written_symbol(table, symbol), code);
  }
}

// Decodes bit by bit.
TEST(ResidualCode, AnyBitsReadAsTheReferenceReaderReadsThem) {
  core::Random random(1);
  for (int i = 0; i < 20000; ++i) {
    const std::uint32_t table = random.below(residual_tables);
    static const std::vector<std::map<std::string, std::uint32_t>> all = [] {
      std::vector<std::map<std::string, std::uint32_t>> tables;
      for (std::uint32_t each = 0; each < residual_tables; ++each) tables.push_back(reference_codes(each));
      return tables;
    }();
    core::Bytes bytes(1 + random.below(2));
    for (std::byte& byte : bytes) byte = random.chance(1, 2) ? std::byte{0xff} : static_cast<std::byte>(random.next());
    const std::string text = text_of(bytes, bytes.size() * 8);
    std::size_t length = 1;
    while (length <= text.size() && !all[table].contains(text.substr(0, length))) ++length;

    core::BitReader reader(bytes);
    const std::uint32_t symbol = read_symbol(reader, table);
    ASSERT_EQ(reader.ok(), length <= text.size());
    if (!reader.ok()) continue;
    ASSERT_EQ(symbol, all[table].at(text.substr(0, length)));
    ASSERT_EQ(reader.position(), length);
  }
}

TEST(ResidualCode, ACodeThatIsCutOffFails) {
  for (std::uint32_t table = 0; table < residual_tables; ++table) {
    core::BitReader nothing({});
    read_symbol(nothing, table);
    ASSERT_FALSE(nothing.ok());
    for (const auto& [code, symbol] : reference_codes(table)) {
      if (code.size() != 9) continue;
      core::Bytes bytes(1);
      for (std::size_t i = 0; i < 8; ++i) bytes[0] |= static_cast<std::byte>(code[i] - '0') << i;
      core::BitReader reader(bytes);
      read_symbol(reader, table);
      ASSERT_FALSE(reader.ok());
    }
  }
}

void comes_back(std::uint32_t table, std::int64_t residual) {
  core::Bytes bytes(16);
  core::BitWriter writer(bytes);
  write_residual(writer, table, residual);
  ASSERT_TRUE(writer.ok());
  core::BitReader reader(bytes);
  const std::uint32_t symbol = read_symbol(reader, table);
  ASSERT_LE(symbol, symbol_far);
  ASSERT_EQ(read_residual(reader, symbol), residual);
  ASSERT_EQ(reader.position(), writer.bits());
}

TEST(ResidualCode, EveryResidualIsReadAsWritten) {
  constexpr std::int64_t most = 0xffffffff;
  for (std::uint32_t table = 0; table < residual_tables; ++table)
    for (std::int64_t power = 0; power <= 32; ++power)
      for (std::int64_t beside = -2; beside <= 2; ++beside) {
        const std::int64_t residual = std::clamp<std::int64_t>((std::int64_t{1} << power) + beside, 0, most);
        comes_back(table, residual);
        comes_back(table, -residual);
      }
  for (std::int64_t residual = -70000; residual <= 70000; ++residual) comes_back(17, residual);
}

TEST(ResidualCode, SmallResidualsAreReadTogether) {
  for (std::uint32_t table = 0; table < residual_tables; ++table) {
    if (length_of(table, symbol_small) == 0) continue;
    for (std::size_t count = 1; count <= small_max; ++count) {
      for (int which = 0; which < 27; ++which) {
        std::vector<std::int64_t> residuals;
        int mask = 0;
        std::size_t signs = 0;
        for (int i = 0, rest = which; i < static_cast<int>(count); ++i, rest /= 3) {
          residuals.push_back(rest % 3 - 1);
          if (residuals.back() != 0) mask |= 1 << i, ++signs;
        }
        core::Bytes bytes(4);
        core::BitWriter writer(bytes);
        ASSERT_TRUE(write_small(writer, table, residuals));
        core::BitReader reader(bytes);
        const std::uint32_t symbol = read_symbol(reader, table);
        ASSERT_EQ(symbol, symbol_small + static_cast<std::uint32_t>(mask));
        ASSERT_EQ(writer.bits(), length_of(table, symbol) + signs);
        std::vector<std::int64_t> read(count);
        ASSERT_TRUE(read_small(reader, symbol, read));
        ASSERT_EQ(read, residuals);
        ASSERT_EQ(reader.position(), writer.bits());
      }
    }
  }
}

TEST(ResidualCode, LargeOrMissingResidualsAreNotSmall) {
  core::Bytes bytes(4);
  core::BitWriter writer(bytes);
  for (const std::int64_t large : {-2, 2, 1 << 20}) {
    EXPECT_FALSE(write_small(writer, 0, std::array<std::int64_t, 3>{0, large, 0}));
    EXPECT_FALSE(write_small(writer, 0, std::array<std::int64_t, 1>{large}));
  }
  EXPECT_EQ(writer.bits(), 0u);
  core::BitReader reader(bytes);
  std::array<std::int64_t, 2> two{};
  EXPECT_TRUE(read_small(reader, symbol_small + 3, two));
  EXPECT_FALSE(read_small(reader, symbol_small + 4, two)) << "it is of a third number";
}

TEST(ResidualCode, ADistanceHasItsSymbol) {
  const auto symbol_of = [](std::int64_t residual) {
    core::Bytes bytes(16);
    core::BitWriter writer(bytes);
    write_residual(writer, 64, residual);
    core::BitReader reader(bytes);
    return read_symbol(reader, 64);
  };
  std::uint32_t symbol = 7;
  for (std::int64_t low = 8; low < 32768; low *= 2) {
    EXPECT_EQ(symbol_of(low - 1), symbol);
    EXPECT_EQ(symbol_of(-low), symbol + 1);
    EXPECT_EQ(symbol_of(low + low / 2 - 1), symbol + 1);
    EXPECT_EQ(symbol_of(low + low / 2), symbol + 2);
    symbol += 2;
  }
  EXPECT_EQ(symbol, 31u);
  EXPECT_EQ(symbol_of(32768), symbol_far);
}

TEST(ResidualCode, LevelsAreTwoForEachDoubling) {
  EXPECT_EQ(half_octave(0), 0u);
  EXPECT_EQ(half_octave(1), 1u);
  std::uint32_t level = 3;
  for (std::uint64_t low = 2; low < (1ull << 40); low *= 2, level += 2) {
    EXPECT_EQ(half_octave(low), level);
    EXPECT_EQ(half_octave(low + low / 2 - 1), level);
    EXPECT_EQ(half_octave(low + low / 2), level + 1);
    EXPECT_EQ(half_octave(2 * low - 1), level + 1);
  }
}

}  // namespace
}  // namespace mobula::wire
