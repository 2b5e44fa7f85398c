// Arrivals in inputs: what a server computes from them is what the client had.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/core/random.hpp>
#include <mobula/wire/input_arrivals.hpp>
#include <set>

namespace mobula::wire::input_arrivals_test {
namespace {

// A client that receives deltas in any order and gives commands meanwhile. The reference is the set of all that it has.
struct Client {
  explicit Client(std::uint64_t seed) : random(seed) {}

  void receive(std::uint32_t sequence) {
    if (!had.insert(sequence).second) return;
    order.push_back(sequence);
  }
  void give_command() {
    seen.push_back(had);
    before.push_back(order.size());
  }
  // Returns an input with all commands, which names at most `known` arrivals.
  [[nodiscard]] InputDatagram input(std::uint8_t words, std::size_t known = input_arrivals_max) const {
    InputDatagram made{.ack = 1, .newest = had.empty() ? 0 : *had.rbegin(), .words = words, .first_command = 1};
    for (const std::uint32_t sequence : had) {
      const std::uint32_t age = made.newest - sequence;
      if (age < received_bits_max) made.received[age / 64] |= std::uint64_t{1} << age % 64;
    }
    std::size_t first = order.size();
    for (std::size_t i = before.size(); i-- > 0 && order.size() - before[i] <= known;) first = before[i];
    for (std::size_t i = 0; i < before.size(); ++i)
      made.commands.push_back(
          {.tick = 100,
           .view_tick = 99,
           .bytes = {},
           .arrived_before = before[i] < first ? arrivals_unknown : static_cast<std::uint8_t>(before[i] - first)});
    made.arrivals = static_cast<std::uint8_t>(order.size() - first);
    std::copy(order.begin() + static_cast<std::ptrdiff_t>(first), order.end(), made.arrived.begin());
    return made;
  }
  // Returns what a server knows of a set, if its bits reach as far as those of the input.
  [[nodiscard]] static SeenDeltas expected(const std::set<std::uint32_t>& set, const InputDatagram& input) {
    SeenDeltas result;
    if (set.empty() || input.newest - *set.rbegin() >= 64u * input.words) return result;
    result.newest = *set.rbegin();
    for (const std::uint32_t sequence : set)
      if (result.newest - sequence < 64 && input.newest - sequence < 64u * input.words)
        result.received |= std::uint64_t{1} << (result.newest - sequence);
    return result;
  }

  core::Random random;
  std::set<std::uint32_t> had;
  std::vector<std::uint32_t> order;
  std::vector<std::set<std::uint32_t>> seen;  // by command
  std::vector<std::size_t> before;            // by command: arrivals before it
};

InputDatagram sent(const InputDatagram& input, std::size_t bytes_max = input_bytes_max) {
  static core::Bytes bytes;
  bytes.assign(bytes_max, std::byte{0xee});
  bytes.resize(encode_input(input, bytes).bytes);
  InputDatagram out;
  const core::Status decoded = decode_input(bytes, out);
  EXPECT_TRUE(decoded.ok());
  EXPECT_EQ(out.commands_fault, nullptr);
  return out;
}

TEST(InputArrivals, EachCommandNamesWhatItsClientHad) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Client client(seed);
    core::Random& random = client.random;
    std::uint32_t newest = random.below(400);
    for (std::uint32_t i = 1; i <= newest; ++i)
      if (!random.chance(1, 5)) client.receive(i);
    const std::uint32_t commands = 1 + random.below(20);
    for (std::uint32_t i = 0; i < commands; ++i) {
      client.give_command();
      for (std::uint32_t arrivals = random.below(4); arrivals > 0; --arrivals) {
        newest += random.below(random.chance(1, 20) ? 40 : 3);
        const std::uint32_t late = random.chance(1, 4) ? random.below(std::min(newest, 32u) + 1) : 0;
        if (newest > late) client.receive(newest - late);
      }
    }
    const auto words = static_cast<std::uint8_t>(1 + random.below(input_words_max));
    const InputDatagram input = client.input(words);
    const InputDatagram out = sent(input);
    ASSERT_EQ(out.commands.size(), commands);
    for (std::size_t i = 0; i < commands; ++i) {
      const InputCommand& command = out.commands[i];
      ASSERT_EQ(command.fault, nullptr);
      if (command.arrived_before == arrivals_unknown) {
        EXPECT_EQ(command.seen, SeenDeltas{});
        const std::uint32_t first = client.order[std::min(client.before[i], client.order.size() - 1)];
        const bool is_long_ago = input.commands[i].arrived_before == arrivals_unknown;
        const bool is_beyond =
            std::any_of(client.order.begin() + static_cast<std::ptrdiff_t>(client.before[i]), client.order.end(),
                        [&](std::uint32_t sequence) { return input.newest - sequence >= 64u * words; });
        EXPECT_TRUE(is_long_ago || is_beyond) << "command " << i << ", from delta " << first;
      } else {
        EXPECT_EQ(command.seen, Client::expected(client.seen[i], out)) << "command " << i;
      }
    }
  }
}

TEST(InputArrivals, DeltasInOrderTakeFourBitsForEachCommand) {
  Client client(1);
  for (std::uint32_t i = 1; i <= 40; ++i) client.receive(i);
  const auto size = [&] {
    core::Bytes bytes(input_bytes_max);
    return encode_input(client.input(1), bytes).bytes;
  };
  for (int i = 0; i < 16; ++i) client.give_command();
  const std::size_t none = size();
  client.before.clear();
  client.seen.clear();
  for (std::uint32_t i = 0; i < 16; ++i) {
    client.give_command();
    client.receive(41 + i);
  }
  EXPECT_EQ(size(), none + 16 * 3 / 8);
}

TEST(InputArrivals, ArrivalsLongAgoAreUnknown) {
  Client client(1);
  client.receive(1);
  client.give_command();
  client.give_command();
  for (std::uint32_t i = 2; i <= 40; ++i) client.receive(i);
  client.give_command();
  for (std::uint32_t i = 41; i <= 60; ++i) client.receive(i);
  client.give_command();
  const InputDatagram out = sent(client.input(1, 30));
  EXPECT_EQ(out.commands[0].seen, SeenDeltas{});
  EXPECT_EQ(out.commands[1].seen, SeenDeltas{});
  EXPECT_EQ(out.commands[1].arrived_before, arrivals_unknown);
  EXPECT_EQ(out.commands[2].seen, (SeenDeltas{40, ~std::uint64_t{0} >> 24}));
  EXPECT_EQ(out.commands[3].seen, (SeenDeltas{60, ~std::uint64_t{0} >> 4}));
  EXPECT_EQ(out.arrivals, 20);
}

TEST(InputArrivals, ArrivalsOfCommandsThatDoNotFitAreTheLastOnes) {
  Client client(1);
  client.receive(1);
  for (std::uint32_t i = 2; i <= 4; ++i) {
    client.give_command();
    client.receive(i);
  }
  InputDatagram input = client.input(1);
  const core::Bytes large(500, std::byte{7});
  for (InputCommand& command : input.commands) command.bytes = large;
  const InputDatagram out = sent(input, input_bytes_least);
  ASSERT_EQ(out.commands.size(), 1u);
  EXPECT_EQ(out.commands[0].seen, (SeenDeltas{1, 1}));
  EXPECT_EQ(out.arrivals, 3);
}

TEST(InputArrivals, ACommandWithoutRoomForThemIsSentAlone) {
  Client client(1);
  for (std::uint32_t i = 1; i <= 255; ++i)
    if (i % 4 != 0) client.receive(i);
  client.give_command();
  for (std::uint32_t i = 4; i <= 252; i += 4) client.receive(i);
  InputDatagram input = client.input(4);
  input.commands[0].tick = 0x10000;
  input.commands[0].view_tick = 1;
  const core::Bytes large(command_bytes_max, std::byte{7});
  input.commands[0].bytes = large;
  EXPECT_EQ(sent(input).commands[0].seen, (SeenDeltas{255, 0x7777777777777777})) << "with room, each takes five bits";
  const InputDatagram out = sent(input, input_bytes_least);
  ASSERT_EQ(out.commands.size(), 1u);
  EXPECT_EQ(out.commands[0].fault, nullptr);
  EXPECT_EQ(out.commands[0].seen, SeenDeltas{});
}

// Reads arrivals as they are written here, for an input that acknowledges deltas 100 and 98.
InputDatagram read(const std::vector<std::vector<std::uint32_t>>& codes) {
  std::array<std::byte, 1000> bytes;
  core::BitWriter bits(bytes);
  for (const std::vector<std::uint32_t>& command : codes)
    for (const std::uint32_t code : command) bits.write_golomb(code, 0);
  EXPECT_TRUE(bits.ok());
  core::BitReader reader(core::ByteView(bytes).first(bits.bytes()));
  InputDatagram input{.ack = 1, .newest = 100, .received = {0b101}};
  input.commands.resize(codes.size());
  ArrivalReader arrivals;
  for (std::size_t i = 0; i < codes.size(); ++i) arrivals.read(reader);
  EXPECT_TRUE(reader.ok());
  arrivals.finish(input);
  return input;
}

TEST(InputArrivals, AMalformedListIsAFaultOfItsCommandAlone) {
  const InputDatagram good = read({{1, 0}, {1, 0}});
  EXPECT_EQ(good.commands[0].fault, nullptr);
  EXPECT_EQ(good.commands[0].seen, SeenDeltas{}) << "it had no delta";
  EXPECT_EQ(good.commands[1].seen, (SeenDeltas{98, 1}));
  for (const std::vector<std::uint32_t>& bad :
       std::initializer_list<std::vector<std::uint32_t>>{{3, 0, 0, 0}, {1, 2}, {1, 0xffffffff}, {66}, {0xffffffff}}) {
    const InputDatagram out = read({{1, 0}, bad, {0}});
    EXPECT_EQ(out.commands[0].fault, nullptr);
    EXPECT_EQ(out.commands[0].seen, SeenDeltas{}) << "what came after it is unknown";
    EXPECT_NE(out.commands[1].fault, nullptr);
    EXPECT_EQ(out.commands[2].fault, nullptr);
    EXPECT_EQ(out.commands[2].seen, (SeenDeltas{100, 0b101}));
  }
}

TEST(InputArrivals, MoreThan64ArrivalsAreRefused) {
  std::vector<std::uint32_t> most(65);
  most[0] = 64;
  const InputDatagram out = read({{1, 0}, most, {1, 0}});
  EXPECT_STREQ(out.commands[1].fault, "an input names at most 64 arrivals");
  EXPECT_EQ(out.commands[2].seen, (SeenDeltas{98, 1}));
}

TEST(InputArrivals, NothingIsNamedBeforeUnknownArrivals) {
  EXPECT_EQ(read({{0}, {arrivals_unknown_code}, {0}}).commands[0].fault, nullptr);
  EXPECT_STREQ(read({{1, 0}, {arrivals_unknown_code}, {0}}).commands[0].fault, "it names arrivals before unknown ones");
}

}  // namespace
}  // namespace mobula::wire::input_arrivals_test
