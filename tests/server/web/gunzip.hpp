// Decompression of gzip for tests, by the other half of the library.
#pragma once

#include <gtest/gtest.h>

#include <boost/beast/zlib/inflate_stream.hpp>
#include <string>
#include <string_view>

namespace mobula::server::web {

// Returns the content of one member of `size` bytes. Its checksum is not checked.
inline std::string gunzip(std::string_view packed, std::size_t size) {
  namespace zlib = boost::beast::zlib;
  constexpr std::size_t header = 10;
  constexpr std::size_t trailer = 8;
  EXPECT_GE(packed.size(), header + trailer);
  std::string content(size + 1, '\0');
  zlib::inflate_stream stream;
  zlib::z_params buffers;
  buffers.next_in = packed.data() + header;
  buffers.avail_in = packed.size() - header - trailer;
  buffers.next_out = content.data();
  buffers.avail_out = content.size();
  boost::system::error_code error;
  stream.write(buffers, zlib::Flush::finish, error);
  EXPECT_EQ(error, zlib::error::end_of_stream) << error.message();
  EXPECT_EQ(buffers.avail_in, 0u);
  content.resize(buffers.total_out);
  return content;
}

}  // namespace mobula::server::web
