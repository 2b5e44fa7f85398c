#include <gtest/gtest.h>

#include <array>
#include <mobula/core/format.hpp>
#include <mobula/resource/compiler/diagnostics.hpp>
#include <mobula/resource/limits.hpp>

namespace mobula::resource {
namespace {

TEST(Diagnostics, PlacesBecomeLinesAndColumnsInCharacters) {
  Diagnostics diagnostics;
  const std::uint32_t file = diagnostics.add_file("a.json", "one\nt\xc3\xa4 wo\n\n");
  diagnostics.error({file, 8}, "here");
  ASSERT_EQ(diagnostics.errors().size(), 1u);
  EXPECT_EQ(to_string(diagnostics.errors()[0]), "a.json:2:4: here");
  EXPECT_EQ(diagnostics.describe({file, 8}), "a.json:2:4");
}

TEST(Diagnostics, ErrorsAreSortedByPlaceAndOnePerPlace) {
  Diagnostics diagnostics;
  const std::uint32_t file = diagnostics.add_file("a.json", "0123456789");
  diagnostics.error({file, 5}, "second");
  diagnostics.error({file, 1}, "first");
  diagnostics.error({file, 5}, "again");
  const auto errors = diagnostics.errors();
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0].message, "first");
  EXPECT_EQ(errors[1].message, "second");
}

TEST(Diagnostics, TheRestOfVeryManyErrorsIsCounted) {
  Diagnostics diagnostics;
  const std::uint32_t file = diagnostics.add_file("a.json", std::string(1000, ' '));
  for (std::uint32_t i = 0; i < limits::errors + 7; ++i) diagnostics.error({file, i}, "wrong");
  const auto errors = diagnostics.errors();
  ASSERT_EQ(errors.size(), limits::errors + 1);
  EXPECT_EQ(to_string(errors.back()), "a.json: and 7 more errors");
}

TEST(Diagnostics, MakesMessagesOnlyForKeptErrors) {
  Diagnostics diagnostics;
  const std::uint32_t file = diagnostics.add_file("a.json", std::string(1000, ' '));
  std::uint32_t worded = 0;
  for (std::uint32_t i = 1000; i-- > 0;) {
    for (int twice = 0; twice < 2; ++twice)
      diagnostics.error({file, i}, [&] { return core::format("mistake {}", ++worded); });
  }
  EXPECT_EQ(worded, limits::errors);
  const auto errors = diagnostics.errors();
  ASSERT_EQ(errors.size(), limits::errors + 1);
  EXPECT_EQ(errors.front().message, "mistake 50") << "the first found, sorted by place";
  EXPECT_EQ(errors.back().message, "and 950 more errors");
}

TEST(Diagnostics, AnErrorIsOneLineWhateverItsNames) {
  Diagnostics diagnostics;
  diagnostics.error({diagnostics.add_file("a.json", "x"), 0}, "no 'a\nb'");
  EXPECT_EQ(diagnostics.errors()[0].message, "no 'a?b'");
}

}  // namespace
}  // namespace mobula::resource
