// Seeds of the fuzz targets for datagrams, sessions, connect tokens and texts of the command line.
#include <cstring>
#include <fuzz/seeds.hpp>
#include <mobula/core/base64.hpp>
#include <mobula/transport/connect_token.hpp>
#include <mobula/transport/session.hpp>
#include <string>

namespace mobula::fuzz {
namespace {

// The steps of fuzz_session.cpp.
void sessions() {
  using namespace std::string_literals;
  const std::string to_victim = "\x03"s + std::string(4, '\0');
  const std::string to_peer = "\x04"s + std::string(4, '\0');
  const std::string wait = "\x05\x20\x00"s;
  const std::string reliable = "\x01\x10\x0f"s;          // 3856 bytes
  const std::string bulk = "\x01\x00\x50"s;              // 480 bytes
  const std::string tagged = "\x01\xf0\xc3"s;            // 160 bytes
  const std::string unreliable = "\x01\x64\x80"s;        // 2868 bytes, which are too many
  const std::string short_unreliable = "\x01\x1c\x89"s;  // 100 bytes
  write_seed("session", "both_ways", reliable + short_unreliable + to_victim + wait + to_peer + wait + to_victim);
  write_seed("session", "refused", unreliable + reliable + reliable + to_victim);
  write_seed("session", "lanes",
             bulk + reliable + tagged + short_unreliable + to_victim + wait + to_peer + wait + to_victim);
  write_seed("session", "disconnect",
             reliable + to_victim + "\x07\x0a\xff\x07\x00\x00"s + short_unreliable + to_victim);
  write_seed("session", "clock",
             reliable + to_victim + "\x06\xff\xff"s + bulk + to_victim + to_peer + wait + to_victim);
  write_seed("session", "damage",
             reliable + reliable + "\x03\x02\x05\x00\x01\x03\x06\x10\x00"s + wait + to_peer + wait + to_victim);
  transport::Session session({}, 0);
  static_cast<void>(session.send_reliable(core::Bytes(40)));
  static_cast<void>(session.send_unreliable(core::Bytes(9)));
  std::string raw;
  session.flush(0, [&](core::ByteView body) {
    raw += '\0';
    raw += static_cast<char>(body.size());
    raw += '\0';
    raw.append(reinterpret_cast<const char*>(body.data()), body.size());
  });
  write_seed("session", "raw", raw + raw + to_peer);
}

// The steps of fuzz_datagram.cpp.
void datagrams() {
  using namespace std::string_literals;
  const std::string exchange = "\x03"s + std::string(8, '\0');
  const std::string wait = "\x07\x80\x00"s;
  const std::string connected = exchange + wait + exchange + wait + exchange;
  const auto sealed = [](char type, char side, const std::string& body) {
    return "\x02"s + type + side + static_cast<char>(body.size()) + '\0' + body;
  };
  write_seed("datagram", "connect", connected + wait + exchange);
  write_seed("datagram", "disconnected", connected + "\x05"s + exchange + wait + exchange);
  write_seed("datagram", "pipe_lost", connected + "\x04\x00"s + exchange);
  write_seed("datagram", "damage", "\x03\x02\x10\x00\x03\x06\x01\x00"s + wait + connected);
  write_seed("datagram", "raw",
             connected + "\x00\x00\x14\x00\x15"s + std::string(19, 'r') + "\x01\x12\x00\x16"s + std::string(17, 'c'));
  write_seed("datagram", "sealed",
             connected + sealed(5, 0, std::string(30, 's')) + sealed(4, 0, std::string(8, '\0')) + sealed(6, 0, "") +
                 sealed(5, 1, "body") + sealed(6, 1, ""));
  write_seed("datagram", "response", sealed(3, 0, std::string(308, 'x')) + exchange);
  write_seed("datagram", "token",
             "\x06\x01\x0d"s + std::string(12, 'i') + '\x02' + "\x06\x02\x08"s + std::string(8, 'j') + exchange);
}

// The table of fuzz_text.cpp.
void texts() {
  using namespace std::string_literals;
  write_seed("text", "conditions",
             "\x00"s +
                 "latency=80ms jitter=20ms loss=5% dup=1.25% reorder=2% corrupt=0.1% burst=1%:5:80% "
                 "bandwidth=256KB/s queue=100ms");
  write_seed("text", "conditions_bad", "\x00"s + "latency=61s loss=101%");
  write_seed("text", "base64", "\x01"s + "TW9idWxhIGJpcm9zdHJpcw==");
  write_seed("text", "listen", "\x02"s + "192.0.2.1:7777");
  write_seed("text", "listen_v6", "\x02"s + "[2001:db8::1]:7777");
  write_seed("text", "destination", "\x03\x02"s + "2001:db8::1]7777");
  write_seed("text", "destination_v4", "\x03\x01"s + "::ffff:192.0.2.1]7777");
  write_seed("text", "destination_url", "\x03\x04"s + "::1]80/game");
  write_seed("text", "key_file", "\x04"s + std::string(64, 'a') + "\r\n");
  write_seed("text", "bearer_file", "\x05"s + std::string(40, 'b') + " \r\nmore");
  write_seed("text", "address", "\x06"s + "tcp:game.example:7778");
  write_seed("text", "address_host", "\x06"s + "[::ffff:127.0.0.1]");
  write_seed("text", "address_scope", "\x06"s + "udp:[fe80::1%eth0]:7777");
  write_seed("text", "url_ws", "\x06"s + "ws://127.0.0.1:7778");
  write_seed("text", "url_wss", "\x06"s + "wss://game.example/game/1?x");
  write_seed("text", "url_path", "\x06"s + "WSS://[2001:db8::1]:443/a%20b/@:://");
  write_seed("text", "url_tcp", "\x06"s + "tcp://localhost/");
  write_seed("text", "url_udp", "\x06"s + "udp://user@localhost:0/x#y");
}

void tokens() {
  transport::TokenRequest request;
  request.client_id = 7;
  request.servers = {transport::Address::v4(192, 0, 2, 1, 7777), {{0x20, 1, 0x0d, 0xb8}, 7778}};
  std::memcpy(request.user_data.data(), "anna", 4);
  const core::Bytes token = transport::mint_token(request, {}, {}, 1000).value();
  write_seed("token", "binary", token);
  write_seed("token", "base64", core::to_base64(token) + '\n');
  const std::string json = R"({"tokens":[")" + core::to_base64(token) + R"("]})";
  const std::string head = "\r\nContent-Length: " + std::to_string(json.size()) + "\r\n\r\n";
  write_seed("answer", "a_token", "HTTP/1.1 200 OK" + head + json);
  write_seed("answer", "refused", "HTTP/1.1 401 Unauthorized\r\n\r\n" + std::string(R"({"error":{"message":"no\n"}})"));
  write_seed("answer", "not_a_token",
             std::string("HTTP/1.0 200\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"));
  request.user_data[0] = std::byte{0xff};  // no text
  request.timeout_seconds = -1;
  write_seed("token", "no_text", transport::mint_token(request, {}, {}, 1000).value());
}

// The lines of fuzz_web.cpp.
void requests() {
  write_seed("web", "page", std::string("GET\n/\nlocalhost:8080\n-\ngzip, deflate, br\n"));
  write_seed("web", "unchanged", std::string("GET\n/game.js?v=1\n127.0.0.1\n-\n\nW/\"0123456789abcdef\", *\n"));
  write_seed("web", "escape", std::string("GET\n/%2e%2e/..%2f..\\etc/passwd%00\nlocalhost\n-\ngzip;q=0, *\n"));
  write_seed("web", "within", std::string("HEAD\n/a%20b/\n[::1]:8080\n-\n*;q=0.5\n"));
  write_seed("web", "token", std::string("GET\n/token?user_data=anna\ngame.example\nhttp://localhost:5173\n"));
  write_seed("web", "foreign", std::string("GET\n/token\nlocalhost:8080\nhttps://localhost.evil.example:8080\n"));
  write_seed("web", "same_host", std::string("GET\nhttp://localhost/token\nlocalhost:8080\nHTTP://LocalHost:8080\n"));
  write_seed("web", "other_method", std::string("POST\n/game-K3XQ2P7A.js\nlocalhost\nnull\n"));
}

}  // namespace

void write_network_seeds() {
  sessions();
  datagrams();
  texts();
  tokens();
  requests();
}

}  // namespace mobula::fuzz
