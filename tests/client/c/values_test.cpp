#include <gmock/gmock.h>

#include <array>
#include <client/c/c_world.hpp>
#include <map>

namespace mobula::c {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class CValues : public test::CWorld {
 protected:
  void SetUp() override {
    CWorld::SetUp();
    play();
    ASSERT_TRUE(village.tick_until([&] { return read("Name/text").first == MOBULA_OK; }));
  }
  std::pair<mobula_result, mobula_value> read(const char* path) {
    mobula_value value{};
    const mobula_result result = mobula_client_read_value(client(), guest->status().player, path, &value);
    return {result, value};
  }
  std::string json(const char* path) { return json(guest->status().player, path); }
  std::string json(mobula_entity entity, const char* path) {
    std::array<char, 2048> text{};
    std::uint32_t length = 0;
    const mobula_result result = mobula_client_read_json(client(), entity, path, text.data(), text.size(), &length);
    return result == MOBULA_OK ? std::string(text.data(), length) : mobula_strerror(result);
  }
  // Returns the JSON of all Body/mesh of the level, by entity.
  std::map<mobula_entity, std::string> meshes() {
    const ecs::EntityRange level = village.server->world().level_range();
    std::map<mobula_entity, std::string> all;
    for (const mobula_entity entity : guest->entities())
      if (test::to_entity(entity).index - level.first < level.count) all[entity] = json(entity, "Body/mesh");
    std::erase_if(all, [](const auto& each) { return each.second == mobula_strerror(MOBULA_ERROR_NO_COMPONENT); });
    return all;
  }
};

TEST_F(CValues, HaveTheKindOfTheirField) {
  const auto [result, name] = read("Name/text");
  ASSERT_EQ(result, MOBULA_OK);
  EXPECT_EQ(name.kind, std::uint32_t{MOBULA_TEXT});
  EXPECT_EQ(std::string_view(name.as.text, name.size), "ada");
  const mobula_value x = read("Transform/position.x").second;
  EXPECT_EQ(x.kind, std::uint32_t{MOBULA_FLOAT32});
  const mobula_value rotation = read("Transform/rotation").second;
  EXPECT_EQ(rotation.kind, std::uint32_t{MOBULA_QUATERNION});
  EXPECT_NEAR(rotation.as.rotation[1] * rotation.as.rotation[1] + rotation.as.rotation[3] * rotation.as.rotation[3], 1,
              0.01);
  const mobula_value health = read("Health/current").second;
  EXPECT_EQ(health.kind, std::uint32_t{MOBULA_UINT16});
  EXPECT_EQ(health.as.unsigned_integer, 100u);
  EXPECT_EQ(read("Team/color").second.kind, std::uint32_t{MOBULA_UINT8}) << "an enum has the kind of its integer";
}

TEST_F(CValues, AreJsonByTheSamePath) {
  EXPECT_EQ(json("Name/text"), "\"ada\"");
  EXPECT_EQ(json("Health/current"), "100");
  EXPECT_THAT(json("Health"), StartsWith("{\"current\":100"));
  EXPECT_THAT(json("Transform"), HasSubstr("\"rotation\":["));
}

TEST_F(CValues, NamesThatALevelHasAreTextsInJson) {
  const std::map<mobula_entity, std::string> hashes = meshes();
  ASSERT_FALSE(hashes.empty());
  join(MOBULA_LEVELS);
  const core::ByteView level = test::hamlet()->clients_bytes();
  ASSERT_EQ(mobula_client_add_level(client(), level.data(), level.size()), MOBULA_OK) << test::error_text();
  ASSERT_TRUE(guest->play()) << guest->reason().second;
  std::size_t compared = 0;
  for (const auto& [entity, text] : meshes()) {
    ASSERT_THAT(text, AllOf(StartsWith("\""), EndsWith("\"")));
    const core::StringId32 id(text.substr(1, text.size() - 2));
    ASSERT_TRUE(hashes.contains(entity));
    EXPECT_EQ(hashes.at(entity), std::to_string(id.value)) << "without the level the mirror has the hash alone";
    ++compared;
  }
  EXPECT_EQ(compared, hashes.size());
}

TEST_F(CValues, PathsThatLeadNowhereAreRefused) {
  EXPECT_EQ(read("Pickup/kind").first, MOBULA_ERROR_NO_COMPONENT) << "a player is no pickup";
  EXPECT_EQ(read("Nothing/x").first, MOBULA_ERROR_NO_COMPONENT);
  EXPECT_EQ(read("").first, MOBULA_ERROR_NO_COMPONENT);
  EXPECT_EQ(read("/").first, MOBULA_ERROR_NO_COMPONENT);
  EXPECT_EQ(read("Health/curent").first, MOBULA_ERROR_NO_PROPERTY);
  EXPECT_THAT(test::error_text(), HasSubstr("current")) << "the text helps";
  EXPECT_EQ(read("Transform/position").first, MOBULA_ERROR_NO_PROPERTY) << "a struct is no value";
  EXPECT_EQ(read("Health").first, MOBULA_ERROR_NO_PROPERTY);
  EXPECT_EQ(read(std::string(100'000, 'x').c_str()).first, MOBULA_ERROR_NO_COMPONENT);
  EXPECT_EQ(read(nullptr).first, MOBULA_ERROR_INVALID_ARGUMENT);
  mobula_value value{};
  EXPECT_EQ(mobula_client_read_value(client(), 12345, "Health/current", &value), MOBULA_ERROR_NO_ENTITY);
  EXPECT_EQ(mobula_client_read_value(client(), guest->status().player, "Health/current", nullptr),
            MOBULA_ERROR_INVALID_ARGUMENT);
}

TEST_F(CValues, AJsonTextThatDoesNotFitIsMeasured) {
  std::uint32_t length = 0;
  const mobula_entity player = guest->status().player;
  EXPECT_EQ(mobula_client_read_json(client(), player, "Name/text", nullptr, 0, &length), MOBULA_ERROR_BUFFER_TOO_SMALL);
  EXPECT_EQ(length, 5u);
  EXPECT_EQ(mobula_client_read_json(client(), player, "Name/text", nullptr, 0, nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
}

TEST_F(CValues, ANewMirrorHasItsOwnProperties) {
  guest->close(guest->seat.port);
  guest->reconnect(test::test_token(60), village.now);
  ASSERT_TRUE(village.tick_until([&] { return guest->status().mirror == 2 && read("Name/text").first == MOBULA_OK; }));
  EXPECT_EQ(json("Name/text"), "\"ada\"");
}

}  // namespace
}  // namespace mobula::c
