#include <array>
#include <boost/beast/zlib/deflate_stream.hpp>
#include <cstdint>
#include <mobula/core/assert.hpp>
#include <mobula/server/web/gzip.hpp>

namespace mobula::server::web {
namespace {

namespace zlib = boost::beast::zlib;

constexpr int best_level = 9;  // files are compressed once
constexpr int window_bits = 15;
constexpr int memory_level = 8;
constexpr std::size_t flush_bytes_max = 16;  // beyond the bound, for the end of the stream

// Begin of a member without a name or a time, from an unknown system.
constexpr std::string_view header("\x1f\x8b\x08\0\0\0\0\0\x02\xff", 10);

using Table = std::array<std::uint32_t, 256>;
constexpr Table crc_table = [] {
  Table table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? 0xedb88320u ^ (value >> 1) : value >> 1;
    table[byte] = value;
  }
  return table;
}();

std::uint32_t crc32(std::string_view content) {
  std::uint32_t crc = ~0u;
  for (const char c : content) crc = crc_table[(crc ^ static_cast<std::uint8_t>(c)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

void append_little_endian(std::string& text, std::uint32_t value) {
  for (int byte = 0; byte < 4; ++byte) text += static_cast<char>(value >> (8 * byte) & 0xff);
}

}  // namespace

std::string gzip(std::string_view content) {
  zlib::deflate_stream stream;
  stream.reset(best_level, window_bits, memory_level, zlib::Strategy::normal);
  std::string all(header);
  all.resize(header.size() + stream.upper_bound(content.size()) + flush_bytes_max);
  zlib::z_params buffers;
  buffers.next_in = content.data();
  buffers.avail_in = content.size();
  buffers.next_out = all.data() + header.size();
  buffers.avail_out = all.size() - header.size();
  boost::system::error_code error;
  stream.write(buffers, zlib::Flush::finish, error);
  MOBULA_CHECK(error == zlib::error::end_of_stream, "the bound of a compressed file holds");
  all.resize(header.size() + buffers.total_out);
  append_little_endian(all, crc32(content));
  append_little_endian(all, static_cast<std::uint32_t>(content.size()));
  return all;
}

}  // namespace mobula::server::web
