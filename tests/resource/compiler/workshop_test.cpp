#include <gtest/gtest.h>

#include <mobula/resource/compiler/workshop.hpp>

namespace mobula::resource {
namespace {

TEST(NameTable, ANameUsedByClientsIsForEveryone) {
  Diagnostics diagnostics;
  NameTable names(diagnostics);
  names.intern("both", {}, Audience::server);
  names.intern("both", {}, Audience::everyone);
  names.intern("both", {}, Audience::server);
  names.intern("hidden", {}, Audience::server);
  EXPECT_EQ(names.of(Audience::everyone).size(), 1u);
  EXPECT_EQ(names.of(Audience::server).count(core::StringId32("hidden")), 1u);
  EXPECT_FALSE(diagnostics.failed());
}

TEST(NameTable, RefusesHashCollisionsAndControlCharacters) {
  for (const auto& [first, second] : {std::pair("costarring", "liquid"), std::pair("a", "b\n")}) {
    Diagnostics diagnostics;
    NameTable names(diagnostics);
    names.intern(first, {}, Audience::server);
    EXPECT_FALSE(diagnostics.failed());
    names.intern(second, {}, Audience::everyone);
    EXPECT_TRUE(diagnostics.failed()) << second;
  }
}

TEST(StaticTable, EqualContentIsKeptOnce) {
  Diagnostics diagnostics;
  StaticTable statics(diagnostics);
  const core::Bytes line(20, std::byte{1});
  const core::StringId32 kind("Line");
  const std::uint64_t id = statics.add(kind, line, {}, Audience::server);
  EXPECT_EQ(statics.add(kind, line, {}, Audience::everyone), id);
  EXPECT_NE(statics.add(core::StringId32("Other"), line, {}, Audience::server), id);
  EXPECT_EQ(id, static_id(kind, line));
  EXPECT_EQ(statics.of(Audience::everyone).size(), 1u);
  EXPECT_EQ(statics.of(Audience::server).size(), 1u);
  EXPECT_FALSE(diagnostics.failed());
}

}  // namespace
}  // namespace mobula::resource
