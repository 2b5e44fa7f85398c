// Messages that are well-formed buffers, and refused for their content.
#include <gtest/gtest.h>
#include <mobula/schema/wire_generated.h>

#include <wire/message_examples.hpp>

namespace mobula::wire::messages_refused_test {
namespace {

using namespace test;
using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

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

TEST(Messages, AFollowHasATokenAndAddresses) {
  const auto follow = [](std::size_t token, std::size_t addresses, const std::string& text) {
    return encode(Follow{text, core::Bytes(token), std::vector<std::string>(addresses, text)});
  };
  EXPECT_TRUE(accepted(follow(token_bytes, max_addresses, std::string(max_text_bytes, 'x'))));
  for (const std::size_t size : {std::size_t{0}, token_bytes - 1, token_bytes + 1})
    expect_malformed(decode_message(follow(size, 1, "x")), "2048 bytes");
  for (const std::size_t count : {std::size_t{0}, max_addresses + 1})
    expect_malformed(decode_message(follow(token_bytes, count, "x")), "1 to 32 addresses");
  expect_malformed(decode_message(follow(token_bytes, 1, std::string(max_text_bytes + 1, 'x'))),
                   "a name is at most 256");
  expect_malformed(decode_message(encode(Follow{"x", core::Bytes(token_bytes), {"udp:1\n"}})),
                   "an address is at most 256");
}

TEST(Messages, AVisitNamesAnEntity) { expect_malformed(decode_message(encode(Visit{1, {5, 0}})), "generation 0"); }

TEST(Messages, AForwardOfAnotherFormIsRefused) {
  using enum ForwardKind;
  const auto of_size = [](ForwardKind kind, std::size_t size) {
    return encode(Forward{{5, 1}, kind, 0, 0, core::Bytes(size)});
  };
  expect_malformed(decode_message(encode(Forward{{5, 0}, message, 0, 0, {}})), "generation 0");
  expect_malformed(decode_message(of_size(static_cast<ForwardKind>(3), 0)), "kind");
  EXPECT_TRUE(accepted(of_size(unreliable_event, max_event_bytes)));
  expect_malformed(decode_message(of_size(unreliable_event, max_event_bytes + 1)), "too many bytes");
  for (const ForwardKind kind : {message, reliable_event}) {
    EXPECT_TRUE(accepted(of_size(kind, max_reliable_event_bytes)));
    expect_malformed(decode_message(of_size(kind, max_reliable_event_bytes + 1)), "too many bytes");
  }
}

TEST(Messages, TokensAndPartsOfAnotherSizeAreRefused) {
  EXPECT_TRUE(accepted(encode(RejoinTokens{core::Bytes(max_rejoin_tokens * token_bytes)})));
  for (const std::size_t size :
       {std::size_t{0}, token_bytes - 1, token_bytes + 1, (max_rejoin_tokens + 1) * token_bytes})
    expect_malformed(decode_message(encode(RejoinTokens{core::Bytes(size)})), "2048 bytes");
  EXPECT_TRUE(accepted(encode(ResourcePart{some_hash(), 0, core::Bytes(max_resource_part_bytes)})));
  for (const std::size_t size : {std::size_t{0}, max_resource_part_bytes + 1})
    expect_malformed(decode_message(encode(ResourcePart{some_hash(), 0, core::Bytes(size)})), "1 to 65536 bytes");
  expect_malformed(decode_built([&](FlatBufferBuilder& builder) {
                     const auto bytes = builder.CreateVector(std::vector<std::uint8_t>(31));
                     finish(builder, flat::Body::ResourceRequest, flat::CreateResourceRequest(builder, bytes));
                   }),
                   "32 bytes");
}

TEST(Messages, TooManyResourcesOrAShortIdentityAreRefused) {
  const std::vector<Resource> many(max_resources + 1);
  Welcome welcome = welcome_of(20, 1);
  welcome.resources = many;
  for (const Message& message : {Message(welcome), Message(ResourceOffer{many})})
    expect_malformed(decode_message(encode(message)), "more than 16 resources");
  expect_malformed(decode_built([&](FlatBufferBuilder& builder) {
                     const auto identity = builder.CreateVector(std::vector<std::uint8_t>(31));
                     const auto resources = builder.CreateVector(std::vector{flat::CreateResource(builder, identity)});
                     finish(builder, flat::Body::ResourceOffer, flat::CreateResourceOffer(builder, resources));
                   }),
                   "an identity has 32 bytes");
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
}  // namespace mobula::wire::messages_refused_test
