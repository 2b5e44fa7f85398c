// Hand-made WebSocket requests and frames (RFC 6455).
#pragma once

#include <string>
#include <string_view>

namespace mobula::net::raw_websocket {

inline std::string request(std::string_view path, std::string_view more = "") {
  return "GET " + std::string(path) +
         " HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
         "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n" +
         std::string(more) + "\r\n";
}

inline constexpr char binary = char(0x82);
inline constexpr char text = char(0x81);
inline constexpr char ping = char(0x89);
inline constexpr char pong = char(0x8a);
inline constexpr char bye = char(0x88);

// A client's frame, with a mask.
inline std::string frame(char first, std::string_view payload) {
  std::string bytes{first};
  if (payload.size() < 126) {
    bytes += static_cast<char>(0x80 | payload.size());
  } else {
    bytes += char(0xfe);
    bytes += static_cast<char>(payload.size() >> 8);
    bytes += static_cast<char>(payload.size());
  }
  constexpr std::string_view mask = "\x12\x34\x56\x78";
  bytes += mask;
  for (std::size_t i = 0; i < payload.size(); ++i) bytes += static_cast<char>(payload[i] ^ mask[i % 4]);
  return bytes;
}

}  // namespace mobula::net::raw_websocket
