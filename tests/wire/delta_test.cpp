#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/core/random.hpp>
#include <mobula/wire/delta.hpp>
#include <mobula/wire/event_batch.hpp>
#include <string>

namespace mobula::wire {
namespace {

core::Bytes bytes_of_hex(std::string_view text) {
  core::Bytes bytes;
  for (std::size_t i = 0; i < text.size(); i += 3)
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
  return bytes;
}

core::Bytes bytes_of(const DeltaHeader& header) {
  core::Bytes bytes(header_size(header));
  EXPECT_EQ(write_header(header, bytes), bytes.size());
  return bytes;
}

constexpr DeltaHeader example{.sequence = 9,
                              .tick = 0x01020304,
                              .ack = 4,
                              .commands = {.done = 0xfffffff0u, .held = 5, .margin = -3},
                              .complete = true,
                              .verifies = true,
                              .hash = 0x0123456789abcdefull};

// The same with short numbers, for a receiver that has reached `near`.
constexpr DeltaHeader shortened(DeltaHeader header) {
  header.short_numbers = true;
  return header;
}
constexpr KnownNumbers near{.sequence = 8, .tick = 0x01020301, .ack = 6};

std::string refusal(core::ByteView bytes, const KnownNumbers& known = {}) {
  const core::Result<DeltaHeader> read = read_delta_header(bytes, known);
  if (read) return "";
  EXPECT_TRUE(read.error().reason == std::string_view("malformed delta") ||
              read.error().reason == std::string_view("too late"));
  return read.error().message;
}

TEST(DeltaHeader, GoldenBytes) {
  EXPECT_EQ(bytes_of(example), bytes_of_hex("36 "           // complete, verifies, feedback, long numbers
                                            "09 00 00 00 "  // sequence
                                            "04 03 02 01 "  // tick
                                            "04 00 00 00 "  // ack
                                            "f0 ff ff ff "  // done
                                            "05 "           // held
                                            "fd "           // margin
                                            "ef cd ab 89 67 45 23 01 "));
  EXPECT_EQ(bytes_of(shortened(example)),
            bytes_of_hex("16 09 00 04 03 04 00 f0 ff ff ff 05 fd ef cd ab 89 67 45 23 01 "));
  EXPECT_EQ(bytes_of({.sequence = 1, .tick = 2}), bytes_of_hex("20 01 00 00 00 02 00 00 00 00 00 00 00 "));
  EXPECT_EQ(bytes_of(shortened({.sequence = 1, .tick = 2})), bytes_of_hex("00 01 00 02 00 00 00 "));
}

TEST(DeltaHeader, MarksThatLostEntitiesMayContinue) {
  const core::Bytes bytes = bytes_of({.sequence = 1, .tick = 2, .lost_continue = true});
  EXPECT_EQ(bytes, bytes_of_hex("a0 01 00 00 00 02 00 00 00 00 00 00 00 "));
  EXPECT_TRUE(read_delta_header(bytes)->lost_continue);
  EXPECT_FALSE(read_delta_header(bytes_of(example))->lost_continue);
}

TEST(DeltaHeader, NamesABodyThatWasSentAhead) {
  const DeltaHeader header{.sequence = 1, .tick = 2, .verifies = true, .hash = 0x0123456789abcdefull, .body = 7};
  core::Bytes bytes = bytes_of(header);
  EXPECT_EQ(bytes, bytes_of_hex("2c 01 00 00 00 02 00 00 00 00 00 00 00 ef cd ab 89 67 45 23 01 07 00 00 00 "));
  const core::Result<DeltaHeader> read = read_delta_header(bytes);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->body, 7u);
  EXPECT_EQ(read->hash, header.hash);
  EXPECT_FALSE(read_delta_header(core::ByteView(bytes).first(bytes.size() - 1)).ok());
  bytes.push_back({});
  EXPECT_FALSE(read_delta_header(bytes).ok()) << "nothing follows the number";
  bytes.pop_back();
  bytes[bytes.size() - delta_body_number_size] = {};
  EXPECT_FALSE(read_delta_header(bytes).ok()) << "bodies are numbered from 1";
}

// The vector of protocol.md: 28 did not run, 30 ran three ticks late.
constexpr DeltaHeader with_outcomes{.sequence = 9,
                                    .tick = 0x01020304,
                                    .ack = 4,
                                    .commands = {.done = 31, .held = 5, .unusual = 0b1010, .late = {3, 0}}};

CommandFeedback random_outcomes(core::Random& random, CommandFeedback feedback) {
  const std::uint32_t bits = std::min(feedback.done, 1 + random.below(64));
  const std::uint32_t one_in = 1 + random.below(20);
  std::size_t count = 0;
  for (std::uint32_t age = 0; age < bits; ++age) {
    if (!random.chance(1, one_in)) continue;
    feedback.unusual |= std::uint64_t{1} << age;
    feedback.late[count++] = static_cast<std::uint8_t>(random.below(command_ticks_late_max + 1u));
  }
  return feedback;
}

TEST(DeltaHeader, ListsOutcomesOfCommands) {
  const core::Bytes bytes = bytes_of(shortened(with_outcomes));
  EXPECT_EQ(bytes, bytes_of_hex("10 09 00 04 03 04 00 1f 00 00 00 85 00 0e c1 0f "));
  EXPECT_EQ(outcomes_size(with_outcomes.commands), 3u);
  const core::Result<DeltaHeader> read = read_delta_header(bytes, near);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->commands, with_outcomes.commands);
  EXPECT_EQ(outcomes_size({.done = 70, .held = 3}), 0u);
}

TEST(DeltaHeader, OutcomesTakeAtMost48Bytes) {
  for (const std::uint64_t unusual : {~0ull, ~0ull >> 1, 1ull << 63, 1ull}) {
    CommandFeedback feedback{.done = 64, .unusual = unusual};
    for (std::size_t i = 0; i < feedback.outcomes(); ++i) feedback.late[i] = command_ticks_late_max;
    EXPECT_LE(outcomes_size(feedback), delta_outcomes_size_max);
    const DeltaHeader header{.sequence = 1, .tick = 1, .commands = feedback};
    EXPECT_EQ(read_delta_header(bytes_of(header))->commands, feedback);
  }
}

TEST(DeltaHeader, MalformedOutcomesAreRefused) {
  const auto refused = [](std::initializer_list<unsigned> outcomes, std::uint32_t done = 31) {
    core::Bytes bytes = bytes_of({.sequence = 1, .tick = 1, .commands = {.done = done, .held = 5}});
    bytes[bytes.size() - 2] |= std::byte{0x80};
    for (const unsigned each : outcomes) bytes.push_back(static_cast<std::byte>(each));
    return refusal(bytes);
  };
  EXPECT_EQ(refused({0x0e, 0xc1, 0x0f}), "");
  EXPECT_EQ(refused({0x3f}), "outcomes out of range") << "none is listed";
  EXPECT_EQ(refused({0x0e, 0xc1, 0x1f}), "outcomes out of range") << "padding";
  EXPECT_EQ(refused({0x83, 0x1f}), "outcomes out of range") << "the last that is listed is usual";
  EXPECT_EQ(refused({0, 0, 0, 0, 0, 0, 0, 0}, 100), "outcomes out of range");
  EXPECT_EQ(refused({0x0e, 0xc1, 0x0f}, 3), "outcomes out of range") << "commands are numbered from 1";
  EXPECT_EQ(refused({0x0e, 0xc1, 0x0f}, 4), "");
  EXPECT_EQ(refused({0x0e, 0xc1}), "shorter than its header");
  core::Bytes held = bytes_of({.sequence = 1, .tick = 1, .commands = {.done = 1, .held = 64}});
  EXPECT_EQ(refusal(held), "");
  held[held.size() - 2] = std::byte{65};
  EXPECT_EQ(refusal(held), "feedback out of range");
}

TEST(DeltaHeader, FeedbackIsEqualByWhatItStates) {
  const CommandFeedback one{.done = 9, .unusual = 0b11, .late = {4, 5}};
  CommandFeedback other = one;
  other.late[2] = 7;
  EXPECT_EQ(one, other) << "entries beyond the outcomes do not count";
  other.late[1] = 7;
  EXPECT_NE(one, other);
  other = one;
  other.unusual = 0b101;
  EXPECT_NE(one, other);
  other = one;
  other.drop_outcomes(8);
  EXPECT_EQ(other, (CommandFeedback{.done = 9, .unusual = 1, .late = {4}}));
  other.drop_outcomes(9);
  EXPECT_EQ(other, CommandFeedback{.done = 9});
}

TEST(DeltaHeader, IsReadAsItWasSent) {
  core::Random random(1);
  const auto number = [&] { return static_cast<std::uint32_t>(random.next()); };
  const auto reached = [&](std::uint32_t sent) {
    const std::int64_t known = std::int64_t{sent} - 32767 + random.below(65535);
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(known, 0, 0xffffffff));
  };
  for (int i = 0; i < 3000; ++i) {
    DeltaHeader header{.sequence = number() | 1,
                       .tick = number() | 1,
                       .ack = number() >> random.below(32),
                       .commands = {.done = number(),
                                    .held = static_cast<std::uint8_t>(number() % (commands_held_max + 1)),
                                    .margin = static_cast<std::int8_t>(number())},
                       .complete = random.chance(1, 2),
                       .verifies = random.chance(1, 2),
                       .short_numbers = random.chance(1, 2),
                       .without_early = random.chance(1, 2)};
    if (random.chance(1, 2)) header.commands = random_outcomes(random, header.commands);
    if (random.chance(1, 4)) header.commands = {};
    if (header.verifies) header.hash = random.next();
    const KnownNumbers known{reached(header.sequence), reached(header.tick), reached(header.ack), 0};
    core::Bytes bytes = bytes_of(header);
    bytes.resize(bytes.size() + random.below(20), std::byte{0xff});  // following bytes do not matter
    const core::Result<DeltaHeader> read = read_delta_header(bytes, known);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->sequence, header.sequence);
    EXPECT_EQ(read->tick, header.tick);
    EXPECT_EQ(read->ack, header.ack);
    EXPECT_EQ(read->commands, header.commands);
    EXPECT_EQ(read->complete, header.complete);
    EXPECT_EQ(read->verifies, header.verifies);
    EXPECT_EQ(read->hash, header.hash);
    EXPECT_EQ(read->short_numbers, header.short_numbers);
    EXPECT_EQ(read->without_early, header.without_early);
    EXPECT_EQ(header_size(*read), header_size(header));
  }
}

TEST(DeltaHeader, EveryTruncationIsRefused) {
  for (const DeltaHeader& header : {example, shortened(example), with_outcomes}) {
    const core::Bytes bytes = bytes_of(header);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_EQ(refusal(core::ByteView(bytes).first(size), near), "shorter than its header") << size;
    EXPECT_EQ(refusal(bytes, near), "");
  }
}

TEST(DeltaHeader, AContradictoryOneIsRefused) {
  EXPECT_EQ(refusal(bytes_of({.sequence = 0, .tick = 1})), "header out of range");
  EXPECT_EQ(refusal(bytes_of({.sequence = 1, .tick = 0})), "header out of range");
  const auto with_flags = [](std::uint8_t flags) {
    core::Bytes bytes = bytes_of(example);
    bytes[0] = std::byte{flags};
    return bytes;
  };
  EXPECT_EQ(refusal(with_flags(event_batch_kind)), "header out of range");
  EXPECT_EQ(refusal(with_flags(0xff)), "header out of range");
}

TEST(DeltaHeader, ShortNumbersAreRefusedIfNotNear) {
  const core::Bytes bytes = bytes_of(shortened({.sequence = 0x8001, .tick = 0x8001, .ack = 0x8001}));
  EXPECT_EQ(refusal(bytes, {.sequence = 2, .tick = 2, .ack = 2}), "") << "each is 32,767 above";
  EXPECT_EQ(refusal(bytes, {.sequence = 0x10000, .tick = 0x10000, .ack = 0x10000}), "") << "each is 32,767 below";
  EXPECT_EQ(refusal(bytes, {.sequence = 1, .tick = 2, .ack = 2}), "header out of range") << "two are equally near";
  EXPECT_EQ(refusal(bytes, {.sequence = 2, .tick = 1, .ack = 2}), "header out of range");
  EXPECT_EQ(refusal(bytes, {.sequence = 2, .tick = 2, .ack = 1}), "header out of range");
  EXPECT_EQ(refusal(bytes, {.sequence = 2, .tick = 2, .ack = 0}), "header out of range") << "below 0";
  const core::Bytes five = bytes_of(shortened({.sequence = 5, .tick = 5, .ack = 5}));
  EXPECT_EQ(refusal(five, {.ack = 0xffffffff}), "header out of range") << "above 32 bits";
  const core::Bytes zero = bytes_of(shortened({.sequence = 0x10000, .tick = 1, .ack = 1}));
  EXPECT_EQ(refusal(zero, {.sequence = 3}), "header out of range") << "sequences begin at 1";
}

TEST(DeltaHeader, ShortNumbersBeforeALongDeltaAreTooLate) {
  const KnownNumbers known{.sequence = 12, .tick = 50000, .ack = 20, .long_sequence = 10};
  const core::Bytes before = bytes_of(shortened({.sequence = 9, .tick = 100, .ack = 19}));
  EXPECT_STREQ(read_delta_header(before, known).error().reason, "too late");
  EXPECT_EQ(refusal(bytes_of(shortened({.sequence = 10, .tick = 49990, .ack = 19})), known), "");
  EXPECT_EQ(read_delta_header(bytes_of({.sequence = 9, .tick = 100, .ack = 19}), known)->tick, 100u);
}

#ifdef MOBULA_ASSERTS
TEST(DeltaHeader, AHeaderWithoutRoomIsAMistake) {
  core::Bytes bytes(delta_header_size_max);
  EXPECT_DEATH(write_header(example, bytes), "the buffer holds a header");
}
#endif

}  // namespace
}  // namespace mobula::wire
