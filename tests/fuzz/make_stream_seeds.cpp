// Seeds of the fuzz targets for streams: the admin port and stream pipes. A step is a byte and its operands.
#include <fuzz/seeds.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/server/game/world.hpp>
#include <mobula/server/zones/zone_pass.hpp>
#include <mobula/transport/address.hpp>
#include <server/hamlet.hpp>

namespace mobula::fuzz {
namespace {

using namespace std::string_literals;

std::string sized(const std::string& text) {
  return std::string{static_cast<char>(text.size()), static_cast<char>(text.size() >> 8)} + text;
}

// The steps of fuzz_http.cpp.
void questions() {
  const auto bytes = [](const std::string& text) { return "\0"s + sized(text); };
  const auto message = [](const std::string& text) { return "\2"s + sized(text); };
  const auto request = [](const std::string& what) { return what + " HTTP/1.1\r\nHost: localhost\r\n"; };
  const std::string tick = "\3"s;
  write_seed("http", "questions",
             "\0"s + bytes(request("GET /api/sessions?limit=1") + "\r\n" + request("HEAD /metrics") + "\r\n") +
                 bytes(request("PUT /api/entities/1.1/Health/current") + "Content-Length: 13\r\n\r\n{\"value\"") +
                 bytes(":77}"));
  write_seed("http", "absolute",
             "\0"s + bytes("GET http://localhost:7780/live?x HTTP/1.1\r\n\r\n") +
                 bytes("HEAD HTTP://[::1] HTTP/1.1\r\nHost: other\r\n\r\n"));
  write_seed("http", "expect",
             "\0"s + bytes(request("POST /api/tokens") + "Expect: 100-continue\r\nContent-Length: 11\r\n\r\n") +
                 bytes("{\"count\":1}"));
  write_seed("http", "in_pieces",
             "\0"s + bytes("GET / HT") + bytes("TP/1.1\r\nHo") + bytes("st: 127.0.0.1\r\n\r") + bytes("\n"));
  write_seed("http", "chunks",
             "\0"s + bytes(request("POST /api/tokens") + "Transfer-Encoding: chunked\r\n\r\n") +
                 bytes("b\r\n{\"count\":1}\r\n0\r\n\r\n"));
  const std::string body = R"({"count":2,"user_data":"anna"})";
  write_seed("http", "tokens",
             "\0"s + bytes(request("POST /api/tokens") + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                           body));
  write_seed("http", "with_token",
             "\2"s + bytes(request("GET /api/pools") + "Authorization: Bearer sesame-sesame-sesame\r\n\r\n") +
                 bytes(request("GET /api/pools") + "Origin: http://evil\r\nAuthorization: bearer x\r\n\r\n"));
  write_seed("http", "page", "\0"s + bytes(request("GET /") + "If-None-Match: \"x\"\r\nConnection: close\r\n\r\n"));
  write_seed("http", "live",
             "\1"s + message(R"({"subscribe":"overview"})") + tick + message(R"({"subscribe":"map","per_second":10})") +
                 tick + message(R"({"unsubscribe":"map"})") + message(R"({"subscribe":"mop"})") + tick);
  write_seed("http", "live_token", "\7"s + message(R"({"subscribe":"map","cell":"0 0"})") + tick + message("[1]"));
  write_seed("http", "live_no_token", "\3"s + message(R"({"token":"open"})"));
  write_seed("http", "frames",
             "\1"s + "\1\x89"s + sized("ping") + "\1\x01"s + sized("{\"subscribe\":") + "\1\x80"s + sized("\"map\"}") +
                 "\1\x82"s + sized("bytes") + "\1\x88"s + sized("\x03\xe8"));
}

// Requests for fuzz_admin.cpp that the hand-written seeds lack.
void ban_requests() {
  write_seed("admin", "ban", "\1/api/bans/eve\n{\"reason\":\"cheats\",\"seconds\":60}"s);
  write_seed("admin", "bans", "\0/api/bans?limit=1&cursor=0"s);
  write_seed("admin", "unban", "\3/api/bans/eve"s);
}

// Inputs of fuzz_stream.cpp: a byte that chooses the pieces, then the stream.
void streams() {
  const auto framed = [](std::size_t size, char fill) {
    return std::string{static_cast<char>(size), static_cast<char>(size >> 8)} + std::string(size, fill);
  };
  const std::string some = framed(1, 'a') + framed(30, 'b') + framed(2, 'c');
  write_seed("stream", "uncut", "\0"s + some + some);
  write_seed("stream", "small_pieces", "\x02"s + some + framed(200, 'd') + some);
  write_seed("stream", "largest", "\x01"s + framed(transport::datagram_bytes_max, 'e') + framed(700, 'f') + some);
  write_seed("stream", "no_end", "\x04"s + some + framed(300, 'g').substr(0, 90));
  write_seed("stream", "empty_datagram", "\x06"s + some + framed(0, ' ') + some);
  write_seed("stream", "too_long", "\x03"s + some + framed(transport::datagram_bytes_max + 1, 'h'));
}

// The steps of fuzz_pipe.cpp.
void pipes() {
  const auto raw = [](const std::string& bytes) { return "\0"s + sized(bytes); };
  const auto framed = [](std::size_t size) { return "\2"s + sized(std::string(size, 'd')); };
  const std::string answer = "\3\x90\1"s;
  const std::string close_frame = "\4"s;
  const std::string upgrade =
      "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
  write_seed("pipe", "tcp", "\0"s + framed(1) + answer + framed(700) + framed(0));
  write_seed("pipe", "tcp_close_frame", "\0"s + framed(30) + answer + close_frame + answer + framed(1));
  write_seed("pipe", "websocket", "\5"s + framed(9) + answer + framed(200) + close_frame + answer);
  write_seed("pipe", "websocket_client", "\7"s + framed(9) + answer + framed(200) + "\1\x88"s + sized("\x03\xe8"));
  write_seed("pipe", "upgrade", "\1"s + raw(upgrade) + framed(3) + answer);
  write_seed("pipe", "other_path", "\1"s + raw("GET /other" + upgrade.substr(5)) + framed(3));
  write_seed("pipe", "no_upgrade", "\3"s + raw("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno"));
  write_seed("pipe", "frames",
             "\5"s + "\1\x89"s + sized("ping") + "\1\x02"s + sized("one") + "\1\x80"s + sized("two") + "\1\x81"s +
                 sized("text") + framed(1400));
  write_seed("pipe", "too_long", "\5"s + framed(1301) + answer);
  const std::string line = "PROXY TCP4 192.0.2.7 198.51.100.1 56324 7777\r\n";
  write_seed("pipe", "proxy_tcp", "\x08"s + raw(line.substr(0, 20)) + raw(line.substr(20)) + framed(9) + answer);
  write_seed("pipe", "proxy_unknown", "\x09"s + raw("PROXY UNKNOWN\r\n" + upgrade) + framed(9) + answer);
  const std::string forwarded = "X-Forwarded-For: 192.0.2.7\r\nForwarded: for=\"192.0.2.7:4711\"\r\n\r\n";
  write_seed("pipe", "proxy_upgrade",
             "\x09"s + raw(upgrade.substr(0, upgrade.size() - 2) + forwarded) + framed(9) + answer);
}

// The kinds of fuzz_cluster.cpp.
void cluster_answers() {
  const auto seed = [](char kind, const std::string& name, const std::string& text) {
    write_seed("cluster", name, kind + text);
  };
  const std::string header = R"("header":{"cluster_id":"3","member_id":"5","revision":"7","raft_term":"2"})";
  const std::string key =
      R"({"key":"YS94","create_revision":"2","mod_revision":"4","version":"2","value":"MQ==","lease":"9"})";
  seed(0, "list", "{" + header + R"(,"kvs":[)" + key + R"(],"count":"1"})");
  seed(0, "lease", R"({"result":{)" + header + R"(,"ID":"9","TTL":"2"}})");
  seed(0, "failed", "{" + header + R"(,"responses":[{"response_range":{"kvs":[)" + key + "]}}]}");
  seed(10, "status", "{" + header + R"(,"version":"3.4.23","leader":"5","errors":["etcdserver: no leader"]})");
  seed(10, "members", "{" + header + R"(,"members":[{"ID":"5","name":"m0"},{"ID":"6","name":"m1"}]})");
  seed(1, "changes",
       R"({"result":{)" + header + R"(,"events":[{"kv":)" + key +
           R"(},{"type":"DELETE","kv":{"key":"YS95","mod_revision":"4"}}]}})");
  seed(1, "compacted", R"({"result":{"header":{"cluster_id":"3"},"canceled":true,"compact_revision":"6"}})");
  seed(2, "node", R"({"game":"g","version":"0.2.0","admin":"http://a:1","worlds_max":16,"draining":true})");
  seed(3, "load", R"({"worlds":3,"players":120,"tick_percent":43})");
  seed(4, "world", R"({"game":"g","state":"open","epoch":"1","node":"a","run":"5","addresses":["udp://a:1"]})");
  seed(4, "waiting", R"({"game":"g","state":"waiting","epoch":"2","trouble":"no such level"})");
  const std::string crossing = R"({"source":"a","target":"b","account":"anna","pack":"AAEC","data":"","left":true})";
  seed(7, "crossing", crossing);
  seed(7, "crossing_of_zones", R"({"source":"m.a","target":"m.b","entities":["17.1","18.4"],"pack":"AAEC"})");
  seed(8, "ledger", R"({"version":"7"})");
  seed(
      9, "ledger_state",
      R"({"version":"7","prepared":{"x-1":"{\"source\":\"a\",\"target\":\"b\",\"account\":\"anna\"}"},"left":["x-2"]})");
}

// The kinds of fuzz_zones.cpp.
void zones() {
  const auto seed = [](char kind, const std::string& name, const std::string& text) {
    write_seed("zones", name, kind + text);
  };
  seed(0, "map", R"({"zones":[{"name":"w","x":[null,0]},{"name":"e","x":[0,null]}],"hysteresis":1.5})");
  seed(0, "map_gap", R"({"zones":[{"name":"w","x":[null,-1]},{"name":"e","x":[0,null]}],"entities_per_zone":2048})");
  seed(
      0, "map_square",
      R"({"zones":[{"name":"a","x":[null,0],"z":[null,5]},{"name":"b","x":[null,0],"z":[5,null]},{"name":"c","x":[0,null]}]})");
  const transport::UserData pass = server::zone_pass(1, 7, {std::byte{1}});
  seed(1, "pass", std::string(reinterpret_cast<const char*>(pass.data()), pass.size()));
  server::WorldConfig config;
  config.schema = test::game_schema();
  const std::unique_ptr<server::World> world = std::move(*server::World::make(std::move(config)));
  const ecs::Entity parent = *world->create(engine::Transform{}, demo::Health{});
  const ecs::Entity child = *world->create(engine::Transform{}, demo::Target{parent});
  static_cast<void>(world->hierarchy().set_parent(child, parent));
  const core::Bytes pack = to_bytes(*world->pack_for_zone({&parent, 1}));
  seed(2, "pack", std::string(reinterpret_cast<const char*>(pack.data()), pack.size()));
}

// The kinds of fuzz_proxy.cpp.
void proxies() {
  const auto seed = [](char kind, const std::string& name, const std::string& text) {
    write_seed("proxy", name, kind + text);
  };
  const std::string v2 = "\r\n\r\n\0\r\nQUIT\n"s;
  const std::string v4 = "\xc0\0\2\7\xc6\x33\x64\1\xdc\4\x1e\x61"s;
  for (const char kind : {'\0', '\1'}) {
    const std::string part = kind == 0 ? "header_" : "goes_on_";
    seed(kind, part + "v1", "PROXY TCP4 192.0.2.7 198.51.100.1 56324 7777\r\n");
    seed(kind, part + "v1_unknown", "PROXY UNKNOWN\r\n");
    seed(kind, part + "v2", v2 + "\x21\x11\0\x10"s + v4 + "\4\0\1x"s);
    seed(kind, part + "v2_local", v2 + "\x20\0\0\0"s + "\5\0hello"s);
  }
  seed(0, "header_v1_bad", "PROXY TCP6 2001:db8::7 ::1 01 2\r\n");
  seed(0, "header_v2_udp", v2 + "\x21\x12\0\x0c"s + v4);
  seed(2, "forwarded", "For=192.0.2.9;proto=https;by=\"_x;y\", for=\"[2001:db8::9]:99\", for=unknown");
  seed(2, "forwarded_open_quote", "for=203.0.113.5;by=\"\\");
  seed(3, "x_forwarded_for", "203.0.113.5, [2001:db8::9]:99, 2001:db8::8, unknown, 10.0.0.9");
  seed(4, "range_v4", "10.0.0.0/8");
  seed(4, "range_v6", "2001:db8::/33");
  seed(4, "range_bad", "10.0.0.1/8");
}

}  // namespace

void write_stream_seeds() {
  ban_requests();
  questions();
  streams();
  pipes();
  cluster_answers();
  zones();
  proxies();
}

}  // namespace mobula::fuzz
