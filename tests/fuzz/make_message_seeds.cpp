// Seeds of the fuzz targets for messages, inputs, events, deltas and encoded entities.
#include <fuzz/mirror_state.hpp>
#include <fuzz/seeds.hpp>
#include <mobula/wire/event_batch.hpp>
#include <mobula/wire/input.hpp>
#include <mobula/wire/messages.hpp>
#include <string>

namespace mobula::fuzz {
namespace {

void messages() {
  const core::ContentHash hash = core::content_hash({});
  const std::vector<index::ComponentRef> components{{core::StringId32(1), core::StringId32(2)},
                                                    {core::StringId32(1), core::StringId32(3)}};
  write_seed("message", "hello",
             wire::encode(wire::Hello{.schema_fingerprint = hash, .name = "somebody", .verify = true}));
  write_seed("message", "welcome",
             wire::encode(wire::Welcome{.session = 1,
                                        .ticks_per_second = 20,
                                        .entities_max = 1000,
                                        .schema_fingerprint = hash,
                                        .schema = core::Bytes(20),
                                        .resources = {{hash, 20}}}));
  write_seed("message", "names", wire::encode(wire::Names{{"Body", "Fog", ""}}));
  write_seed("message", "prototypes",
             wire::encode(wire::Prototypes{
                 {{1, index::prototype_hash(components), components}, {2, index::prototype_hash({}), {}}}}));
  write_seed("message", "player_entity", wire::encode(wire::PlayerEntity{{5, 7}}));
  write_seed("message", "follow",
             wire::encode(wire::Follow{"land.east", core::Bytes(wire::token_bytes), {"udp://203.0.113.7:7777"}}));
  write_seed("message", "visit", wire::encode(wire::Visit{1, {12, 3}}));
  write_seed("message", "forward",
             wire::encode(wire::Forward{{12, 3}, wire::ForwardKind::unreliable_event, 1, 5, core::Bytes(9)}));
  write_seed("message", "rejoin_tokens", wire::encode(wire::RejoinTokens{core::Bytes(wire::token_bytes)}));
  write_seed("message", "resource_offer", wire::encode(wire::ResourceOffer{{{hash, 20, 77}}}));
  write_seed("message", "resource_request", wire::encode(wire::ResourceRequest{hash, 7}));
  write_seed("message", "resource_part", wire::encode(wire::ResourcePart{hash, 7, core::Bytes(20)}));
  write_seed("message", "hello_again",
             wire::encode(wire::Hello{.schema_fingerprint = {}, .name = "a", .resources = {hash}, .resume = true}));
  write_seed("message", "level", wire::encode(wire::Level{hash, {3, 9, 1}, 5, core::Bytes(2, std::byte{1})}));
  write_seed("message", "mirror_hashes",
             wire::encode(wire::MirrorHashes{false, 2, 9, 70, {{3, {5, 1}, 60, 77}, {8, {6, 1}, 70, 78}}}));
  write_seed("message", "mirror_correction",
             wire::encode(wire::MirrorCorrection{.fault = wire::MirrorFault::values,
                                                 .of_level = true,
                                                 .place = 3,
                                                 .entity = {5, 1},
                                                 .tick = 60,
                                                 .words = {1, 2, 3}}));
  write_seed("message", "mirror_difference",
             wire::encode(wire::MirrorDifference{{5, 1}, "Pickup", "amount", "9", "1"}));
  write_seed("message", "closing", wire::encode(wire::Closing{30, "the server ends"}));
  write_seed("message", "command_refused", wire::encode(wire::CommandRefused{12, "out of range: 0 to 100"}));
  write_seed("message", "delta_body",
             wire::encode(wire::DeltaBody{.number = 3, .offset = 5, .size = 12, .bytes = core::Bytes(7)}));
  write_seed("message", "prediction_report",
             wire::encode(wire::PredictionReport{20, 66, 3, 1, 2, 4, 5, 1250, 700, 40, 6}));
  write_seed("message", "events", wire::encode(wire::Events{9, {{0, {}, core::Bytes(5)}, {7, {5, 1}, {}}}}));
}

void inputs() {
  const auto encoded = [](const wire::InputDatagram& input) {
    core::Bytes datagram(wire::input_bytes_max);
    datagram.resize(wire::encode_input(input, datagram).bytes);
    return datagram;
  };
  const auto write_input = [&](const char* name, const wire::InputDatagram& input) {
    write_seed("input", name, encoded(input));
  };
  wire::InputDatagram input{.ack = 9, .newest = 200, .words = 4, .received = {~0ull, 5, ~0ull, 255}};
  write_input("idle", input);
  const core::Bytes bytes(40, std::byte{3});
  input.first_command = 33;
  for (std::uint32_t i = 0; i < 5; ++i)
    input.commands.push_back(
        {100 + i * i, 95 + i, static_cast<std::uint8_t>(i), core::ByteView(bytes).first(10 * (4 - i))});
  write_input("commands", input);
  input.arrivals = 3;
  input.arrived = {198, 200, 136};
  for (std::size_t i = 0; i < input.commands.size(); ++i)
    input.commands[i].arrived_before = i < 2 ? wire::arrivals_unknown : static_cast<std::uint8_t>(i - 2);
  write_input("arrivals", input);
  input.arrivals = 0;
  for (wire::InputCommand& command : input.commands) command.arrived_before = 0;
  input.words = 1;
  input.commands.assign(wire::input_commands_max, {0xffffffffu, 0xffff0001u, 1, core::ByteView(bytes).first(1)});
  write_input("many", input);
  input.commands.resize(2);
  core::Bytes bad_views = encoded(input);
  core::store(&bad_views[24], ecs::Tick{3});  // the tick of the first
  write_seed("input", "bad_views", bad_views);
}

void event_batches() {
  const core::Bytes bytes(200, std::byte{4});
  core::Bytes batch;
  wire::begin_event_batch(77, batch);
  for (std::uint16_t i = 0; i < 5; ++i) {
    const ecs::Entity about = i % 2 == 0 ? ecs::null_entity : ecs::Entity{i, 1};
    static_cast<void>(wire::add_to_event_batch({i, about, core::ByteView(bytes).first(i * 50u)}, batch));
  }
  write_seed("event_batch", "some", batch);
  wire::begin_event_batch(1, batch);
  for (std::uint16_t i = 0; wire::add_to_event_batch({i, {}, {}}, batch);) ++i;
  write_seed("event_batch", "many", batch);
}

void deltas() {
  const test::MirrorState& state = test::mirror_state();
  write_seed("delta", "first", state.first);
  write_seed("delta", "next", state.next);
  write_seed("delta", "after", state.after);
  const wire::DeltaHeader header{.sequence = 100, .tick = 100, .ack = state.world.ack()};
  core::Bytes nothing(wire::header_size(header) + 2);
  wire::write_header(header, nothing);
  core::BitWriter bits(core::MutableBytes(nothing).subspan(wire::header_size(header)));
  bits.write_golomb(0, wire::moving_count_order);
  for (int list = 0; list < 3; ++list) bits.write_golomb(0, wire::count_order);
  write_seed("delta", "nothing", nothing);
  wire::DeltaHeader late = header;
  late.commands = {.done = 70, .held = 3, .margin = -4, .unusual = 0x8000000000010006, .late = {3, 0, 30, 1}};
  core::Bytes outcomes(wire::header_size(late));
  wire::write_header(late, outcomes);
  outcomes.insert(outcomes.end(), nothing.end() - 2, nothing.end());
  write_seed("delta", "outcomes", outcomes);
}

// Bodies of those deltas: in one part, and in two.
void delta_bodies() {
  const test::MirrorState& state = test::mirror_state();
  const auto body_of = [](const core::Bytes& delta) {
    const std::size_t begin = wire::header_size(*wire::read_delta_header(delta));
    return std::string(reinterpret_cast<const char*>(delta.data()) + begin, delta.size() - begin);
  };
  const auto word = [](std::size_t value) {
    return std::string{static_cast<char>(value & 0xff), static_cast<char>(value >> 8)};
  };
  const std::string announced("\x04\x00", 2);
  const std::string first = body_of(state.first);
  const std::string next = body_of(state.next);
  const std::size_t half = next.size() / 2;
  write_seed("delta_body", "one_part", std::string(1, '\0') + word(next.size()) + next + announced);
  write_seed("delta_body", "two_parts",
             '\x01' + word(next.size()) + word(half) + next.substr(0, half) + announced + '\x02' +
                 word(next.size() - half) + next.substr(half) + announced);
  write_seed("delta_body", "gaps",
             '\x03' + word(1) + word(0) + word(first.size()) + word(2) + first.substr(0, 2) + '\x03' + word(1) +
                 word(3) + word(first.size()) + word(2) + first.substr(3, 2) + announced);
}

// Deltas of all components and of one, for the owner and for others, with and without a previous baseline; a full
// state.
void entities() {
  using namespace std::string_literals;
  const std::string bits("\x7b\x35\x1c\xff\x00\x52\xe1\x08\x93\x6a\x44\xd7\x2e\x01\x80\x5f", 16);
  write_seed("entity", "all_moving", "\x00\x01\x21\x03\x03"s + bits + bits);
  write_seed("entity", "one_moving", "\x04\x02\x10\x05\x02"s + bits);
  write_seed("entity", "steady", "\x00\x05\x21\x03\x21"s + bits + bits);
  write_seed("entity", "at_rest", "\x06\x03\x91\x07\x00"s + bits + bits);
  write_seed("entity", "full_state", "\x00\x04\x03\x00\x00"s + bits + bits + bits);
}

}  // namespace

void write_message_seeds() {
  messages();
  inputs();
  event_batches();
  deltas();
  delta_bodies();
  entities();
}

}  // namespace mobula::fuzz
