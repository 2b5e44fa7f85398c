// Enters README's game and waits until its own ball has moved. main(): HOST:PORT ADMIN_ADDRESS
#include <arena/components.hpp>
#include <cstdio>
#include <mobula/client/mirror/interpolation.hpp>
#include <mobula/client/pipe/pipe_client.hpp>
#include <mobula/schema/messages_generated.h>

using namespace mobula;

int main(int, char** argv) {
  net::EventLoop loop;
  core::Result<client::Access> access = client::parse_access({.connect = argv[1], .admin = argv[2]});
  if (!access) return std::puts(access.error().message.c_str()), 1;
  auto entered = client::enter(loop, *access, {.name = "player"});
  if (!entered) return std::puts(entered.error().message.c_str()), 1;
  client::PipeClient& game = **entered;
  std::optional<engine::Transform> first;
  const core::Nanoseconds patience = core::monotonic_now() + 30 * core::second;
  while (!game.over() && core::monotonic_now() < patience) {
    client::run_until(loop, core::monotonic_now() + 25 * core::millisecond, std::array{&game});
    game.update();
    const client::Mirror* mirror = game.connection().mirror();
    if (!mirror || !game.connection().player_entity()) continue;
    const auto tick = static_cast<double>(mirror->tick());
    const auto at = client::sample<engine::Transform>(*mirror, game.connection().player_entity(), tick);
    const auto ball = client::sample<arena::Ball>(*mirror, game.connection().player_entity(), tick);
    if (!at || !ball) continue;
    if (!first) first = at;
    if (at->position.x == first->position.x) continue;
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(player::messages::CreateReport(builder, mirror->size()));
    const auto* report = flatbuffers::GetRoot<player::messages::Report>(builder.GetBufferPointer());
    std::printf("my ball moves; %u are there\n", report->balls());
    game.close();
    return 0;
  }
  return std::puts("my ball did not move"), 1;
}
