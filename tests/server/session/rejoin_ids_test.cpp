#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/server/session/rejoin_ids.hpp>

namespace mobula::server {
namespace {

core::SecretKey key_of(int number) {
  core::SecretKey key{};
  key[0] = static_cast<std::byte>(number);
  return key;
}

TEST(RejoinIds, AreRecognisedOnlyByTheirServer) {
  RejoinIds ids(key_of(2));
  const RejoinIds others(key_of(3));
  for (int i = 0; i < 300; ++i) {
    const std::uint32_t session = ids.next_session();
    for (std::uint32_t which = 0; which < RejoinIds::per_session; ++which) {
      const std::uint64_t id = ids.make(session, which);
      EXPECT_TRUE(ids.made_here(id));
      EXPECT_FALSE(others.made_here(id));
      EXPECT_EQ(RejoinIds::session_of(id), session);
    }
  }
}

TEST(RejoinIds, IdsOfABackendAreNotRecognised) {
  const RejoinIds ids(key_of(2));
  core::Random random(1);
  for (std::uint64_t id = 0; id < 1000; ++id) EXPECT_FALSE(ids.made_here(id));
  for (int i = 0; i < 10'000; ++i) EXPECT_FALSE(ids.made_here(random.next()));
}

}  // namespace
}  // namespace mobula::server
