#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <mobula/core/content_hash.hpp>
#include <mobula/resource/file.hpp>
#include <mobula/resource/header.hpp>
#include <mobula/resource/spawner.hpp>
#include <reflect/compile_schema.hpp>
#include <resource/test_level.hpp>

namespace mobula::resource {
namespace {

// Small, so that every bit of it can be tried.
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
          "children":{"b":{"components":{"S2":{"$type":"Spot","next":".."}}}}}}})",
          tiny_schema())
          .bytes;
  return bytes;
}

std::string reason_of(const core::Bytes& bytes) {
  const auto loaded = Resource::from_bytes(bytes);
  return loaded ? "" : loaded.error().reason;
}

void seal(core::Bytes& bytes) {
  const core::ByteView payload = core::ByteView(bytes).subspan(header::size);
  core::store(bytes.data() + header::payload_size_offset, std::uint64_t{payload.size()});
  core::store(bytes.data() + header::hash_offset, core::content_hash(payload));
}

TEST(Resource, LoadsWhatWasWritten) {
  const auto loaded = Resource::from_bytes(tiny_blob());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const core::ByteView payload = core::ByteView(tiny_blob()).subspan(header::size);
  EXPECT_EQ((*loaded)->identity(), core::content_hash(payload));
  EXPECT_EQ((*loaded)->schema().fingerprint(), tiny_schema().fingerprint());
  for (const Column& column : (*loaded)->level().columns)
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(column.data.data()) % 16, 0u);
}

TEST(Resource, EveryTruncationIsRefused) {
  for (std::size_t size = 0; size < tiny_blob().size(); ++size) {
    const core::Bytes cut(tiny_blob().begin(), tiny_blob().begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_EQ(reason_of(cut), "truncated") << size;
  }
  core::Bytes longer = tiny_blob();
  longer.push_back(std::byte{0});
  EXPECT_EQ(reason_of(longer), "damaged");
}

TEST(Resource, EveryFlippedBitIsRefused) {
  core::Bytes bytes = tiny_blob();
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    const std::byte mask{static_cast<unsigned char>(1u << bit % 8)};
    bytes[bit / 8] ^= mask;
    const std::string reason = reason_of(bytes);
    const std::size_t at = bit / 8;
    if (at < 4) {
      ASSERT_EQ(reason, "foreign") << bit;
    } else if (at < 8) {
      ASSERT_EQ(reason, "unsupported version") << bit;
    } else if (at < 16) {
      ASSERT_TRUE(reason == "truncated" || reason == "damaged") << bit;
    } else {
      ASSERT_EQ(reason, "damaged") << bit;
    }
    bytes[bit / 8] ^= mask;
  }
}

// With the hash made to fit, what is wrong must be seen by the checks, or be harmless: spawning must then
// leave a registry that agrees with itself.
TEST(Resource, EveryChangedByteUnderAFittingHashIsRefusedOrSpawnsConsistently) {
  std::size_t refused = 0;
  for (std::size_t at = header::size; at < tiny_blob().size(); ++at) {
    for (const unsigned change : {0x01u, 0x80u, 0xffu}) {
      SCOPED_TRACE(at);
      core::Bytes bytes = tiny_blob();
      bytes[at] ^= static_cast<std::byte>(change);
      seal(bytes);
      const auto loaded = Resource::from_bytes(bytes);
      if (!loaded) {
        ASSERT_STREQ(loaded.error().reason, "invalid");
        ++refused;
        continue;
      }
      ecs::Registry registry;
      ASSERT_TRUE(reflect::register_components(registry, (*loaded)->schema()).ok());
      auto spawner = Spawner::bind(registry, (*loaded)->schema(), *loaded);
      if (!spawner) continue;
      ASSERT_TRUE(spawner->spawn_level().ok());
      for (const core::StringId32 name : (*loaded)->prefab_names()) ASSERT_TRUE(spawner->spawn_prefab(name).ok());
      registry.check();
    }
  }
  EXPECT_GT(refused, tiny_blob().size() / 4) << "the checks see something";
}

TEST(Resource, ForeignFilesAreRefusedByName) {
  const std::string text = "{\"entities\": {}} and more text, so that there is room for a header";
  EXPECT_EQ(reason_of(core::Bytes(core::as_bytes(text.data(), text.size()).begin(),
                                  core::as_bytes(text.data(), text.size()).end())),
            "foreign");
  core::Bytes zeros(1000);
  EXPECT_EQ(reason_of(zeros), "foreign");
  core::Bytes rubbish = tiny_blob();
  std::fill(rubbish.begin() + header::size, rubbish.end(), std::byte{0x5a});
  seal(rubbish);
  EXPECT_EQ(reason_of(rubbish), "invalid");
}

TEST(Resource, FilesAreFoundOrMissing) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("resource_test." + std::to_string(::getpid()))).string();
  const core::Bytes blob = tiny_blob();
  ASSERT_TRUE(write_files({{path, blob}}).ok());
  const auto loaded = Resource::load(path);
  EXPECT_TRUE(loaded.ok());
  std::filesystem::remove(path);
  const auto missing = Resource::load(path);
  ASSERT_FALSE(missing.ok());
  EXPECT_STREQ(missing.error().reason, "missing");
  EXPECT_STREQ(Resource::load("/").error().reason, "missing");
}

}  // namespace
}  // namespace mobula::resource
