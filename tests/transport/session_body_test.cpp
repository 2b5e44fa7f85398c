#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/transport/session_body.hpp>

namespace mobula::transport {
namespace {

core::Bytes entry(std::uint16_t header, std::size_t rest) {
  core::Bytes bytes(entry_header_bytes + rest);
  core::store(bytes.data(), header);
  return bytes;
}

bool reads(const core::Bytes& bytes, Entry& out) {
  core::ByteView rest(bytes);
  return next_entry(rest, out) && rest.empty();
}

TEST(SessionBody, ReadsTheEntriesOfTheHeaders) {
  Entry read;
  ASSERT_TRUE(reads(entry(entry_header(EntryKind::unreliable, Lane::control, 9), 9), read));
  EXPECT_EQ(read.kind, EntryKind::unreliable);
  EXPECT_EQ(read.bytes.size(), 9u);
  core::Bytes chunk = entry(entry_header(EntryKind::chunk, Lane::bulk, 1000), 1002);
  core::store(chunk.data() + 2, std::uint16_t{54'321});
  ASSERT_TRUE(reads(chunk, read));
  EXPECT_EQ(read.kind, EntryKind::chunk);
  EXPECT_EQ(read.lane, Lane::bulk);
  EXPECT_EQ(read.chunk, 54'321);
  EXPECT_EQ(read.bytes.size(), 1000u);
}

TEST(SessionBody, RefusesUnknownEntries) {
  Entry read;
  const std::uint16_t unknown_kind = 3 << 11;
  const std::uint16_t unknown_lane = entry_header(EntryKind::chunk, Lane::count, 4);
  const std::uint16_t lane_of_a_message = entry_header(EntryKind::unreliable, Lane::bulk, 4);
  for (const std::uint16_t header : {unknown_kind, unknown_lane, lane_of_a_message}) {
    core::Bytes bytes = entry(header, 100);
    core::ByteView rest(bytes);
    EXPECT_FALSE(next_entry(rest, read)) << header;
  }
  EXPECT_FALSE(reads(entry(entry_header(EntryKind::unreliable, Lane::control, 5), 4), read));
  EXPECT_FALSE(reads(entry(entry_header(EntryKind::chunk, Lane::control, 5), 6), read));
  EXPECT_FALSE(reads(core::Bytes(1), read));
}

TEST(SessionBody, DisconnectRoundTripsItsReason) {
  std::array<std::byte, session_body_bytes_max> body;
  for (const std::string& text : {std::string(), std::string("a ban of three days"), std::string(300, 'x')}) {
    const std::size_t size = encode_disconnect({ReasonCode::kicked, text}, body);
    const std::optional<Reason> read = decode_disconnect(core::ByteView(body).first(size));
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(*read, (Reason{ReasonCode::kicked, text.substr(0, reason_text_bytes_max)}));
    for (std::size_t cut = 0; cut + text.size() < size; ++cut) {
      EXPECT_FALSE(decode_disconnect(core::ByteView(body).first(cut)).has_value());
    }
  }
}

TEST(SessionBody, DisconnectTextIsPrintableOnArrival) {
  std::array<std::byte, session_body_bytes_max> body;
  const std::size_t size = encode_disconnect({ReasonCode::left, "a\nb\x80"}, body);
  EXPECT_EQ(decode_disconnect(core::ByteView(body).first(size))->text, "a?b?");
}

TEST(SessionBody, RefusesMalformedDisconnects) {
  std::array<std::byte, session_body_bytes_max> body{};
  const std::size_t size = encode_disconnect({ReasonCode::left, "bye"}, body);
  const auto refused = [&](auto&& change) {
    std::array<std::byte, session_body_bytes_max> bad = body;
    std::size_t bad_size = size;
    change(bad, bad_size);
    return !decode_disconnect(core::ByteView(bad).first(bad_size)).has_value();
  };
  EXPECT_FALSE(refused([](auto&, std::size_t&) {}));
  EXPECT_TRUE(refused([](auto& bytes, std::size_t&) { bytes[0] = std::byte{1}; })) << "a sequence";
  EXPECT_TRUE(refused([](auto& bytes, std::size_t&) { bytes[10] = std::byte{0}; })) << "no reason";
  EXPECT_TRUE(refused([](auto& bytes, std::size_t&) { bytes[10] = std::byte{255}; })) << "an unknown reason";
  EXPECT_TRUE(refused([](auto&, std::size_t& bad_size) { ++bad_size; })) << "more than one entry";
  EXPECT_TRUE(refused([](auto& bytes, std::size_t& bad_size) {
    core::store(bytes.data() + 8, entry_header(EntryKind::disconnect, Lane::control, 162));
    bad_size = 10 + 162;
  })) << "the text is too long";
}

}  // namespace
}  // namespace mobula::transport
