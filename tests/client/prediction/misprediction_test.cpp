#include <gtest/gtest.h>

#include <court/components.hpp>
#include <mobula/client/prediction/misprediction.hpp>

namespace mobula::client::misprediction_test {
namespace {

class Mispredicted : public testing::Test {
 protected:
  template <class T>
  static core::Bytes bytes_of(const T& value) {
    const core::ByteView view = core::as_bytes(&value, 1);
    return {view.begin(), view.end()};
  }

  std::unique_ptr<Mirror> mirror = std::move(*Mirror::make(*reflect::Schema::load(court::schema_bytes()), 100));
};

TEST_F(Mispredicted, IsDescribedByFieldsAndBothValues) {
  const Misprediction found{
      .tick = 31,
      .cause = Misprediction::Cause::remote,
      .entity = {4, 1},
      .pool = mirror->registry().pool_of<court::Body>(),
      .predicted = bytes_of(court::Body{.position = {.x = 1.5f, .y = 0, .z = 3}, .velocity = {}}),
      .authoritative = bytes_of(court::Body{.position = {.x = 2, .y = 0, .z = 4}, .velocity = {}})};
  EXPECT_EQ(describe(found, *mirror),
            "tick 31, entity 4.1, remote: Body.position.x is 2, predicted 1.5; Body.position.z is 4, predicted 3");
}

TEST_F(Mispredicted, NamesAnEntityThatOneSideLacks) {
  EXPECT_EQ(describe({.tick = 31, .entity = {4, 1}}, *mirror),
            "tick 31, entity 4.1, late command: only one side has it");
  EXPECT_EQ(describe({.tick = 31, .cause = Misprediction::Cause::level, .entity = {4, 1}}, *mirror),
            "tick 31, entity 4.1, level: only one side has it");
  EXPECT_EQ(describe({}, *mirror), "no misprediction");
}

}  // namespace
}  // namespace mobula::client::misprediction_test
