#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/core/content_hash.hpp>
#include <mobula/core/random.hpp>
#include <mobula/resource/draft.hpp>
#include <mobula/resource/header.hpp>
#include <mobula/resource/spawner.hpp>
#include <reflect/compile_schema.hpp>
#include <resource/sealed_file.hpp>
#include <resource/test_level.hpp>
#include <seeds.hpp>

namespace mobula::resource {
namespace {

// Small, so that a test can try every bit of it.
const reflect::Schema& tiny_schema() {
  static const auto schema =
      test::load_schema("struct Spot (component) { at:float; on:bool; next:mobula.engine.EntityRef; }");
  return *schema;
}

const core::Bytes& tiny_blob() {
  static const core::Bytes bytes =
      test::compile_text(
          R"({"prefabs":{"p":{"spawnable":true,"components":{"Spot":{}},"children":{"c":{}}}},
          "entities":{"a":{"components":{"Spot":{"at":1,"next":"b"}},
          "children":{"b":{"components":{"S2":{"$type":"Spot","next":".."}}}}},
          "c":{"server_only":true,"components":{"Spot":{"at":2}}}},
          "statics":[{"type":"Line","data":"00010203"}]})",
          tiny_schema())
          .bytes;
  return bytes;
}

std::string reason_of(const core::Bytes& bytes) {
  const auto loaded = Resource::from_bytes(bytes);
  return loaded ? "" : loaded.error().reason;
}

TEST(Resource, LoadsAWrittenFile) {
  const auto loaded = Resource::from_bytes(tiny_blob());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const test::Payloads payloads = test::payloads_of(tiny_blob());
  EXPECT_EQ((*loaded)->identity(), core::content_hash(payloads.clients));
  EXPECT_EQ((*loaded)->server_identity(), core::content_hash(payloads.server));
  EXPECT_TRUE((*loaded)->complete());
  EXPECT_EQ((*loaded)->schema().fingerprint(), tiny_schema().fingerprint());
  for (const Column& column : (*loaded)->level().columns)
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(column.data.data()) % 16, 0u);
}

TEST(Resource, TheFirstPartAloneIsAClientsCopy) {
  const auto whole = *Resource::from_bytes(tiny_blob());
  const auto copy = Resource::from_bytes(whole->clients_bytes());
  ASSERT_TRUE(copy.ok()) << copy.error().message;
  EXPECT_FALSE((*copy)->complete());
  EXPECT_EQ((*copy)->identity(), whole->identity());
  EXPECT_EQ((*copy)->level().num_entities, whole->level().num_entities);
  EXPECT_TRUE((*copy)->level().names.empty());
  EXPECT_EQ(reason_of(core::Bytes(tiny_blob().begin() + static_cast<std::ptrdiff_t>(whole->clients_bytes().size()),
                                  tiny_blob().end())),
            "invalid")
      << "the second part is nothing by itself";
}

TEST(Resource, APartOfAnotherLevelIsRefused) {
  const core::Bytes other =
      test::compile_text(R"({"entities":{"a":{"components":{"Spot":{"at":2}}}}})", tiny_schema()).bytes;
  core::Bytes mixed = test::sealed(test::payloads_of(tiny_blob()).clients);
  const core::Bytes server = test::sealed(test::payloads_of(other).server);
  mixed.insert(mixed.end(), server.begin(), server.end());
  EXPECT_EQ(reason_of(mixed), "invalid");
  EXPECT_EQ(reason_of(test::sealed({test::payloads_of(tiny_blob()).clients, test::payloads_of(other).server})),
            "invalid")
      << "even if it claims to complete it";
}

TEST(Resource, EveryTruncationIsRefused) {
  const std::size_t clients = (*Resource::from_bytes(tiny_blob()))->clients_bytes().size();
  for (std::size_t size = 0; size < tiny_blob().size(); ++size) {
    if (size == clients) continue;
    const core::Bytes cut(tiny_blob().begin(), tiny_blob().begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_EQ(reason_of(cut), "truncated") << size;
  }
  core::Bytes longer = tiny_blob();
  longer.push_back(std::byte{0});
  EXPECT_EQ(reason_of(longer), "damaged");
}

TEST(Resource, EveryFlippedBitIsRefused) {
  core::Bytes bytes = tiny_blob();
  const std::size_t clients = (*Resource::from_bytes(bytes))->clients_bytes().size();
  for (std::size_t bit = 0; bit < bytes.size() * 8; bit += test::few_or_all(7, 1)) {
    const std::byte mask{static_cast<unsigned char>(1u << bit % 8)};
    bytes[bit / 8] ^= mask;
    const std::string reason = reason_of(bytes);
    const std::size_t at = bit / 8 < clients ? bit / 8 : bit / 8 - clients;
    if (at < 4) {
      ASSERT_EQ(reason, "foreign") << bit;
    } else if (at < 8) {
      ASSERT_EQ(reason, "unsupported version") << bit;
    } else if (at < 16) {
      ASSERT_TRUE(reason == "truncated" || reason == "damaged") << bit << reason;
    } else {
      ASSERT_EQ(reason, "damaged") << bit;
    }
    bytes[bit / 8] ^= mask;
  }
}

// With a matching hash, the other checks must refuse the file, or the change must be harmless: spawning then leaves a
// consistent registry.
void expect_refused_or_consistent(const core::Bytes& file, std::size_t& refused) {
  const auto loaded = Resource::from_bytes(file);
  if (!loaded) {
    ASSERT_STREQ(loaded.error().reason, "invalid");
    ++refused;
    return;
  }
  ecs::Registry registry;
  ASSERT_TRUE(reflect::register_components(registry, (*loaded)->schema()).ok());
  auto spawner = Spawner::bind(registry, (*loaded)->schema(), *loaded);
  if (!spawner) return;
  ASSERT_TRUE(spawner->spawn_level().ok());
  for (const core::StringId32 name : (*loaded)->prefab_names()) ASSERT_TRUE(spawner->spawn_prefab(name).ok());
  registry.check();
}

// Changes every byte of both parts: each of its bits, and some other values; a few of these in ./dev test.
TEST(Resource, AChangedByteWithAValidHashIsRefusedOrHarmless) {
  constexpr std::uint64_t seed = 11;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  const test::Payloads good = test::payloads_of(tiny_blob());
  for (core::Bytes test::Payloads::* const part : {&test::Payloads::clients, &test::Payloads::server}) {
    std::size_t refused = 0;
    std::size_t tried = 0;
    for (std::size_t at = 0; at < (good.*part).size(); ++at) {
      for (std::uint64_t bit = test::few_or_all(at % 6, 0); bit < 16; bit += test::few_or_all(6, 1), ++tried) {
        const unsigned change = bit < 8 ? 1u << bit : 1 + random.below(255);
        SCOPED_TRACE(at);
        test::Payloads bad = good;
        (bad.*part)[at] ^= static_cast<std::byte>(change);
        expect_refused_or_consistent(test::sealed(std::move(bad)), refused);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
    EXPECT_GT(refused, tried / 8) << "the checks see something";
  }
}

TEST(Resource, AnUnusedPrototypeWithAMissingColumnIsRefused) {
  DraftPart part;
  for (const char* name : {"Spot", "ghost"}) part.names.emplace(core::StringId32(name), name);
  part.level.parent_index = {no_parent};
  part.level.prototypes = {{}, {{core::StringId32("Spot"), core::StringId32("ghost")}}};
  part.level.prototype_of = {0};
  const core::Bytes file = write_resource({.schema = tiny_schema().bytes(), .clients = part, .server = {}});
  const auto clients = Resource::from_bytes(
      core::ByteView(file).first(header::size + core::load<std::uint64_t>(file.data() + header::payload_size_offset)));
  ASSERT_FALSE(clients.ok());
  EXPECT_EQ(clients.error().message, "a prototype names a column that is not there");
}

TEST(Resource, APayloadOfAnOddSizeIsRefused) {
  for (int more = 1; more < 16; ++more) {
    test::Payloads odd = test::payloads_of(tiny_blob());
    odd.clients.resize(odd.clients.size() + static_cast<std::size_t>(more));
    EXPECT_EQ(reason_of(test::sealed(std::move(odd))), "damaged") << "the server's part would not be aligned";
  }
}

TEST(Resource, AnEntityBeforeItsParentIsRefused) {
  const core::Bytes file = test::compile_text(R"({"entities":{"a":{"children":{"b":{}}}}})", tiny_schema()).bytes;
  for (const std::uint32_t parent : {1u, 2u, no_parent - 1}) {
    test::Payloads odd = test::payloads_of(file);
    auto* clients = flatbuffers::GetMutableRoot<fbs::ResourceFile>(odd.clients.data());
    const_cast<flatbuffers::Vector<std::uint32_t>*>(clients->level()->parent_index())->Mutate(1, parent);
    EXPECT_EQ(reason_of(test::sealed(odd)), "invalid") << "its parent is " << parent;
  }
}

TEST(Resource, ForeignFilesAreRefusedByName) {
  const std::string text = "{\"entities\": {}} and more text, so that there is room for a header";
  EXPECT_EQ(reason_of(core::Bytes(core::as_bytes(text.data(), text.size()).begin(),
                                  core::as_bytes(text.data(), text.size()).end())),
            "foreign");
  core::Bytes zeros(1000);
  EXPECT_EQ(reason_of(zeros), "foreign");
  EXPECT_EQ(reason_of(test::sealed(core::Bytes(1008, std::byte{0x5a}))), "invalid");
}

}  // namespace
}  // namespace mobula::resource
