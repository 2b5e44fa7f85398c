#include <gtest/gtest.h>
#include <mobula/schema/wire_generated.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <mobula/core/random.hpp>
#include <mobula/wire/delta.hpp>
#include <mobula/wire/messages.hpp>
#include <set>

namespace mobula::wire::messages_test {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

core::ContentHash some_hash() { return core::content_hash(core::as_bytes("x", 1)); }

Prototype prototype_of(std::uint32_t id, std::vector<index::ComponentRef> components) {
  std::sort(components.begin(), components.end());
  return {id, index::prototype_hash(components), components};
}
index::ComponentRef ref(std::uint32_t type, std::uint32_t instance) {
  return {core::StringId32(type), core::StringId32(instance)};
}

Welcome welcome_of(std::uint32_t ticks_per_second, std::uint32_t entities_max) {
  Welcome welcome;
  welcome.session = 7;
  welcome.ticks_per_second = ticks_per_second;
  welcome.entities_max = entities_max;
  welcome.schema_fingerprint = some_hash();
  return welcome;
}

std::vector<Message> examples() {
  Welcome welcome = welcome_of(20, 1u << 20);
  Welcome with_schema = welcome;
  with_schema.schema = core::Bytes(333, std::byte{9});
  with_schema.resources = {{some_hash(), 789'280}, {{}, 0}};
  return {Hello{},
          Hello{.version = 3, .schema_fingerprint = some_hash(), .name = "Mo", .verify = true},
          welcome,
          with_schema,
          Names{},
          Names{{"Body", "", std::string(max_text_bytes, 'x')}},
          Prototypes{},
          Prototypes{{prototype_of(1, {ref(5, 6), ref(5, 7), ref(4, 0xffffffffu)}), prototype_of(2, {})}},
          PlayerEntity{{12, 0x00100001u}},
          RejoinTokens{core::Bytes(rejoin_token_bytes, std::byte{7}), 300},
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
          DeltaBody{.number = 3, .offset = 5, .size = 340, .bytes = core::Bytes(333, std::byte{8})}};
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
    EXPECT_EQ(message.tokens.size() % rejoin_token_bytes, 0u);
    EXPECT_TRUE(!message.tokens.empty() && message.tokens.size() <= max_rejoin_tokens * rejoin_token_bytes);
  }
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
  void operator()(const MirrorDifference& message) const { EXPECT_LE(message.server.size(), max_text_bytes); }
};

// Returns whether it was accepted. An accepted message is well formed and round-trips.
bool accepted(core::ByteView bytes) {
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

// Returns the buffer of a builder whose message may be finished or not.
template <class Build>
core::Result<Message> decode_built(Build&& build) {
  FlatBufferBuilder builder;
  build(builder);
  return decode_message(core::as_bytes(builder.GetBufferPointer(), builder.GetSize()));
}

template <class Body>
void finish(FlatBufferBuilder& builder, flat::Body type, Offset<Body> body) {
  builder.Finish(flat::CreateMessage(builder, type, body.Union()));
}

void expect_malformed(const core::Result<Message>& result, std::string_view what) {
  ASSERT_FALSE(result) << what;
  EXPECT_STREQ(result.error().reason, "malformed message");
  EXPECT_NE(result.error().message.find(what), std::string::npos) << result.error().message;
}

TEST(Messages, EveryMessageComesBackAsItWasSent) {
  for (const Message& message : examples()) {
    const core::Bytes bytes = encode(message);
    const core::Result<Message> decoded = decode_message(bytes);
    ASSERT_TRUE(decoded) << message.index() << ": " << decoded.error().message;
    EXPECT_EQ(decoded->index(), message.index());
    EXPECT_EQ(encode(*decoded), bytes);
    EXPECT_TRUE(accepted(bytes));
  }
}

flat::Body body_of(core::ByteView bytes) { return flat::GetMessage(bytes.data())->body_type(); }

// Tests and fuzzing cover every type of message.
TEST(Messages, EveryKindHasAnExampleAndASeed) {
  std::set<flat::Body> with_example{flat::Body::NONE};
  for (const Message& message : examples()) with_example.insert(body_of(encode(message)));
  std::set<flat::Body> with_seed{flat::Body::NONE};
  for (const auto& entry : std::filesystem::directory_iterator(MOBULA_SOURCE_DIR "/tests/fuzz/corpus/message")) {
    if (entry.path().filename().string().starts_with("found_")) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string seed{std::istreambuf_iterator<char>(file), {}};
    const core::ByteView bytes = core::as_bytes(seed.data(), seed.size());
    ASSERT_TRUE(decode_message(bytes).ok()) << entry.path();
    with_seed.insert(body_of(bytes));
  }
  for (const flat::Body body : flat::EnumValuesBody()) {
    EXPECT_EQ(with_example.count(body), 1u) << "an example of " << flat::EnumNameBody(body);
    EXPECT_EQ(with_seed.count(body), 1u) << "a seed of " << flat::EnumNameBody(body) << " (make-fuzz-seeds)";
  }
}

TEST(Messages, EveryFieldTravels) {
  const auto all = examples();
  const auto hello = std::get<Hello>(*decode_message(encode(all[1])));
  EXPECT_EQ(hello.version, 3u);
  EXPECT_EQ(hello.schema_fingerprint, some_hash());
  EXPECT_EQ(hello.name, "Mo");
  EXPECT_TRUE(hello.verify);
  EXPECT_EQ(std::get<Hello>(*decode_message(encode(all[0]))).schema_fingerprint, std::nullopt);
  EXPECT_FALSE(std::get<Hello>(*decode_message(encode(all[0]))).verify);
  const auto welcome = std::get<Welcome>(*decode_message(encode(all[3])));
  EXPECT_EQ(welcome.session, 7u);
  EXPECT_EQ(welcome.ticks_per_second, 20u);
  EXPECT_EQ(welcome.entities_max, 1u << 20);
  EXPECT_EQ(welcome.schema_fingerprint, some_hash());
  EXPECT_EQ(welcome.schema, core::Bytes(333, std::byte{9}));
  EXPECT_EQ(std::get<Names>(*decode_message(encode(all[5]))).texts, std::get<Names>(all[5]).texts);
  const auto prototypes = std::get<Prototypes>(*decode_message(encode(all[7]))).prototypes;
  ASSERT_EQ(prototypes.size(), 2u);
  EXPECT_EQ(prototypes[0].id, 1u);
  EXPECT_EQ(prototypes[0].components, (std::vector{ref(4, 0xffffffffu), ref(5, 6), ref(5, 7)}));
  EXPECT_EQ(std::get<PlayerEntity>(*decode_message(encode(all[8]))).entity, (ecs::Entity{12, 0x00100001u}));
  ASSERT_EQ(welcome.resources.size(), 2u);
  EXPECT_EQ(welcome.resources[0].identity, some_hash());
  EXPECT_EQ(welcome.resources[0].size, 789'280u);
  EXPECT_EQ(std::get<RejoinTokens>(*decode_message(encode(all[9]))).tokens, std::get<RejoinTokens>(all[9]).tokens);
  EXPECT_EQ(std::get<RejoinTokens>(*decode_message(encode(all[9]))).grace_seconds, 300u);
  const auto request = std::get<ResourceRequest>(*decode_message(encode(all[10])));
  EXPECT_EQ(request.identity, some_hash());
  EXPECT_EQ(request.offset, 1ull << 40);
  const auto part = std::get<ResourcePart>(*decode_message(encode(all[11])));
  EXPECT_EQ(part.identity, some_hash());
  EXPECT_EQ(part.offset, 123u);
  EXPECT_EQ(part.bytes, std::get<ResourcePart>(all[11]).bytes);
  const auto events = std::get<Events>(*decode_message(encode(all[12])));
  EXPECT_EQ(events.tick, 77u);
  ASSERT_EQ(events.events.size(), 3u);
  EXPECT_EQ(events.events[0].about, ecs::null_entity);
  EXPECT_EQ(events.events[1].sequence, 3u);
  EXPECT_EQ(events.events[1].about, (ecs::Entity{12, 1}));
  EXPECT_EQ(events.events[1].bytes, core::Bytes(33, std::byte{9}));
  const auto back = std::get<Hello>(*decode_message(encode(all[13])));
  EXPECT_EQ(back.resources, std::get<Hello>(all[13]).resources);
  EXPECT_EQ(back.schemas, std::get<Hello>(all[13]).schemas);
  EXPECT_TRUE(back.resume);
  EXPECT_FALSE(back.spectate);
  EXPECT_FALSE(back.refusals);
  EXPECT_TRUE(std::get<Hello>(*decode_message(encode(all[19]))).spectate);
  EXPECT_TRUE(std::get<Hello>(*decode_message(encode(all[19]))).refusals);
  EXPECT_EQ(std::get<PlayerEntity>(*decode_message(encode(all[20]))).entity, ecs::null_entity);
  const auto level = std::get<Level>(*decode_message(encode(all[14])));
  EXPECT_EQ(level.identity, some_hash());
  EXPECT_EQ(level.range, (ecs::EntityRange{5, 11, 1}));
  EXPECT_EQ(level.tick, 1u);
  EXPECT_EQ(level.present, core::Bytes(2, std::byte{3}));
}

TEST(Messages, BytesNeedNotBeAligned) {
  for (const Message& message : examples()) {
    const core::Bytes bytes = encode(message);
    for (std::size_t shift = 1; shift < 8; ++shift) {
      core::Bytes shifted(shift);
      shifted.insert(shifted.end(), bytes.begin(), bytes.end());
      EXPECT_TRUE(accepted(core::ByteView(shifted).subspan(shift)));
    }
  }
}

// A table at a buffer's end may lose padding and stay complete: then it decodes to the same message.
TEST(Messages, NoTruncationIsTakenForSomethingElse) {
  for (const Message& message : examples()) {
    const core::Bytes bytes = encode(message);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const core::ByteView cut = core::ByteView(bytes).first(size);
      if (!accepted(cut)) continue;
      EXPECT_EQ(encode(*decode_message(cut)), bytes) << size << " of " << bytes.size();
    }
  }
  EXPECT_FALSE(accepted({}));
}

TEST(Messages, EveryFlippedBitIsRefusedOrWellFormed) {
  int refused = 0;
  for (const Message& message : examples()) {
    core::Bytes bytes = encode(message);
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
      bytes[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
      if (!accepted(bytes)) ++refused;
      bytes[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(Messages, DamagedAndRandomBuffersAreRefusedOrWellFormed) {
  core::Random random(1);
  const auto all = examples();
  for (int round = 0; round < 8000; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    core::Bytes bytes = encode(all[random.below(static_cast<std::uint32_t>(all.size()))]);
    if (random.chance(1, 5)) {
      bytes.resize(random.below(200));
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(random.chance(1, 2) ? 256 : 9));
    }
    for (std::uint32_t damage = random.below(5); damage > 0 && !bytes.empty(); --damage)
      bytes[random.below(static_cast<std::uint32_t>(bytes.size()))] = static_cast<std::byte>(random.below(256));
    if (random.chance(1, 4)) bytes.resize(random.below(static_cast<std::uint32_t>(bytes.size()) + 16));
    accepted(bytes);
  }
}

TEST(Messages, UnknownUnionMembersAreRefused) {
  for (const int type : {0, static_cast<int>(flat::Body::MAX) + 1, 100, 255}) {
    const auto result = decode_built([&](FlatBufferBuilder& builder) {
      const flat::Handle handle(1, 1);
      finish(builder, static_cast<flat::Body>(type), flat::CreatePlayerEntity(builder, &handle));
    });
    ASSERT_FALSE(result) << type;
    EXPECT_STREQ(result.error().reason, "unknown message") << type;
    EXPECT_EQ(result.error().message, "message type " + std::to_string(type));
  }
}

TEST(Messages, NullBodiesAreRefused) {
  for (const auto type : {flat::Body::NONE, flat::Body::Hello, flat::Body::Names}) {
    FlatBufferBuilder builder;
    flat::MessageBuilder message(builder);  // without the body, which CreateMessage would insist on
    message.add_body_type(type);
    builder.Finish(Offset<flat::Message>(builder.EndTable(message.start_)));
    EXPECT_FALSE(accepted(core::as_bytes(builder.GetBufferPointer(), builder.GetSize())));
  }
}

TEST(Messages, ANameThatCouldSpeakToATerminalIsRefused) {
  for (const char* bad : {"\x1b[2J", "two\nlines", "\xff", "\x7f"})
    expect_malformed(decode_message(encode(Names{{"Body", bad}})), "printable");
}

TEST(Messages, AHelloWithAShortFingerprintOrALongNameIsRefused) {
  for (const std::size_t size : {0u, 1u, 31u, 33u}) {
    expect_malformed(decode_built([&](FlatBufferBuilder& builder) {
                       const auto bytes = builder.CreateVector(std::vector<std::uint8_t>(size));
                       finish(builder, flat::Body::Hello, flat::CreateHello(builder, 1, bytes));
                     }),
                     "fingerprint");
    expect_malformed(decode_built([&](FlatBufferBuilder& builder) {
                       const auto bytes = builder.CreateVector(std::vector<std::uint8_t>(size));
                       finish(builder, flat::Body::Welcome, flat::CreateWelcome(builder, 1, 20, 20, bytes));
                     }),
                     "fingerprint");
  }
  Hello hello;
  hello.name = std::string(max_text_bytes, 'x');
  EXPECT_TRUE(accepted(encode(hello)));
  hello.name += 'x';
  expect_malformed(decode_message(encode(hello)), "the name is longer than 256 bytes");
}

TEST(Messages, AWelcomeOutOfRangeIsRefused) {
  for (const std::uint32_t rate : {0u, 1001u, 0xffffffffu})
    expect_malformed(decode_message(encode(welcome_of(rate, 1))), "ticks per second");
  for (const std::uint32_t limit : {0u, entities_max_limit + 1, 0xffffffffu})
    expect_malformed(decode_message(encode(welcome_of(1, limit))), "entities_max is 1 to 4194304");
}

TEST(Messages, ListsBeyondTheirLimitsAreRefused) {
  EXPECT_TRUE(accepted(encode(Names{std::vector<std::string>(max_names)})));
  expect_malformed(decode_message(encode(Names{std::vector<std::string>(max_names + 1)})), "more than 4096");
  expect_malformed(decode_message(encode(Names{{std::string(max_text_bytes + 1, 'x')}})),
                   "a name is longer than 256 bytes");

  Prototypes many{std::vector<Prototype>(max_prototypes_per_message, prototype_of(1, {}))};
  EXPECT_TRUE(accepted(encode(many)));
  many.prototypes.push_back(prototype_of(1, {}));
  expect_malformed(decode_message(encode(many)), "more than 1024");

  std::vector<index::ComponentRef> components;
  for (std::uint32_t i = 0; i < max_components_per_prototype; ++i) components.push_back(ref(1, i));
  EXPECT_TRUE(accepted(encode(Prototypes{{prototype_of(1, components)}})));
  components.push_back(ref(2, 0));
  expect_malformed(decode_message(encode(Prototypes{{prototype_of(1, components)}})), "more than 256 components");
}

TEST(Messages, TokensAndPartsOfAnotherSizeAreRefused) {
  EXPECT_TRUE(accepted(encode(RejoinTokens{core::Bytes(max_rejoin_tokens * rejoin_token_bytes)})));
  for (const std::size_t size :
       {std::size_t{0}, rejoin_token_bytes - 1, rejoin_token_bytes + 1, (max_rejoin_tokens + 1) * rejoin_token_bytes})
    expect_malformed(decode_message(encode(RejoinTokens{core::Bytes(size)})), "2048 bytes");
  EXPECT_TRUE(accepted(encode(ResourcePart{some_hash(), 0, core::Bytes(max_resource_part_bytes)})));
  for (const std::size_t size : {std::size_t{0}, max_resource_part_bytes + 1})
    expect_malformed(decode_message(encode(ResourcePart{some_hash(), 0, core::Bytes(size)})), "1 to 65536 bytes");
  Welcome welcome = welcome_of(20, 1);
  welcome.resources.resize(max_resources + 1);
  expect_malformed(decode_message(encode(welcome)), "more than 16 resources");
  expect_malformed(decode_built([&](FlatBufferBuilder& builder) {
                     const auto bytes = builder.CreateVector(std::vector<std::uint8_t>(31));
                     finish(builder, flat::Body::ResourceRequest, flat::CreateResourceRequest(builder, bytes));
                   }),
                   "32 bytes");
}

TEST(Messages, ComponentsOutOfOrderOrTwiceAreRefused) {
  for (const std::vector<index::ComponentRef>& components :
       {std::vector{ref(2, 1), ref(1, 1)}, std::vector{ref(1, 2), ref(1, 1)}, std::vector{ref(1, 1), ref(1, 1)}}) {
    const Prototype prototype{1, index::prototype_hash(components), components};
    expect_malformed(decode_message(encode(Prototypes{{prototype_of(1, {}), prototype}})),
                     "not sorted, or not distinct");
  }
}

TEST(Messages, EventsOutOfOrderTooManyOrTooLongAreRefused) {
  expect_malformed(decode_message(encode(Events{1, {}})), "1 to 1024");
  Events many{1, std::vector<Event>(max_events_per_message)};
  for (std::uint16_t i = 0; i < max_events_per_message; ++i) many.events[i].sequence = i;
  EXPECT_TRUE(accepted(encode(many)));
  many.events.push_back({2000, {}, {}});
  expect_malformed(decode_message(encode(many)), "1 to 1024");
  for (const std::uint16_t second : {std::uint16_t{0}, std::uint16_t{3}})
    expect_malformed(decode_message(encode(Events{1, {{3, {}, {}}, {second, {}, {}}}})), "ascending");
  EXPECT_TRUE(accepted(encode(Events{1, {{0, {}, core::Bytes(max_reliable_event_bytes)}}})));
  expect_malformed(decode_message(encode(Events{1, {{0, {}, core::Bytes(max_reliable_event_bytes + 1)}}})),
                   "longer than 16384 bytes");
}

TEST(Messages, AnEventIsAboutAnEntityThatCanBeOrAboutNone) {
  expect_malformed(decode_built([](FlatBufferBuilder& builder) {
                     const flat::Handle nobody(5, 0);
                     const auto bytes = builder.CreateVector(std::vector<std::uint8_t>(1));
                     const std::vector<Offset<flat::Event>> events{flat::CreateEvent(builder, 0, &nobody, bytes)};
                     const auto all = builder.CreateVector(events);
                     finish(builder, flat::Body::Events, flat::CreateEvents(builder, 1, all));
                   }),
                   "about an entity of generation 0");
}

TEST(Messages, APrototypeWithAnotherHashIsRefused) {
  Prototype prototype = prototype_of(1, {ref(1, 1), ref(1, 2)});
  prototype.hash ^= 1;
  expect_malformed(decode_message(encode(Prototypes{{prototype}})), "the hash is not that of the components");
}

TEST(Messages, PartsOfADeltaBodyAreWithinIt) {
  const auto part = [](std::uint32_t number, std::uint32_t offset, std::uint32_t size, std::size_t bytes) {
    return encode(DeltaBody{.number = number, .offset = offset, .size = size, .bytes = core::Bytes(bytes)});
  };
  EXPECT_TRUE(accepted(part(1, 0, 16'416, 16'416)));
  EXPECT_TRUE(accepted(part(~0u, 9, 10, 1)));
  EXPECT_FALSE(accepted(part(0, 0, 10, 10)));
  EXPECT_FALSE(accepted(part(1, 0, 16'417, 10)));
  EXPECT_FALSE(accepted(part(1, 0, 10, 0)));
  EXPECT_FALSE(accepted(part(1, 9, 10, 2)));
  EXPECT_FALSE(accepted(part(1, ~0u, 10, 2)));
  const core::Result<Message> read = decode_message(part(5, 2, 9, 4));
  ASSERT_TRUE(read.ok());
  const auto& body = std::get<DeltaBody>(*read);
  EXPECT_EQ(body.number, 5u);
  EXPECT_EQ(body.offset, 2u);
  EXPECT_EQ(body.size, 9u);
  EXPECT_EQ(body.bytes.size(), 4u);
}

}  // namespace
}  // namespace mobula::wire::messages_test
