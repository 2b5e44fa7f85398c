#include <gtest/gtest.h>

#include <mobula/server/session/client_session.hpp>
#include <server/random_world.hpp>

namespace mobula::server {
namespace {

TEST(ClientSession, AResumedSessionKeepsTheViewOfAKeptMirror) {
  test::RandomWorld world(1);
  EncodedDeltaCache encoded(world.publisher.published());
  ViewWorkspace workspace;
  ClientSession session({0, 1});
  session.replication.view = std::make_unique<ClientView>(world.publisher.published(), encoded, workspace, false);
  session.was_playing = true;
  const ClientView* view = session.replication.view.get();
  session.disconnect(0);
  session.resume({0, 2}, core::second);
  EXPECT_TRUE(session.resume_replication(true));
  EXPECT_EQ(session.replication.view.get(), view);
  session.resume({0, 3}, core::second);
  EXPECT_FALSE(session.resume_replication(false)) << "another process with the same tokens has no mirror";
  EXPECT_EQ(session.replication.view, nullptr);
  session.resume({0, 4}, core::second);
  EXPECT_FALSE(session.resume_replication(true)) << "it never received a delta of this view";
}

TEST(ClientSession, CountsLateCommandsOnWithAnotherMirror) {
  ClientSession session({0, 1});
  const core::Bytes bytes(4);
  wire::InputDatagram input{.first_command = 1, .commands = {{.tick = 98, .bytes = bytes}}};
  ASSERT_TRUE(session.commands.on_input(input, 100).ok());
  ASSERT_EQ(session.commands.due(100).size(), 1u);
  session.disconnect(0);
  session.resume({0, 2}, core::second);
  EXPECT_FALSE(session.resume_replication(false));
  EXPECT_EQ(session.commands.stats().late.run, 1u);
  ASSERT_TRUE(session.commands.on_input(input, 100).ok());
  EXPECT_EQ(session.commands.due(100).size(), 1u) << "numbers begin anew";
  EXPECT_EQ(session.commands.stats().late.run, 2u);
}

}  // namespace
}  // namespace mobula::server
