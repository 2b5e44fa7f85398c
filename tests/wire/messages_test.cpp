#include <gtest/gtest.h>
#include <mobula/schema/wire_generated.h>

#include <filesystem>
#include <fstream>
#include <mobula/core/random.hpp>
#include <set>
#include <wire/message_examples.hpp>

namespace mobula::wire::messages_test {
namespace {

using namespace test;

TEST(Messages, EveryMessageIsReadAsItWasSent) {
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
  EXPECT_EQ(welcome.prediction_seed, 0x0123456789abcdefull);
  EXPECT_EQ(std::get<Names>(*decode_message(encode(all[5]))).texts, std::get<Names>(all[5]).texts);
  const auto prototypes = std::get<Prototypes>(*decode_message(encode(all[7]))).prototypes;
  ASSERT_EQ(prototypes.size(), 2u);
  EXPECT_EQ(prototypes[0].id, 1u);
  EXPECT_EQ(prototypes[0].components, (std::vector{ref(4, 0xffffffffu), ref(5, 6), ref(5, 7)}));
  EXPECT_EQ(std::get<PlayerEntity>(*decode_message(encode(all[8]))).entity, (ecs::Entity{12, 0x00100001u}));
  ASSERT_EQ(welcome.resources.size(), 2u);
  EXPECT_EQ(welcome.resources[0].identity, some_hash());
  EXPECT_EQ(welcome.resources[0].size, 789'280u);
  EXPECT_EQ(welcome.resources[0].first_tick, 31u);
  EXPECT_EQ(welcome.resources[1].first_tick, 0u);
  EXPECT_EQ(std::get<RejoinTokens>(*decode_message(encode(all[9]))).tokens, std::get<RejoinTokens>(all[9]).tokens);
  EXPECT_EQ(std::get<RejoinTokens>(*decode_message(encode(all[9]))).grace_seconds, 300u);
}

TEST(Messages, EveryFieldOfResourcesAndLevelsTravels) {
  const auto all = examples();
  const auto request = std::get<ResourceRequest>(*decode_message(encode(all[10])));
  EXPECT_EQ(request.identity, some_hash());
  EXPECT_EQ(request.offset, 1ull << 40);
  const auto offer = std::get<ResourceOffer>(*decode_message(encode(all.back())));
  ASSERT_EQ(offer.resources.size(), 1u);
  EXPECT_EQ(offer.resources[0].identity, some_hash());
  EXPECT_EQ(offer.resources[0].size, 1ull << 40);
  EXPECT_EQ(offer.resources[0].first_tick, 0xffffffffu);
  const auto follow = std::get<Follow>(*decode_message(encode(all[all.size() - 5])));
  EXPECT_EQ(follow.world, "land.east");
  EXPECT_EQ(follow.token, core::Bytes(token_bytes, std::byte{7}));
  EXPECT_EQ(follow.addresses, (std::vector<std::string>{"udp://203.0.113.7:7777", "ws://land.example/e"}));
  EXPECT_TRUE(follow.visit);
  const auto visit = std::get<Visit>(*decode_message(encode(all[all.size() - 4])));
  EXPECT_EQ(visit.client_id, 1ull << 63);
  EXPECT_EQ(visit.entity, (ecs::Entity{12, 3}));
  const auto forward = std::get<Forward>(*decode_message(encode(all[all.size() - 3])));
  EXPECT_EQ(forward.entity, (ecs::Entity{12, 3}));
  EXPECT_EQ(forward.kind, ForwardKind::reliable_event);
  EXPECT_EQ(forward.passed, 2);
  EXPECT_EQ(forward.origin, 1023u);
  EXPECT_EQ(forward.bytes, core::Bytes(max_reliable_event_bytes, std::byte{5}));
  const auto second = std::get<Hello>(*decode_message(encode(all[all.size() - 6])));
  EXPECT_TRUE(second.follows);
  EXPECT_TRUE(second.awaits_player);
  EXPECT_TRUE(second.commands_continue);
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

}  // namespace
}  // namespace mobula::wire::messages_test
