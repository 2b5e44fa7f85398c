// Joins the arena and prints, twice a second, what it sees.
#include <arena/components.hpp>
#include <cstdio>
#include <mobula/client.hpp>

using namespace mobula;

int main(int argc, char** argv) {
  if (argc < 2) return std::puts("usage: arena-client HOST:PORT [ADMIN_URL]"), 2;
  const std::string admin = argc > 2 ? argv[2] : "http://127.0.0.1:7780";  // hands out connect tokens in development
  const Result<Access> access = parse_access({.connect = argv[1], .admin = admin});
  if (!access) return std::puts(access.error().message.c_str()), 2;

  EventLoop loop;
  loop.on_stop_signal([&] { loop.stop(); });
  const auto entered = enter(loop, *access, {.name = "arena-client"});
  if (!entered) return std::puts(entered.error().message.c_str()), 1;
  PipeClient& client = **entered;
  const Connection& connection = client.connection();

  for (int updates = 0; !loop.stopped() && !client.over(); ++updates) {
    run_until(loop, core::monotonic_now() + 25 * core::millisecond, std::array{&client});
    client.update();
    const Mirror* mirror = connection.mirror();
    if (mirror == nullptr || updates % 20 != 0) continue;
    const double tick = mirror->tick();  // the newest; a program that draws takes connection.clock()->view_tick()
    const auto at = sample<Transform>(*mirror, connection.player_entity(), tick);
    const auto ball = sample<arena::Ball>(*mirror, connection.player_entity(), tick);
    if (!at || !ball) continue;
    std::printf("tick %.0f: %u entities, my ball is at (%.2f, %.2f), %u bounces\n", tick, mirror->size(),
                at->position.x, at->position.z, ball->bounces);
    std::fflush(stdout);
  }
  if (client.over()) std::printf("closed: %s\n", to_string(connection.reason()).c_str());
  client.close();
}
