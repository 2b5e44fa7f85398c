#include <gtest/gtest.h>

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

TEST(DeltaHeader, GoldenBytes) {
  EXPECT_EQ(bytes_of(example), bytes_of_hex("00 "           // a delta
                                            "03 "           // complete, verifies
                                            "fd "           // margin
                                            "05 "           // held
                                            "09 00 00 00 "  // sequence
                                            "04 03 02 01 "  // tick
                                            "04 00 00 00 "  // ack
                                            "f0 ff ff ff "  // done
                                            "ef cd ab 89 67 45 23 01 "));
  EXPECT_EQ(bytes_of({.sequence = 1, .tick = 2}),
            bytes_of_hex("00 00 00 00 01 00 00 00 02 00 00 00 00 00 00 00 00 00 00 00 "));
}

TEST(DeltaHeader, NamesABodyThatWasSentAhead) {
  const DeltaHeader header{.sequence = 1, .tick = 2, .verifies = true, .hash = 0x0123456789abcdefull, .body = 7};
  core::Bytes bytes = bytes_of(header);
  EXPECT_EQ(bytes, bytes_of_hex("00 06 00 00 01 00 00 00 02 00 00 00 00 00 00 00 00 00 00 00 "
                                "ef cd ab 89 67 45 23 01 07 00 00 00 "));
  const core::Result<DeltaHeader> read = read_delta_header(bytes);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->body, 7u);
  EXPECT_EQ(read->hash, header.hash);
  EXPECT_FALSE(read_delta_header(core::ByteView(bytes).first(bytes.size() - 1)).ok());
  bytes.push_back({});
  EXPECT_FALSE(read_delta_header(bytes).ok()) << "nothing follows the number";
  bytes.pop_back();
  bytes[delta_header_size + delta_hash_size] = {};
  EXPECT_FALSE(read_delta_header(bytes).ok()) << "bodies are numbered from 1";
}

TEST(DeltaHeader, ComesBackAsItWasSent) {
  core::Random random(1);
  const auto number = [&] { return static_cast<std::uint32_t>(random.next()); };
  for (int i = 0; i < 1000; ++i) {
    DeltaHeader header{.sequence = number() | 1,
                       .tick = number() | 1,
                       .ack = number(),
                       .commands = {.done = number(),
                                    .held = static_cast<std::uint8_t>(number()),
                                    .margin = static_cast<std::int8_t>(number())},
                       .complete = random.chance(1, 2),
                       .verifies = random.chance(1, 2)};
    if (header.verifies) header.hash = random.next();
    core::Bytes bytes = bytes_of(header);
    bytes.resize(bytes.size() + random.below(20), std::byte{0xff});  // following bytes do not matter
    const core::Result<DeltaHeader> read = read_delta_header(bytes);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->sequence, header.sequence);
    EXPECT_EQ(read->tick, header.tick);
    EXPECT_EQ(read->ack, header.ack);
    EXPECT_EQ(read->commands.done, header.commands.done);
    EXPECT_EQ(read->commands.held, header.commands.held);
    EXPECT_EQ(read->commands.margin, header.commands.margin);
    EXPECT_EQ(read->complete, header.complete);
    EXPECT_EQ(read->verifies, header.verifies);
    EXPECT_EQ(read->hash, header.hash);
  }
}

std::string refusal(core::ByteView bytes) {
  const core::Result<DeltaHeader> read = read_delta_header(bytes);
  if (read) return "";
  EXPECT_STREQ(read.error().reason, "malformed delta");
  return read.error().message;
}

TEST(DeltaHeader, EveryTruncationIsRefused) {
  const core::Bytes bytes = bytes_of(example);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_EQ(refusal(core::ByteView(bytes).first(size)), "shorter than its header") << size;
  EXPECT_EQ(refusal(bytes), "");
}

TEST(DeltaHeader, OneThatSaysNonsenseIsRefused) {
  EXPECT_EQ(refusal(bytes_of({.sequence = 0, .tick = 1})), "header out of range");
  EXPECT_EQ(refusal(bytes_of({.sequence = 1, .tick = 0})), "header out of range");
  const auto with = [](std::size_t at, std::uint8_t value) {
    core::Bytes bytes = bytes_of(example);
    bytes[at] = std::byte{value};
    return bytes;
  };
  EXPECT_EQ(refusal(with(0, event_batch_kind)), "header out of range");
  EXPECT_EQ(refusal(with(0, 0xff)), "header out of range");
  EXPECT_EQ(refusal(with(1, 8)), "header out of range") << "a flag that is not known";
}

#ifdef MOBULA_ASSERTS
TEST(DeltaHeader, AHeaderWithoutRoomIsAMistake) {
  core::Bytes bytes(delta_header_size);
  EXPECT_DEATH(write_header(example, bytes), "the buffer holds a header");
}
#endif

}  // namespace
}  // namespace mobula::wire
