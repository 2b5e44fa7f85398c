#include <gtest/gtest.h>

#include <limits>
#include <mobula/core/bit_stream.hpp>
#include <mobula/core/random.hpp>
#include <vector>

namespace mobula::core {
namespace {

constexpr std::byte dirt{0xa5};

std::uint64_t random_value(Random& random, unsigned bits) { return bits == 0 ? 0 : random.next() >> (64 - bits); }

// Reference model: one bool per bit.
struct Model {
  std::vector<bool> bits;

  void write(std::uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) bits.push_back((value >> i & 1) != 0);
  }
  void write_golomb(std::uint32_t value, unsigned k) {
    const std::uint64_t shifted = std::uint64_t{value} + (std::uint64_t{1} << k);
    unsigned width = 0;
    while (shifted >> width != 0) ++width;
    write(0, width - 1 - k);
    write(1, 1);
    write(shifted & ~(std::uint64_t{1} << (width - 1)), width - 1);
  }
  [[nodiscard]] Bytes bytes() const {
    Bytes result((bits.size() + 7) / 8);
    for (std::size_t i = 0; i < bits.size(); ++i)
      if (bits[i]) result[i / 8] |= static_cast<std::byte>(1u << (i % 8));
    return result;
  }
};

Bytes written(const BitWriter& writer, const Bytes& buffer) {
  return {buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(writer.bytes())};
}

// A buffer of exact size, so that AddressSanitizer detects any access after it.
TEST(BitStream, AgreesWithAListOfBools) {
  Random random(1);
  for (std::size_t size = 0; size <= 40; ++size) {
    for (int round = 0; round < 40; ++round) {
      SCOPED_TRACE(testing::Message() << "buffer of " << size << ", round " << round);
      Bytes buffer(size, dirt);
      BitWriter writer(buffer);
      Model model;
      std::vector<std::pair<std::uint64_t, unsigned>> history;
      while (true) {
        const auto bits = static_cast<unsigned>(random.chance(1, 3) ? random.below(65) : random.below(12));
        const std::uint64_t value = random_value(random, bits);
        writer.write(value, bits);
        if (!writer.ok()) {
          ASSERT_GT(model.bits.size() + bits, size * 8);
          break;
        }
        model.write(value, bits);
        history.emplace_back(value, bits);
        ASSERT_EQ(writer.bits(), model.bits.size());
        ASSERT_EQ(written(writer, buffer), model.bytes())
            << "after every write, with zeros at the end of the last byte";
      }
      Bytes exact = written(writer, buffer);
      BitReader reader(exact);
      for (const auto& [value, bits] : history) ASSERT_EQ(reader.read(bits), value);
      EXPECT_TRUE(reader.ok());
      EXPECT_EQ(reader.position(), model.bits.size());
      EXPECT_LT(reader.left(), 8u);
      EXPECT_EQ(reader.read(static_cast<unsigned>(reader.left())), 0u);
    }
  }
}

TEST(BitStream, AnyWidthAtAnyOffsetInAnySmallBuffer) {
  Random random(2);
  for (unsigned offset = 0; offset < 8; ++offset) {
    for (unsigned bits = 0; bits <= 64; ++bits) {
      for (std::size_t spare = 0; spare < 10; ++spare) {
        SCOPED_TRACE(testing::Message() << offset << " + " << bits << " bits, " << spare << " bytes to spare");
        const std::uint64_t first = random_value(random, offset);
        const std::uint64_t value = random_value(random, bits);
        Bytes buffer((offset + bits + 7) / 8 + spare, dirt);
        BitWriter writer(buffer);
        writer.write(first, offset);
        writer.write(value, bits);
        ASSERT_TRUE(writer.ok());
        BitReader reader(buffer);
        ASSERT_EQ(reader.read(offset), first);
        ASSERT_EQ(reader.read(bits), value);
        ASSERT_TRUE(reader.ok());
      }
    }
  }
}

TEST(BitStream, LeastSignificantBitFirst) {
  Bytes buffer(3);
  BitWriter writer(buffer);
  writer.write_bool(true);
  writer.write(0b0110, 4);
  writer.write(0x1ff, 9);
  EXPECT_EQ(buffer, (Bytes{std::byte{0b11101101}, std::byte{0b00111111}, std::byte{0}}));
  EXPECT_EQ(writer.bits(), 14u);
  EXPECT_EQ(writer.bytes(), 2u);
}

TEST(BitStream, OverflowWritesNothingAndIsPermanent) {
  Bytes buffer(2, dirt);
  BitWriter writer(buffer);
  writer.write(0x7f, 10);
  const Bytes before = buffer;
  writer.write(0, 7);
  EXPECT_FALSE(writer.ok());
  EXPECT_EQ(writer.bits(), 10u);
  EXPECT_EQ(buffer, before);
  writer.write(1, 1);
  EXPECT_FALSE(writer.ok()) << "a later write that fits does not reset the failure";
  Bytes none;
  BitWriter empty(none);
  empty.write(0, 0);
  EXPECT_TRUE(empty.ok());
  empty.write_bool(false);
  EXPECT_FALSE(empty.ok());
}

TEST(BitStream, RewindRemovesWritesAndAnOverflow) {
  Random random(3);
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    Bytes buffer(1 + random.below(24), dirt);
    BitWriter writer(buffer);
    Model model;
    for (int step = 0; step < 12; ++step) {
      const std::size_t start = writer.bits();
      while (writer.ok() && random.chance(4, 5)) {
        const auto bits = static_cast<unsigned>(random.below(65));
        const std::uint64_t value = random_value(random, bits);
        writer.write(value, bits);
        if (writer.ok()) model.write(value, bits);
      }
      if (!writer.ok() || random.chance(1, 2)) {
        const std::size_t to = start + random.below(static_cast<std::uint32_t>(writer.bits() - start) + 1);
        writer.rewind(to);
        model.bits.resize(to);
      }
      ASSERT_TRUE(writer.ok());
      ASSERT_EQ(writer.bits(), model.bits.size());
      ASSERT_EQ(written(writer, buffer), model.bytes()) << "no removed bit remains";
    }
  }
}

TEST(BitStream, CopyReadsNoByteAfterTheLastBit) {
  Random random(4);
  for (std::size_t bits = 0; bits < 300; ++bits) {
    SCOPED_TRACE(testing::Message() << bits << " bits");
    Bytes source((bits + 7) / 8);
    for (std::byte& byte : source) byte = static_cast<std::byte>(random.below(256));
    const auto offset = static_cast<unsigned>(random.below(64));
    Bytes buffer((offset + bits + 7) / 8);
    BitWriter writer(buffer);
    writer.write(0, offset);
    writer.write_bits(source.data(), bits);
    ASSERT_TRUE(writer.ok());
    ASSERT_EQ(writer.bits(), offset + bits);
    BitReader expected(source);
    BitReader reader(buffer);
    ASSERT_EQ(reader.read(offset), 0u);
    for (std::size_t i = 0; i < bits; ++i) ASSERT_EQ(reader.read_bool(), expected.read_bool());
  }
}

TEST(BitStream, GolombRoundTripsEdgeValuesInEveryOrder) {
  for (unsigned k = 0; k < 32; ++k) {
    std::vector<std::uint32_t> values{0, 1, 2, std::numeric_limits<std::uint32_t>::max()};
    for (unsigned bit = 1; bit < 32; ++bit) {
      const std::uint32_t power = 1u << bit;
      values.insert(values.end(), {power - 1, power, power + 1, power - (1u << k), power - (1u << k) - 1});
    }
    for (const std::uint32_t value : values) {
      for (unsigned offset = 0; offset < 8; ++offset) {
        SCOPED_TRACE(testing::Message() << value << " in order " << k << " at " << offset);
        Model model;
        model.write(0, offset);
        model.write_golomb(value, k);
        Bytes buffer((model.bits.size() + 7) / 8);
        BitWriter writer(buffer);
        writer.write(0, offset);
        writer.write_golomb(value, k);
        ASSERT_TRUE(writer.ok());
        ASSERT_EQ(writer.bits(), model.bits.size());
        ASSERT_EQ(buffer, model.bytes());
        BitReader reader(buffer);
        reader.skip(offset);
        ASSERT_EQ(reader.read_golomb(k), value);
        ASSERT_TRUE(reader.ok());
        ASSERT_EQ(reader.position(), model.bits.size());
      }
    }
  }
}

TEST(BitStream, GolombOfOrderZeroByHand) {
  // 0: 1; 1: 01 0; 2: 01 1; 3: 001 00
  Bytes buffer(2);
  BitWriter writer(buffer);
  for (std::uint32_t value = 0; value < 4; ++value) writer.write_golomb(value, 0);
  EXPECT_EQ(writer.bits(), 12u);
  EXPECT_EQ(buffer, (Bytes{std::byte{0b01100101}, std::byte{0b00000010}}));
}

// Codes that no writer creates: too many zeros, a number above 32 bits.
TEST(BitStream, MalformedGolombFailsTheReader) {
  for (unsigned k = 0; k < 32; ++k) {
    SCOPED_TRACE(testing::Message() << "order " << k);
    Bytes zeros(20);
    BitReader endless(zeros);
    EXPECT_EQ(endless.read_golomb(k), 0u);
    EXPECT_FALSE(endless.ok());
    EXPECT_EQ(endless.left(), 0u);

    Bytes too_large(20, std::byte{0xff});
    BitWriter writer(too_large);
    writer.write(0, 32 - k);
    writer.write_bool(true);
    writer.write(1ull << k, 32);  // 2^32 + 2^k - 2^k
    BitReader reader(too_large);
    EXPECT_EQ(reader.read_golomb(k), 0u);
    EXPECT_FALSE(reader.ok());
    EXPECT_EQ(reader.read(8), 0u) << "reads after a failure return 0";
  }
}

TEST(BitStream, GolombAgreesWithABitByBitReader) {
  Random random(5);
  for (int round = 0; round < 20000; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const auto k = static_cast<unsigned>(random.below(32));
    Bytes bytes(random.below(14));
    for (std::byte& byte : bytes) byte = random.chance(2, 3) ? std::byte{0} : static_cast<std::byte>(random.below(256));
    const std::uint32_t offset = random.below(static_cast<std::uint32_t>(bytes.size() * 8) + 1);
    BitReader slow(bytes);
    slow.skip(offset);
    unsigned width = k;
    while (slow.ok() && !slow.read_bool() && width <= 32) ++width;
    std::uint64_t value = 0;
    bool good = slow.ok() && width <= 32;
    if (good) {
      value = (1ull << width) + slow.read(width) - (1ull << k);
      good = slow.ok() && value <= std::numeric_limits<std::uint32_t>::max();
    }
    BitReader reader(bytes);
    reader.skip(offset);
    ASSERT_EQ(reader.read_golomb(k), good ? value : 0);
    ASSERT_EQ(reader.ok(), good);
    ASSERT_EQ(reader.position(), good ? slow.position() : bytes.size() * 8);
  }
}

TEST(BitStream, ReadingPastTheEndReturnsZeroAndFails) {
  const Bytes bytes(3, std::byte{0xff});
  BitReader reader(bytes);
  EXPECT_EQ(reader.read(20), 0xfffffu);
  EXPECT_EQ(reader.left(), 4u);
  EXPECT_EQ(reader.read(5), 0u);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.left(), 0u);
  EXPECT_EQ(reader.read(1), 0u) << "although bits were left before";
  EXPECT_EQ(reader.read(0), 0u);
  EXPECT_FALSE(reader.ok());
  BitReader empty{ByteView{}};
  EXPECT_EQ(empty.read(0), 0u);
  EXPECT_TRUE(empty.ok());
  EXPECT_FALSE(empty.read_bool());
  EXPECT_FALSE(empty.ok());
}

TEST(BitStream, SkipEqualsRead) {
  Bytes bytes(40);
  Random random(6);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
  for (std::size_t skipped = 0; skipped <= bytes.size() * 8 - 7; ++skipped) {
    BitReader reader(bytes);
    reader.skip(skipped);
    BitReader bitwise(bytes);
    for (std::size_t i = 0; i < skipped; ++i) bitwise.read_bool();
    ASSERT_EQ(reader.position(), skipped);
    ASSERT_EQ(reader.read(7), bitwise.read(7));
  }
  BitReader reader(bytes);
  reader.skip(std::numeric_limits<std::size_t>::max());
  EXPECT_FALSE(reader.ok());
}

TEST(BitStream, FailedReaderReturnsZero) {
  const Bytes bytes(30, std::byte{0xff});
  BitReader reader(bytes);
  reader.read(3);
  reader.fail();
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.read(64), 0u);
  EXPECT_EQ(reader.read_golomb(2), 0u);
  EXPECT_FALSE(reader.read_bool());
  EXPECT_EQ(reader.left(), 0u);
}

#ifdef MOBULA_ASSERTS
TEST(BitStreamDeathTest, AssertsThatAValueFitsItsBits) {
  Bytes buffer(8);
  BitWriter writer(buffer);
  EXPECT_DEATH(writer.write(4, 2), "value does not fit its bits");
  EXPECT_DEATH(writer.rewind(1), "cannot rewind forward");
}
#endif

}  // namespace
}  // namespace mobula::core
