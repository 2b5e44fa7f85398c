#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mobula/net/proxy_header.hpp>
#include <string>

namespace mobula::net::proxy_header_test {
namespace {

using State = ProxyHeader::State;
using namespace std::string_literals;
using transport::Address;

core::Result<ProxyHeader> parse(std::string_view text) {
  return parse_proxy_header(core::as_bytes(text.data(), text.size()));
}

// Returns the client, "itself" if the header keeps the peer's address, or what else the bytes are.
std::string result_of(std::string_view text) {
  const core::Result<ProxyHeader> header = parse(text);
  if (!header) return header.error().reason;
  if (header->state == State::absent) return "absent";
  if (header->state == State::incomplete) return "incomplete";
  return header->client ? to_string(*header->client) : "itself";
}

// A header of version 2: signature, version and command, family, length, and what follows.
std::string v2(char command, char family, const std::string& rest) {
  const std::string head = "\r\n\r\n\0\r\nQUIT\n"s + command + family;
  return head + static_cast<char>(rest.size() >> 8) + static_cast<char>(rest.size()) + rest;
}

const std::string v4_addresses = "\xc0\0\2\1"s + "\xc6\x33\x64\1"s + "\xdc\4"s + "\1\xbb"s;
const std::string v6_addresses =
    "\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1"s + "\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\2"s + "\xdc\4"s + "\1\xbb"s;

const std::vector<std::string>& complete_headers() {
  static const std::vector<std::string> headers{
      "PROXY TCP4 192.0.2.1 198.51.100.1 56324 443\r\n",
      "PROXY TCP6 2001:db8::1 2001:db8::2 56324 443\r\n",
      "PROXY UNKNOWN\r\n",
      "PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535\r\n",
      v2(0x21, 0x11, v4_addresses),
      v2(0x21, 0x21, v6_addresses),
      v2(0x20, 0x00, ""),
      v2(0x21, 0x11, v4_addresses + "\x04\0\1x"s),
  };
  return headers;
}

TEST(ProxyHeader, ReadsTheClientOfVersion1) {
  EXPECT_EQ(result_of("PROXY TCP4 192.0.2.1 198.51.100.1 56324 443\r\n"), "192.0.2.1:56324");
  EXPECT_EQ(result_of("PROXY TCP6 2001:db8::1 ::1 0 65535\r\n"), "[2001:db8::1]:0");
  EXPECT_EQ(result_of("PROXY UNKNOWN\r\n"), "itself");
  EXPECT_EQ(result_of("PROXY UNKNOWN any bytes \xff at all\r\n"), "itself");
}

TEST(ProxyHeader, ReadsTheClientOfVersion2) {
  EXPECT_EQ(result_of(v2(0x21, 0x11, v4_addresses)), "192.0.2.1:56324");
  EXPECT_EQ(result_of(v2(0x21, 0x21, v6_addresses)), "[2001:db8::1]:56324");
  EXPECT_EQ(result_of(v2(0x21, 0x00, "")), "itself") << "unknown family";
  EXPECT_EQ(result_of(v2(0x20, 0x11, v4_addresses)), "itself") << "a connection of the proxy's own";
  EXPECT_EQ(result_of(v2(0x20, 0x7f, "anything")), "itself");
}

TEST(ProxyHeader, SizeIsThatOfTheHeaderAlone) {
  for (const std::string& header : complete_headers()) {
    const core::Result<ProxyHeader> parsed = parse(header + "and the stream");
    ASSERT_TRUE(parsed) << header;
    EXPECT_EQ(parsed->size, header.size()) << header;
  }
}

TEST(ProxyHeader, IsIncompleteUpToItsLastByte) {
  for (const std::string& header : complete_headers())
    for (std::size_t size = 0; size < header.size(); ++size)
      ASSERT_EQ(result_of(std::string_view(header).substr(0, size)), "incomplete") << header << size;
}

TEST(ProxyHeader, IsAbsentBeforeAnyOtherStream) {
  for (const std::string& stream : {"GET / HTTP/1.1\r\n"s, "POST / HTTP/1.1\r\n"s, "PROXY\t"s, "proxy TCP4 "s,
                                    "\x16\3\1"s, "\5\0hello"s, "\r\n\r\nx"s, "\r\n\r\n\0\r\nQUIT\r"s, "x"s, "\0"s})
    EXPECT_EQ(result_of(stream), "absent") << stream;
}

TEST(ProxyHeader, RefusesMalformedLines) {
  for (const char* line : {"",
                           "TCP4",
                           "TCP4 192.0.2.1 198.51.100.1 1",
                           "TCP4 192.0.2.1 198.51.100.1 1 2 ",
                           "TCP4 192.0.2.1 198.51.100.1 1 2 3",
                           "TCP4  192.0.2.1 198.51.100.1 1 2",
                           "TCP4 192.0.2.1 198.51.100.1 01 2",
                           "TCP4 192.0.2.1 198.51.100.1 65536 2",
                           "TCP4 192.0.2.1 198.51.100.1 -1 2",
                           "TCP4 192.0.2.1 198.51.100.1 1 x",
                           "TCP4 ::1 ::1 1 2",
                           "TCP6 192.0.2.1 198.51.100.1 1 2",
                           "TCP6 ::1 192.0.2.1 1 2",
                           "TCP4 192.0.2 192.0.2.1 1 2",
                           "UDP4 192.0.2.1 198.51.100.1 1 2",
                           "tcp4 192.0.2.1 198.51.100.1 1 2",
                           "UNKNOWNS",
                           "unknown",
                           "TCP4\t192.0.2.1 198.51.100.1 1 2",
                           "TCP4 192.0.2.1 198.51.100.1 1 2\n"})
    EXPECT_EQ(result_of("PROXY " + std::string(line) + "\r\n"), "bad line") << line;
}

TEST(ProxyHeader, RefusesOtherVersionsCommandsAndFamilies) {
  EXPECT_EQ(result_of(v2(0x11, 0x11, v4_addresses)), "bad version");
  EXPECT_EQ(result_of(v2(0x31, 0x11, v4_addresses)), "bad version");
  EXPECT_EQ(result_of(v2(0x22, 0x11, v4_addresses)), "bad command");
  EXPECT_EQ(result_of(v2(0x21, 0x12, v4_addresses)), "bad family") << "UDP over IPv4";
  EXPECT_EQ(result_of(v2(0x21, 0x22, v6_addresses)), "bad family") << "UDP over IPv6";
  EXPECT_EQ(result_of(v2(0x21, 0x31, std::string(216, 'u'))), "bad family") << "a Unix socket";
  EXPECT_EQ(result_of(v2(0x21, 0x01, v4_addresses)), "bad family");
}

TEST(ProxyHeader, RefusesTooFewBytesForAddresses) {
  EXPECT_EQ(result_of(v2(0x21, 0x11, v4_addresses.substr(1))), "too short");
  EXPECT_EQ(result_of(v2(0x21, 0x21, v4_addresses)), "too short");
  EXPECT_EQ(result_of(v2(0x21, 0x11, "")), "too short");
}

TEST(ProxyHeader, ALineHasAtMost107Bytes) {
  const std::string begin = "PROXY UNKNOWN ";
  const std::string longest = begin + std::string(proxy_header_v1_bytes_max - begin.size() - 2, 'x') + "\r\n";
  EXPECT_EQ(longest.size(), 107u);
  EXPECT_EQ(result_of(longest), "itself");
  EXPECT_EQ(result_of(begin + std::string(200, 'x') + "\r\n"), "too long");
  EXPECT_EQ(result_of(longest.substr(0, 105) + "x\r\n"), "too long");
  EXPECT_EQ(result_of(longest.substr(0, 105) + "x\r"), "too long") << "no further byte is awaited";
}

TEST(ProxyHeader, TlvsHaveAtMost1024Bytes) {
  const std::string tlvs(proxy_tlv_bytes_max, 't');
  EXPECT_EQ(result_of(v2(0x21, 0x21, v6_addresses + tlvs)), "[2001:db8::1]:56324");
  EXPECT_EQ(v2(0x21, 0x21, v6_addresses + tlvs).size(), proxy_header_bytes_max);
  EXPECT_EQ(result_of(v2(0x21, 0x21, v6_addresses + tlvs + 't')), "too long");
  EXPECT_EQ(result_of(v2(0x20, 0x00, std::string(65535, 't')).substr(0, 16)), "too long") << "known from its length";
}

}  // namespace
}  // namespace mobula::net::proxy_header_test
