// Writes the seeds of every fuzz target below a folder: make-fuzz-seeds tests/fuzz/corpus
// Writes the same bytes on every run. Needed only after a change of a format.
#include <cstdio>
#include <examples/demo/demo_game.hpp>
#include <filesystem>
#include <fstream>
#include <fuzz/mirror_state.hpp>
#include <fuzz/seeds.hpp>
#include <mobula/client/connection/recorded_connection.hpp>
#include <mobula/core/base64.hpp>
#include <mobula/resource/compiler/compiler.hpp>
#include <mobula/transport/connect_token.hpp>
#include <mobula/transport/session.hpp>
#include <mobula/wire/event_batch.hpp>
#include <mobula/wire/input.hpp>
#include <mobula/wire/messages.hpp>
#include <reflect/compile_schema.hpp>
#include <resource/sealed_file.hpp>
#include <server/hamlet.hpp>
#include <string>
#include <wire/codec_world.hpp>

using namespace mobula;

namespace {

std::filesystem::path root;

void write(const std::string& target, const std::string& name, const auto& bytes) {
  fuzz::write_seed(target, name, bytes);
}

void messages() {
  const core::ContentHash hash = core::content_hash({});
  const std::vector<index::ComponentRef> components{{core::StringId32(1), core::StringId32(2)},
                                                    {core::StringId32(1), core::StringId32(3)}};
  write("message", "hello", wire::encode(wire::Hello{.schema_fingerprint = hash, .name = "somebody", .verify = true}));
  write("message", "welcome",
        wire::encode(wire::Welcome{.session = 1,
                                   .ticks_per_second = 20,
                                   .entities_max = 1000,
                                   .schema_fingerprint = hash,
                                   .schema = core::Bytes(20),
                                   .resources = {{hash, 20}}}));
  write("message", "names", wire::encode(wire::Names{{"Body", "Fog", ""}}));
  write("message", "prototypes",
        wire::encode(wire::Prototypes{
            {{1, index::prototype_hash(components), components}, {2, index::prototype_hash({}), {}}}}));
  write("message", "player_entity", wire::encode(wire::PlayerEntity{{5, 7}}));
  write("message", "rejoin_tokens", wire::encode(wire::RejoinTokens{core::Bytes(wire::rejoin_token_bytes)}));
  write("message", "resource_request", wire::encode(wire::ResourceRequest{hash, 7}));
  write("message", "resource_part", wire::encode(wire::ResourcePart{hash, 7, core::Bytes(20)}));
  write("message", "hello_again",
        wire::encode(wire::Hello{.schema_fingerprint = {}, .name = "a", .resources = {hash}, .resume = true}));
  write("message", "level", wire::encode(wire::Level{hash, {3, 9, 1}, 5, core::Bytes(2, std::byte{1})}));
  write("message", "mirror_hashes",
        wire::encode(wire::MirrorHashes{false, 2, 9, 70, {{3, {5, 1}, 60, 77}, {8, {6, 1}, 70, 78}}}));
  write("message", "mirror_correction",
        wire::encode(wire::MirrorCorrection{.fault = wire::MirrorFault::values,
                                            .of_level = true,
                                            .place = 3,
                                            .entity = {5, 1},
                                            .tick = 60,
                                            .words = {1, 2, 3}}));
  write("message", "mirror_difference", wire::encode(wire::MirrorDifference{{5, 1}, "Pickup", "amount", "9", "1"}));
  write("message", "closing", wire::encode(wire::Closing{30, "the server ends"}));
  write("message", "events", wire::encode(wire::Events{9, {{0, {}, core::Bytes(5)}, {7, {5, 1}, {}}}}));
}

void inputs() {
  const auto write_input = [](const char* name, const wire::InputDatagram& input) {
    core::Bytes datagram(wire::input_bytes_max);
    datagram.resize(wire::encode_input(input, datagram).bytes);
    write("input", name, datagram);
  };
  wire::InputDatagram input{.ack = 9, .newest = 200, .words = 4, .received = {~0ull, 5, ~0ull, 255}};
  write_input("idle", input);
  const core::Bytes bytes(40, std::byte{3});
  input.first_command = 33;
  for (std::uint32_t i = 0; i < 5; ++i)
    input.commands.push_back(
        {100 + i * i, 95 + i, static_cast<std::uint8_t>(i), core::ByteView(bytes).first(10 * (4 - i))});
  write_input("commands", input);
  input.words = 1;
  input.commands.assign(wire::input_commands_max, {0xffffffffu, 0xffff0001u, 1, core::ByteView(bytes).first(1)});
  write_input("many", input);
}

void event_batches() {
  const core::Bytes bytes(200, std::byte{4});
  core::Bytes batch;
  wire::begin_event_batch(77, batch);
  for (std::uint16_t i = 0; i < 5; ++i) {
    const ecs::Entity about = i % 2 == 0 ? ecs::null_entity : ecs::Entity{i, 1};
    static_cast<void>(wire::add_to_event_batch({i, about, core::ByteView(bytes).first(i * 50u)}, batch));
  }
  write("event_batch", "some", batch);
  wire::begin_event_batch(1, batch);
  for (std::uint16_t i = 0; wire::add_to_event_batch({i, {}, {}}, batch);) ++i;
  write("event_batch", "many", batch);
}

void deltas() {
  const test::MirrorState& state = test::mirror_state();
  write("delta", "first", state.first);
  write("delta", "next", state.next);
  write("delta", "after", state.after);
  core::Bytes nothing(wire::delta_header_size + 2);
  wire::write_header({.sequence = 100, .tick = 100, .ack = state.world.ack()}, nothing);
  core::BitWriter bits(core::MutableBytes(nothing).subspan(wire::delta_header_size));
  bits.write_golomb(0, wire::moving_count_order);
  for (int list = 0; list < 3; ++list) bits.write_golomb(0, wire::count_order);
  write("delta", "nothing", nothing);
}

// Transform and Parent are in engine.fbs.
constexpr const char* small_schema = R"(
  enum Color:ubyte { none = 0, red, blue }
  struct Bag (component) {
    count:ubyte;
    colors:[Color:3] (count:"count");
    text:[ubyte:5] (fixed_string, default:"ab");
    mesh:uint (string_id);
    secret:short (not_sent, range:"-3 3");
    target:mobula.engine.EntityRef;
  })";

constexpr const char* small_level = R"({
"include": ["a.json"],
"entities": {
 "hall": {"components": {"Target": {"entity": "lamp/flame"}}, "children": {"lamp": {"prefab": "lamp"}}},
 "late": {"parent": "/hall/lamp", "components": {"Name": {"text": "Late"}, "Inventory": {"items": [1, 2]}}}},
"placements": [
 {"name": "row", "prefab": "lamp", "at": [[1, 0, 0], [2, 0, 0, 90]]},
 {"name": "grid", "prefab": "lamp", "grid": {"origin": [0, 0, 5], "count": [2, 1, 2], "step": [6, 0, 4]}},
 {"name": "woods", "prefab": "lamp", "scatter": {"count": 3, "seed": 7, "area": [-9, -9, 9, 9]}}]})";

constexpr const char* small_include = R"({"prefabs": {
 "base": {"components": {"Transform": {"position": {"y": 1.5}, "rotation": {"yaw": 90}}}},
 "lamp": {"prefab": "base", "spawnable": true,
  "components": {"Body": {"$type": "RenderData", "mesh": "lamp", "tint": 255}, "Team": {"color": "red"}},
  "children": {"flame": {"components": {"Transform": {"position": [0, 1, 0]}, "Target": {"entity": ".."}}}}}}})";

// Deltas of all components and of one, for the owner and for others, with one and two baselines; and a full state.
void entities() {
  using namespace std::string_literals;
  const std::string bits("\x7b\x35\x1c\xff\x00\x52\xe1\x08\x93\x6a\x44\xd7\x2e\x01\x80\x5f", 16);
  write("entity", "all_moving", "\x00\x01\x21\x03\x03"s + bits + bits);
  write("entity", "one_moving", "\x04\x02\x10\x05\x02"s + bits);
  write("entity", "at_rest", "\x06\x03\x91\x07\x00"s + bits + bits);
  write("entity", "full_state", "\x00\x04\x03\x00\x00"s + bits + bits + bits);
}

void levels() {
  const std::string together = std::string(small_level) + '\0' + small_include;
  write("level_json", "small", together);
  write("level_json", "prefabs_alone", std::string(small_include));
  write("level_json", "raw_parts", std::string(R"({"entities": {"a": {}, "b": {"parent": "a"}},
 "statics": [{"type": "Line", "data": "0001"}],
 "columns": [{"type": "Route", "entities": ["/b"], "data": "00000000000000000000", "references": [[2, "/a"]]}]})"));
  write("level_json", "raw_parts_bad", std::string(R"({"entities": {"a": {}}, "statics": [{"type": "L", "data": "0"}],
 "columns": [{"type": "R", "entities": ["/c", "/a", "/a"], "data": "zz", "references": [[9, "/x"]]}]})"));
  write("settings", "numbers", std::string("port = 9_000 # x\nquiet = true\r\nshare = -0.25e+1_0\nz = -0\n"));
  write("settings", "texts", std::string("level = \"a\\\"\\\\\\t\\u00e4\\U0001F600\"\npath = 'C:\\x'\n"));
  write("settings", "lists", std::string("address = [ # two\n  \"a:1\",\n  'b:2' ,# and\n ]\nnone = []\n1-_ = 5"));
  write("settings", "mistakes",
        std::string("\xef\xbb\xbf"
                    "a = \nb = maybe\nc = \"open\nd = 1\nd = 2\ne = [ \"x\",\n f = 3\n]\ng = 'a' b\nh = ]\n"));
  write("settings", "beyond_ascii", std::string("price = \"\\u20ac\"\nfar = 1e300\nmany = 99999999999999999999\n"));
  write("settings", "flag_number", std::string("12.5"));
  write("settings", "flag_list", std::string("a:1,b,"));
  write("level_json", "typo", std::string(R"({"entities": {"a": {"components": {"Helth": {"current": -1}}}}})"));
}

// Returns the input of fuzz_resource.cpp for a file.
core::Bytes fuzz_input(core::ByteView file) {
  const test::Payloads payloads = test::payloads_of(file);
  core::Bytes input(4);
  core::store(input.data(), static_cast<std::uint32_t>(payloads.clients.size()));
  for (const core::Bytes& part : {payloads.clients, payloads.server})
    input.insert(input.end(), part.begin(), part.end());
  return input;
}

void schemas_and_resources() {
  const core::Bytes schema = test::compile_schema(small_schema);
  write("schema", "small", schema);
  write("schema", "units", test::compile_schema(wire::test::units_schema));
  write("schema", "one", test::compile_schema("struct One (component) { on:bool; }"));

  constexpr const char* level = R"({
    "prefabs": {"box": {"spawnable": true, "components": {"Transform": {}, "Big": {"$type": "Bag", "mesh": "box"}},
      "children": {"lid": {"components": {"Bag": {"target": "..", "colors": ["red", "blue"]}}}}}},
    "entities": {"a": {"prefab": "box", "components": {"Bag": {"target": "/b"}}}, "b": {"parent": "/a/lid"},
      "c": {"server_only": true, "components": {"Bag": {"secret": 2}}}},
    "statics": [{"type": "Line", "data": "0001"}],
    "columns": [{"type": "Route", "entities": ["/b"], "data": "00000000000000000000", "references": [[2, "/a"]]}]})";
  resource::CompileOptions options;
  options.read = [&](const std::string&) { return core::Result<std::string>(level); };
  const resource::Compiled compiled = resource::compile("level.json", *test::load_schema(small_schema), options);
  for (const resource::CompileError& error : compiled.errors) std::fprintf(stderr, "%s\n", to_string(error).c_str());
  write("resource", "small", fuzz_input(compiled.bytes));
  options.read = [&](const std::string&) { return core::Result<std::string>(R"({"entities": {"a": {}}})"); };
  const resource::Compiled tiny =
      resource::compile("level.json", *test::load_schema("struct One (component) { on:bool; }"), options);
  write("resource", "tiny", fuzz_input(tiny.bytes));
}

// Writes steps of fuzz_session.cpp.
void sessions() {
  using namespace std::string_literals;
  const std::string to_victim = "\x03"s + std::string(4, '\0');
  const std::string to_peer = "\x04"s + std::string(4, '\0');
  const std::string wait = "\x05\x20\x00"s;
  const std::string reliable = "\x01\x10\x0f"s;          // 3856 bytes
  const std::string bulk = "\x01\x00\x50"s;              // 480 bytes
  const std::string tagged = "\x01\xf0\xc3"s;            // 160 bytes
  const std::string unreliable = "\x01\x64\x80"s;        // 2868 bytes, above the limit
  const std::string short_unreliable = "\x01\x1c\x89"s;  // 100 bytes
  write("session", "both_ways", reliable + short_unreliable + to_victim + wait + to_peer + wait + to_victim);
  write("session", "refused", unreliable + reliable + reliable + to_victim);
  write("session", "lanes",
        bulk + reliable + tagged + short_unreliable + to_victim + wait + to_peer + wait + to_victim);
  write("session", "disconnect", reliable + to_victim + "\x07\x0a\xff\x07\x00\x00"s + short_unreliable + to_victim);
  write("session", "clock", reliable + to_victim + "\x06\xff\xff"s + bulk + to_victim + to_peer + wait + to_victim);
  write("session", "damage",
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
  write("session", "raw", raw + raw + to_peer);
}

// Writes steps of fuzz_datagram.cpp.
void datagrams() {
  using namespace std::string_literals;
  const std::string exchange = "\x03"s + std::string(8, '\0');
  const std::string wait = "\x07\x80\x00"s;
  const std::string connected = exchange + wait + exchange + wait + exchange;
  const auto sealed = [](char type, char side, const std::string& body) {
    return "\x02"s + type + side + static_cast<char>(body.size()) + '\0' + body;
  };
  write("datagram", "connect", connected + wait + exchange);
  write("datagram", "disconnected", connected + "\x05"s + exchange + wait + exchange);
  write("datagram", "pipe_lost", connected + "\x04\x00"s + exchange);
  write("datagram", "damage", "\x03\x02\x10\x00\x03\x06\x01\x00"s + wait + connected);
  write("datagram", "raw",
        connected + "\x00\x00\x14\x00\x15"s + std::string(19, 'r') + "\x01\x12\x00\x16"s + std::string(17, 'c'));
  write("datagram", "sealed",
        connected + sealed(5, 0, std::string(30, 's')) + sealed(4, 0, std::string(8, '\0')) + sealed(6, 0, "") +
            sealed(5, 1, "body") + sealed(6, 1, ""));
  write("datagram", "response", sealed(3, 0, std::string(308, 'x')) + exchange);
  write("datagram", "token",
        "\x06\x01\x0d"s + std::string(12, 'i') + '\x02' + "\x06\x02\x08"s + std::string(8, 'j') + exchange);
}

// Writes inputs of fuzz_stream.cpp: a seed of the cuts, the stream.
void streams() {
  using namespace std::string_literals;
  const auto framed = [](std::size_t size, char fill) {
    return std::string{static_cast<char>(size), static_cast<char>(size >> 8)} + std::string(size, fill);
  };
  const std::string some = framed(1, 'a') + framed(30, 'b') + framed(2, 'c');
  write("stream", "uncut", "\0"s + some + some);
  write("stream", "small_pieces", "\x02"s + some + framed(200, 'd') + some);
  write("stream", "largest", "\x01"s + framed(transport::datagram_bytes_max, 'e') + framed(700, 'f') + some);
  write("stream", "no_end", "\x04"s + some + framed(300, 'g').substr(0, 90));
  write("stream", "empty_datagram", "\x06"s + some + framed(0, ' ') + some);
  write("stream", "too_long", "\x03"s + some + framed(transport::datagram_bytes_max + 1, 'h'));
}

// Writes inputs of fuzz_text.cpp: a format, the text.
void texts() {
  using namespace std::string_literals;
  write("text", "conditions",
        "\x00"s +
            "latency=80ms jitter=20ms loss=5% dup=1.25% reorder=2% corrupt=0.1% burst=1%:5:80% "
            "bandwidth=256KB/s queue=100ms");
  write("text", "conditions_bad", "\x00"s + "latency=61s loss=101%");
  write("text", "base64", "\x01"s + "TW9idWxhIGJpcm9zdHJpcw==");
  write("text", "listen", "\x02"s + "192.0.2.1:7777");
  write("text", "listen_v6", "\x02"s + "[2001:db8::1]:7777");
  write("text", "destination", "\x03\x02"s + "2001:db8::1]7777");
  write("text", "destination_v4", "\x03\x01"s + "::ffff:192.0.2.1]7777");
  write("text", "key_file", "\x04"s + std::string(64, 'a') + "\r\n");
  write("text", "bearer_file", "\x05"s + std::string(40, 'b') + " \r\nmore");
}

void tokens() {
  transport::TokenRequest request;
  request.client_id = 7;
  request.servers = {transport::Address::v4(192, 0, 2, 1, 7777), {{0x20, 1, 0x0d, 0xb8}, 7778}};
  std::memcpy(request.user_data.data(), "anna", 4);
  const core::Bytes token = transport::mint_token(request, {}, {}, 1000).value();
  write("token", "binary", token);
  write("token", "base64", core::to_base64(token) + '\n');
  const std::string json = R"({"tokens":[")" + core::to_base64(token) + R"("]})";
  const std::string head = "\r\nContent-Length: " + std::to_string(json.size()) + "\r\n\r\n";
  write("answer", "a_token", "HTTP/1.1 200 OK" + head + json);
  write("answer", "refused", "HTTP/1.1 401 Unauthorized\r\n\r\n" + std::string(R"({"error":{"message":"no\n"}})"));
  write("answer", "not_a_token", std::string("HTTP/1.0 200\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"));
  request.user_data[0] = std::byte{0xff};  // not UTF-8
  request.timeout_seconds = -1;
  write("token", "no_text", transport::mint_token(request, {}, {}, 1000).value());
}

// Records a session that is lost and rejoined.
void recordings() {
  std::filesystem::create_directories(root / "recording");
  const auto writer = client::RecordingWriter::create((root / "recording" / "rejoined").string());
  demo::DemoGame game;
  server::ServerConfig server;
  server.level = test::hamlet();
  test::Village village(game, server);
  test::Village::Client& client = village.join(client::ConnectionConfig{});
  client::RecordedConnection recorded(client.connection, **writer, village.now);
  client.input = &recorded;
  recorded.set_command(test::move_command(1, 0));
  village.ticks(12);
  recorded.pipe_closed("lost", village.now);
  village.tick();
  recorded.rejoin(village.now);
  village.ticks(3);
  recorded.close(client.port);
  static_cast<void>((*writer)->finish());
}

}  // namespace

void fuzz::write_seed(const std::string& target, const std::string& name, core::ByteView bytes) {
  std::filesystem::create_directories(root / target);
  std::ofstream file(root / target / name, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  root = argv[1];
  messages();
  inputs();
  event_batches();
  deltas();
  entities();
  schemas_and_resources();
  sessions();
  datagrams();
  levels();
  streams();
  texts();
  tokens();
  recordings();
  fuzz::write_conversation_seeds();
  fuzz::write_file_seeds();
  fuzz::write_stream_seeds();
}
