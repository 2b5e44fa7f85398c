// An example of every message, and what holds for each that is accepted.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/wire/delta.hpp>
#include <mobula/wire/messages.hpp>
#include <vector>

namespace mobula::wire::test {

inline core::ContentHash some_hash() { return core::content_hash(core::as_bytes("x", 1)); }

inline Prototype prototype_of(std::uint32_t id, std::vector<index::ComponentRef> components) {
  std::sort(components.begin(), components.end());
  return {id, index::prototype_hash(components), components};
}
inline index::ComponentRef ref(std::uint32_t type, std::uint32_t instance) {
  return {core::StringId32(type), core::StringId32(instance)};
}

inline Welcome welcome_of(std::uint32_t ticks_per_second, std::uint32_t entities_max) {
  Welcome welcome;
  welcome.session = 7;
  welcome.ticks_per_second = ticks_per_second;
  welcome.entities_max = entities_max;
  welcome.schema_fingerprint = some_hash();
  return welcome;
}

inline std::vector<Message> examples() {
  Welcome welcome = welcome_of(20, 1u << 20);
  Welcome with_schema = welcome;
  with_schema.schema = core::Bytes(333, std::byte{9});
  with_schema.prediction_seed = 0x0123456789abcdefull;
  with_schema.resources = {{some_hash(), 789'280, 31}, {{}, 0}};
  return {
      Hello{},
      Hello{.version = 3, .schema_fingerprint = some_hash(), .name = "Mo", .verify = true},
      welcome,
      with_schema,
      Names{},
      Names{{"Body", "", std::string(max_text_bytes, 'x')}},
      Prototypes{},
      Prototypes{{prototype_of(1, {ref(5, 6), ref(5, 7), ref(4, 0xffffffffu)}), prototype_of(2, {})}},
      PlayerEntity{{12, 0x00100001u}},
      RejoinTokens{core::Bytes(token_bytes, std::byte{7}), 300},
      ResourceRequest{some_hash(), 1ull << 40},
      ResourcePart{some_hash(), 123, core::Bytes(333, std::byte{8})},
      Events{77, {{0, {}, {}}, {3, {12, 1}, core::Bytes(33, std::byte{9})}, {65535, {}, core::Bytes(1)}}},
      Hello{.version = 1,
            .schema_fingerprint = {},
            .name = "",
            .resources = {some_hash(), {}},
            .schemas = {some_hash()},
            .resume = true},
      Level{some_hash(), {5, 11, 1}, 1, core::Bytes(2, std::byte{3})},
      MirrorHashes{},
      MirrorHashes{.of_level = true,
                   .first = 5,
                   .end = 90,
                   .tick = 77,
                   .hashes = {{5, {5, 1}, 70, 1ull << 63}, {89, {89, 2}, 77, 0}}},
      MirrorCorrection{.fault = MirrorFault::missing,
                       .of_level = true,
                       .place = 9,
                       .entity = {2, 3},
                       .tick = 4,
                       .prototype = 1ull << 60,
                       .owner = true,
                       .words = {1, 0xffffffffu}},
      MirrorDifference{{2, 3}, "Body", "tint", "1", "[2,3]"},
      Hello{.schema_fingerprint = {}, .name = "", .spectate = true, .refusals = true},
      PlayerEntity{},
      Closing{30, "another version is coming"},
      CommandRefused{7, "out of range: 0 to 100"},
      DeltaBody{.number = 3, .offset = 5, .size = 340, .bytes = core::Bytes(333, std::byte{8})},
      PredictionReport{},
      PredictionReport{20, 66, 3, 1, 2, 4, 3, 1250, max_reported_count, 40, 5},
      Hello{.schema_fingerprint = {}, .name = "", .follows = true, .awaits_player = true, .commands_continue = true},
      Follow{
          "land.east", core::Bytes(token_bytes, std::byte{7}), {"udp://203.0.113.7:7777", "ws://land.example/e"}, true},
      Visit{1ull << 63, {12, 3}},
      Forward{{12, 3}, ForwardKind::reliable_event, 2, 1023, core::Bytes(max_reliable_event_bytes, std::byte{5})},
      ResourceOffer{},
      ResourceOffer{{{some_hash(), 1ull << 40, 0xffffffffu}}}};
}

// Asserts the guarantees of decode_message for an accepted message.
struct WellFormed {
  void operator()(const Hello& hello) const { EXPECT_LE(hello.name.size(), max_text_bytes); }
  void operator()(const Welcome& welcome) const {
    EXPECT_TRUE(welcome.ticks_per_second >= 1 && welcome.ticks_per_second <= 1000);
    EXPECT_TRUE(welcome.entities_max >= 1 && welcome.entities_max <= entities_max_limit);
    EXPECT_LE(welcome.resources.size(), max_resources);
  }
  void operator()(const Names& names) const {
    EXPECT_LE(names.texts.size(), max_names);
    for (const std::string& text : names.texts) EXPECT_LE(text.size(), max_text_bytes);
  }
  void operator()(const Prototypes& message) const {
    EXPECT_LE(message.prototypes.size(), max_prototypes_per_message);
    for (const Prototype& prototype : message.prototypes) {
      const auto& all = prototype.components;
      EXPECT_LE(all.size(), max_components_per_prototype);
      EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
      EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
      EXPECT_EQ(index::prototype_hash(all), prototype.hash);
    }
  }
  void operator()(const PlayerEntity&) const {}
  void operator()(const Closing& closing) const { EXPECT_LE(closing.reason.size(), max_text_bytes); }
  void operator()(const CommandRefused& refused) const { EXPECT_LE(refused.reason.size(), max_text_bytes); }
  void operator()(const RejoinTokens& message) const {
    EXPECT_EQ(message.tokens.size() % token_bytes, 0u);
    EXPECT_TRUE(!message.tokens.empty() && message.tokens.size() <= max_rejoin_tokens * token_bytes);
  }
  void operator()(const Visit& visit) const { EXPECT_TRUE(visit.entity); }
  void operator()(const Forward& forward) const {
    EXPECT_TRUE(forward.entity);
    EXPECT_LE(forward.kind, ForwardKind::reliable_event);
    EXPECT_LE(forward.bytes.size(), max_reliable_event_bytes);
    EXPECT_TRUE(forward.kind != ForwardKind::unreliable_event || forward.bytes.size() <= max_event_bytes);
  }
  void operator()(const Follow& follow) const {
    EXPECT_EQ(follow.token.size(), token_bytes);
    EXPECT_TRUE(!follow.addresses.empty() && follow.addresses.size() <= max_addresses);
  }
  void operator()(const ResourceOffer& offer) const { EXPECT_LE(offer.resources.size(), max_resources); }
  void operator()(const ResourceRequest&) const {}
  void operator()(const DeltaBody& part) const {
    EXPECT_LE(part.size, delta_body_bytes_max);
    EXPECT_TRUE(!part.bytes.empty() && part.offset < part.size && part.bytes.size() <= part.size - part.offset);
  }
  void operator()(const ResourcePart& part) const {
    EXPECT_TRUE(!part.bytes.empty() && part.bytes.size() <= max_resource_part_bytes);
  }
  void operator()(const Level& level) const {
    EXPECT_TRUE(level.range.count > 0 && level.range.generation != 0 && level.tick != 0);
    EXPECT_EQ(level.present.size(), (level.range.count + 7) / 8);
  }
  void operator()(const Events& message) const {
    EXPECT_TRUE(!message.events.empty() && message.events.size() <= max_events_per_message);
    for (std::size_t i = 0; i < message.events.size(); ++i) {
      EXPECT_LE(message.events[i].bytes.size(), max_reliable_event_bytes);
      EXPECT_TRUE(i == 0 || message.events[i].sequence > message.events[i - 1].sequence);
    }
  }
  void operator()(const MirrorHashes& message) const {
    EXPECT_LE(message.hashes.size(), max_mirror_hashes);
    for (const MirrorHash& each : message.hashes) EXPECT_TRUE(each.place >= message.first && each.place < message.end);
  }
  void operator()(const MirrorCorrection& message) const {
    EXPECT_TRUE(message.entity);
    EXPECT_LE(message.words.size(), max_entity_words);
  }
  void operator()(const PredictionReport& report) const { EXPECT_TRUE(report.is_bounded()); }
  void operator()(const MirrorDifference& message) const { EXPECT_LE(message.server.size(), max_text_bytes); }
};

// Returns whether it was accepted. An accepted message is well formed and round-trips.
inline bool accepted(core::ByteView bytes) {
  const core::Result<Message> decoded = decode_message(bytes);
  if (!decoded) {
    const std::string reason = decoded.error().reason;
    EXPECT_TRUE(reason == "malformed message" || reason == "unknown message") << reason;
    EXPECT_FALSE(decoded.error().message.empty());
    return false;
  }
  std::visit(WellFormed{}, *decoded);
  const core::Bytes again = encode(*decoded);
  const core::Result<Message> twice = decode_message(again);
  EXPECT_TRUE(twice && encode(*twice) == again);
  return true;
}

}  // namespace mobula::wire::test
