#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <mobula/core/bit_stream.hpp>
#include <mobula/core/hex.hpp>
#include <mobula/core/random.hpp>
#include <mobula/wire/input.hpp>

namespace mobula::wire::input_test {
namespace {

// An input, and the bytes of its commands.
struct Example {
  InputDatagram input;
  std::vector<core::Bytes> bytes;

  void add(ecs::Tick tick, double view, std::size_t size, int fill = 7) {
    bytes.emplace_back(size, static_cast<std::byte>(fill));
    const auto whole = static_cast<ecs::Tick>(view);
    input.commands.push_back({tick, whole, static_cast<std::uint8_t>((view - whole) * 256), {}});
  }
  const InputDatagram& finish() {
    for (std::size_t i = 0; i < bytes.size(); ++i) input.commands[i].bytes = bytes[i];
    return input;
  }
};

TEST(Input, TheLeastRoomHoldsAnyOneCommand) {
  Example example;
  example.input.ack = 0xffffffffu;
  example.input.newest = 0xffffffffu;
  example.input.words = input_words_max;
  example.input.first_command = 0xffffff00u;
  example.add(0x10000, 1, command_bytes_max);
  example.add(0x10000, 1, command_bytes_max);
  core::Bytes bytes(input_bytes_least);
  const EncodedInput result = encode_input(example.finish(), bytes);
  EXPECT_EQ(result.commands, 1u);
  EXPECT_LE(result.bytes, input_bytes_least);
}

core::Bytes encoded(const InputDatagram& input, std::size_t* commands = nullptr) {
  core::Bytes bytes(input_bytes_max + 9, std::byte{0xee});
  const EncodedInput result = encode_input(input, bytes);
  if (commands != nullptr) *commands = result.commands;
  for (std::size_t i = input_bytes_max; i < bytes.size(); ++i) EXPECT_EQ(bytes[i], std::byte{0xee});
  bytes.resize(result.bytes);
  return bytes;
}

void expect_same(const InputDatagram& a, const InputDatagram& b) {
  EXPECT_EQ(a.ack, b.ack);
  EXPECT_EQ(a.newest, b.newest);
  EXPECT_EQ(a.words, b.words);
  EXPECT_EQ(a.received, b.received);
  EXPECT_EQ(a.first_command, b.first_command);
  ASSERT_EQ(a.commands.size(), b.commands.size());
  for (std::size_t i = 0; i < a.commands.size(); ++i) {
    EXPECT_EQ(a.commands[i].tick, b.commands[i].tick);
    EXPECT_EQ(a.commands[i].view_tick, b.commands[i].view_tick);
    EXPECT_EQ(a.commands[i].view_fraction, b.commands[i].view_fraction);
    EXPECT_TRUE(std::ranges::equal(a.commands[i].bytes, b.commands[i].bytes));
    EXPECT_EQ(a.commands[i].arrived_before, b.commands[i].arrived_before);
  }
}

Example random_example(core::Random& random) {
  Example example;
  InputDatagram& input = example.input;
  input.ack = 1 + random.below(random.chance(1, 2) ? 100 : 0xffffffffu);
  input.newest = random.below(random.chance(1, 2) ? 300 : 0xffffffffu);
  input.words = static_cast<std::uint8_t>(1 + random.below(4));
  for (std::uint32_t age = 0; age < input.words * 64u && age < input.newest; ++age)
    if (random.chance(3, 4)) input.received[age / 64] |= std::uint64_t{1} << age % 64;
  ecs::Tick tick = 70'000 + random.below(1000);
  const std::uint32_t count = random.chance(1, 3) ? 0 : random.below(input_commands_max + 4);
  if (count > 0) input.first_command = 1 + random.below(1000);
  for (std::uint32_t i = 0; i < count; ++i) {
    tick += random.chance(1, 20) ? random.below(100'000) : random.below(3);
    const double view = tick - random.below(random.chance(1, 9) ? 65'000 * 256 : 3000) / 256.0;
    example.add(tick, view, random.below(random.chance(1, 9) ? command_bytes_max + 1 : 40),
                static_cast<int>(random.below(256)));
  }
  // Every other delta that it acknowledges arrived after some command.
  std::uint32_t at = next_received(input.received, 0);
  for (InputCommand& command : input.commands) {
    command.arrived_before = input.arrivals;
    for (; at < input.words * 64u && input.arrivals < input_arrivals_max && random.chance(1, 2);
         at = next_received(input.received, at + 2))
      input.arrived[input.arrivals++] = input.newest - at;
  }
  example.finish();
  return example;
}

// Returns what is malformed in the input, in its commands or in the first malformed one. "" if it is accepted; then it
// is in bounds and round-trips.
std::string fault_of(core::ByteView datagram) {
  const core::Bytes exact(datagram.begin(), datagram.end());
  InputDatagram out;
  const core::Status decoded = decode_input(exact, out);
  if (!decoded) {
    EXPECT_STREQ(decoded.error().reason, "malformed input");
    EXPECT_FALSE(decoded.error().message.empty());
    return decoded.error().message;
  }
  EXPECT_EQ(out.commands.empty(), out.first_command == 0);
  if (out.commands_fault != nullptr) {
    EXPECT_TRUE(out.commands.empty());
    return out.commands_fault;
  }
  for (const InputCommand& command : out.commands) {
    EXPECT_LE(command.view_tick, command.tick);
    EXPECT_LE(command.bytes.size(), command_bytes_max);
    if (command.fault != nullptr) return command.fault;
  }
  std::size_t commands = 0;
  EXPECT_EQ(encoded(out, &commands), exact);
  EXPECT_EQ(commands, out.commands.size());
  return {};
}

bool accepted(core::ByteView datagram) { return fault_of(datagram).empty(); }

TEST(Input, AnIdleClientsInputTakes20Bytes) {
  const InputDatagram input{.ack = 5, .newest = 9, .received = {0x1ff}};
  const core::Bytes bytes = encoded(input);
  EXPECT_EQ(bytes.size(), 20u);
  InputDatagram out;
  ASSERT_TRUE(decode_input(bytes, out).ok());
  expect_same(out, input);
}

// The vector of protocol.md.
TEST(Input, HasTheBytesThatTheSpecificationShows) {
  Example example;
  example.input = {.ack = 7, .newest = 3, .received = {0b101}, .first_command = 12};
  example.add(100, 95.5, 2, 0xaa);
  example.add(101, 96.75, 1, 0xbb);
  example.input.arrivals = 1;
  example.input.arrived[0] = 3;
  example.input.commands[1].arrived_before = 1;
  EXPECT_EQ(core::to_hex(encoded(example.finish())),
            "07000000"
            "03000000"
            "01"
            "02"
            "0000"
            "0500000000000000"
            "0c000000"
            "64000000"
            "4540a8864008"
            "aaaa"
            "bb");
}

TEST(Input, DecodesWhatWasEncoded) {
  core::Random random(1);
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    Example example = random_example(random);
    std::size_t commands = 0;
    const core::Bytes bytes = encoded(example.input, &commands);
    ASSERT_LE(bytes.size(), input_bytes_max);
    InputDatagram out;
    const core::Status decoded = decode_input(bytes, out);
    ASSERT_TRUE(decoded.ok()) << decoded.error().message;
    ASSERT_LE(commands, example.input.commands.size());
    example.input.commands.resize(commands);
    if (commands == 0) example.input.first_command = 0;
    expect_same(out, example.input);
    ASSERT_TRUE(accepted(bytes));
  }
}

TEST(Input, TheOldestCommandsGoFirstWhenNotAllHaveRoom) {
  Example example;
  example.input = {.ack = 1, .first_command = 1};
  for (std::uint32_t i = 0; i < 3; ++i) example.add(10 + i, 5, command_bytes_max, static_cast<int>(i));
  std::size_t commands = 0;
  core::Bytes bytes = encoded(example.finish(), &commands);
  EXPECT_EQ(commands, 2u);
  InputDatagram out;
  ASSERT_TRUE(decode_input(bytes, out).ok());
  EXPECT_EQ(out.first_command, 1u);
  EXPECT_EQ(out.commands[1].bytes[0], std::byte{1});

  Example many;
  many.input = {.ack = 1, .first_command = 1};
  for (std::uint32_t i = 0; i < input_commands_max + 5; ++i) many.add(10 + i, 5, 1);
  encoded(many.finish(), &commands);
  EXPECT_EQ(commands, input_commands_max);
}

TEST(Input, ACommandPerTickTakesLittleMoreThanItsBytes) {
  Example example;
  example.input = {.ack = 1, .first_command = 1};
  for (std::uint32_t i = 0; i < 10; ++i) example.add(1000 + i, 988.3 + i, 20);
  EXPECT_EQ(encoded(example.finish()).size(), 20u + 8u + 10 * 20u + 30u);
}

TEST(Input, NoTruncationAndNoAppendixIsAccepted) {
  core::Random random(2);
  for (int round = 0; round < 20; ++round) {
    core::Bytes bytes = encoded(random_example(random).input);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_FALSE(accepted(core::ByteView(bytes).first(size))) << size << " of " << bytes.size();
    bytes.push_back(std::byte{0});
    EXPECT_FALSE(accepted(bytes));
  }
}

TEST(Input, DamagedAndRandomBytesAreRefusedOrWellFormed) {
  core::Random random(3);
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    core::Bytes bytes = encoded(random_example(random).input);
    if (random.chance(1, 5)) {
      bytes.resize(random.below(100));
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(random.chance(1, 2) ? 256 : 3));
    }
    for (std::uint32_t damage = 1 + random.below(4); damage > 0 && !bytes.empty(); --damage)
      bytes[random.below(static_cast<std::uint32_t>(bytes.size()))] ^= static_cast<std::byte>(1u << random.below(8));
    if (!accepted(bytes)) ++refused;
  }
  EXPECT_GT(refused, 5000);
}

// Fields of a command as they are sent, which encode_input may refuse. Each byte of the command is its size.
struct RawCommand {
  std::uint32_t step;  // ignored in the first command
  std::uint32_t size;
  std::uint32_t lag;
};

// Returns an input that acknowledges deltas 1 and 3, with commands from number 12 and tick 100 on.
core::Bytes with_commands(const std::vector<RawCommand>& commands, ecs::Tick first_tick = 100) {
  core::Bytes bytes = encoded({.ack = 7, .newest = 3, .received = {0b101}});
  bytes[9] = static_cast<std::byte>(commands.size());
  bytes.resize(28);
  core::store(&bytes[20], std::uint32_t{12});
  core::store(&bytes[24], first_tick);
  std::array<std::byte, 100> described;
  core::BitWriter bits(described);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (i > 0) bits.write_golomb(commands[i].step, 0);
    bits.write_golomb(commands[i].size, 4);
    bits.write_golomb(commands[i].lag, 10);
    bits.write_golomb(0, 0);
  }
  bytes.insert(bytes.end(), described.begin(), described.begin() + static_cast<std::ptrdiff_t>(bits.bytes()));
  for (const RawCommand& command : commands) bytes.resize(bytes.size() + command.size, std::byte(command.size));
  return bytes;
}

TEST(Input, ACommandHas512BytesAtMost) {
  EXPECT_EQ(fault_of(with_commands({{0, 512, 0}})), "");
  EXPECT_EQ(fault_of(with_commands({{0, 513, 0}})), "it is longer than 512 bytes");
}

TEST(Input, AViewIsNotBeforeTickZero) {
  const std::string before = "its view is before tick 0, or more than 65535 ticks before its tick";
  EXPECT_EQ(fault_of(with_commands({{0, 1, 100 * 256}})), "");
  EXPECT_EQ(fault_of(with_commands({{0, 1, 100 * 256 + 1}})), before);
  EXPECT_EQ(fault_of(with_commands({{0, 1, 0xffffff}}, 70'000)), "");
  EXPECT_EQ(fault_of(with_commands({{0, 1, 0x1000000}}, 70'000)), before);
  EXPECT_EQ(fault_of(with_commands({{0, 1, 1}}, 0)), before);
}

TEST(Input, AMalformedCommandCostsNothingBesideIt) {
  const RawCommand good{1, 3, 300};
  for (const RawCommand& bad : {RawCommand{1, 3, 0x1000000}, RawCommand{1, 600, 300}, RawCommand{1, 600, 0xffffffff}}) {
    SCOPED_TRACE(testing::Message() << bad.size << " bytes, lag " << bad.lag);
    const core::Bytes bytes = with_commands({good, bad, good});
    InputDatagram out;
    ASSERT_TRUE(decode_input(bytes, out).ok());
    EXPECT_EQ(out.commands_fault, nullptr);
    EXPECT_EQ(out.ack, 7u);
    EXPECT_EQ(out.newest, 3u);
    EXPECT_EQ(out.received[0], 0b101u);
    EXPECT_EQ(out.first_command, 12u);
    ASSERT_EQ(out.commands.size(), 3u);
    EXPECT_NE(out.commands[1].fault, nullptr);
    EXPECT_EQ(out.commands[1].tick, 101u);
    for (const std::size_t i : {0u, 2u}) {
      EXPECT_EQ(out.commands[i].fault, nullptr);
      EXPECT_EQ(out.commands[i].tick, 100 + i);
      EXPECT_EQ(out.commands[i].view_tick, 98 + i);
      EXPECT_THAT(out.commands[i].bytes, testing::Each(std::byte{3}));
    }
  }
}

TEST(Input, MalformedCommandsCostNoAcknowledgement) {
  const core::Bytes whole = with_commands({{0, 3, 300}, {1, 5, 300}});
  for (std::size_t size = 20; size < whole.size(); ++size) {
    InputDatagram out;
    ASSERT_TRUE(decode_input(core::ByteView(whole).first(size), out).ok()) << size;
    EXPECT_NE(out.commands_fault, nullptr) << size;
    EXPECT_TRUE(out.commands.empty());
    EXPECT_EQ(out.ack, 7u);
    EXPECT_EQ(out.newest, 3u);
    EXPECT_EQ(out.received[0], 0b101u);
  }
}

struct Refusal {
  const char* what;
  std::size_t at;  // byte of the vector above
  std::uint8_t value;
};

TEST(Input, RefusalsNameTheReason) {
  Example example;
  example.input = {.ack = 7, .newest = 3, .received = {0b101}, .first_command = 1};
  example.add(100, 95.5, 2);
  const core::Bytes good = encoded(example.finish());
  ASSERT_TRUE(accepted(good));
  for (const Refusal& refusal :
       std::initializer_list<Refusal>{{"a header out of range", 0, 0},
                                      {"a header out of range", 10, 1},
                                      {"an input has 1 to 4 words", 8, 0},
                                      {"an input has 1 to 4 words", 8, 5},
                                      {"ends within its words", 8, 4},
                                      {"more than 32 commands", 9, 33},
                                      {"ends within", 9, 2},
                                      {"bytes without commands", 9, 0},
                                      {"acknowledges a delta before the first", 12, 8},
                                      {"acknowledges a delta before the first", 19, 0x80},
                                      {"a command's number is 1 to 2^32 - 1", 20, 0},
                                      {"its view is before tick 0, or more than 65535 ticks before its tick", 24, 1}}) {
    core::Bytes bytes = good;
    bytes[refusal.at] = static_cast<std::byte>(refusal.value);
    EXPECT_THAT(fault_of(bytes), testing::HasSubstr(refusal.what));
  }
  EXPECT_THAT(fault_of(core::Bytes(input_bytes_max + 1)), testing::HasSubstr("longer"));
}

TEST(Input, NumbersAndTicksThatRunOverAreRefused) {
  Example last;
  last.input = {.ack = 1, .first_command = 0xffffffffu};
  last.add(0xffffffffu, 0xfffffff0u, 1);
  core::Bytes bytes = encoded(last.finish());
  EXPECT_TRUE(accepted(bytes));

  Example two;
  two.input = {.ack = 1, .first_command = 0xfffffffeu};
  two.add(0xfffffffeu, 0xfffffff0u, 1);
  two.add(0xffffffffu, 0xfffffff0u, 1);
  bytes = encoded(two.finish());
  EXPECT_TRUE(accepted(bytes));
  core::Bytes number = bytes;
  number[20] = std::byte{0xff};
  EXPECT_FALSE(accepted(number));
  core::Bytes tick = bytes;
  tick[24] = std::byte{0xff};
  EXPECT_EQ(fault_of(tick), "its tick is above 2^32 - 1");
  InputDatagram out;
  ASSERT_TRUE(decode_input(tick, out).ok());
  EXPECT_EQ(out.commands[0].fault, nullptr);
  EXPECT_EQ(out.commands[1].tick, 0xffffffffu) << "it is refused when the one before it has run";
}

}  // namespace
}  // namespace mobula::wire::input_test
