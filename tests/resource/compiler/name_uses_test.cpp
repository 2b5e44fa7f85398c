#include <gtest/gtest.h>

#include <mobula/resource/compiler/name_uses.hpp>
#include <resource/test_level.hpp>

namespace mobula::resource {
namespace {

TEST(NameUses, ListsUnusedNames) {
  const auto file = test::load_text(
      R"({"names":[{"text":"seen"},{"text":"told"},{"text":"hidden","server_only":true},{"text":"","server_only":true}]})");
  NameUses names(*file, **Resource::from_bytes(file->clients_bytes()));
  const auto id = [](std::string_view text) { return core::StringId32(text); };
  EXPECT_EQ(names.find(id("seen"), Audience::everyone), "seen");
  EXPECT_EQ(names.find(id("hidden"), Audience::everyone), std::nullopt);
  EXPECT_EQ(names.find(id("hidden"), Audience::server), "hidden");
  EXPECT_EQ(names.find(id(""), Audience::server), "") << "a text like any other";
  EXPECT_EQ(names.find(id("nothing"), Audience::server), std::nullopt);

  names.use(id("seen"), Audience::everyone);
  names.use(id("seen"), Audience::server);
  names.use(id("told"), Audience::server);
  names.use(id("hidden"), Audience::server);
  names.use(id("nothing"), Audience::server);
  using Unused = NameUses::Unused;
  EXPECT_EQ(names.unused(), (std::vector<Unused>{{"", Audience::server}, {"told", Audience::everyone}}))
      << "used in the server part only, 'told' is missing in the clients' part";
}

}  // namespace
}  // namespace mobula::resource
