// Joins a server and prints where the player's entity is.
#include <cstdio>
#include <mobula/client.hpp>

using namespace mobula;

int main(int argc, char** argv) {
  if (argc < 2) return std::puts("usage: program HOST:PORT"), 2;
  const Result<Access> access = parse_access({.connect = argv[1], .token_file = "demo.token"});
  if (!access) return std::puts(access.error().message.c_str()), 2;
  EventLoop loop;
  const auto entered = enter(loop, *access, {.name = "cpp"});
  if (!entered) return std::puts(entered.error().message.c_str()), 1;
  PipeClient& client = **entered;
  ecs::Tick shown = 0;
  while (!client.over()) {
    run_until(loop, core::monotonic_now() + 50 * core::millisecond, std::array{&client});
    client.update();
    const Mirror* mirror = client.connection().mirror();
    if (mirror == nullptr || mirror->tick() == shown) continue;
    shown = mirror->tick();
    const auto pose = sample_world(*mirror, client.connection().player_entity(), shown);
    if (pose) std::printf("tick %u: %.2f %.2f %.2f\n", shown, pose->position.x, pose->position.y, pose->position.z);
  }
  std::puts(to_string(client.connection().reason()).c_str());
}
