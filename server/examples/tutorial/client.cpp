// Joins the orchard, walks to the nearest apple, and prints once a second what it sees.
#include <mobula/schema/orchard_commands_generated.h>

#include <cmath>
#include <cstdio>
#include <mobula/client.hpp>
#include <orchard/components.hpp>

using namespace mobula;

Bytes move_command(float x, float z) {
  flatbuffers::FlatBufferBuilder builder;
  const auto move = orchard::commands::CreateMove(builder, x, z);
  builder.Finish(orchard::commands::CreateCommand(builder, orchard::commands::Body::Move, move.Union()));
  const ByteView bytes = core::as_bytes(builder.GetBufferPointer(), builder.GetSize());
  return {bytes.begin(), bytes.end()};
}

struct Seen {
  int trees = 0;
  int apples = 0;
  float x = 0, z = 0;  // way to the nearest apple
};

Seen survey(const Mirror& mirror, const Transform& from) {
  Seen seen;
  float nearest = INFINITY;
  mirror.registry().view<const orchard::Tree>().each([&](const orchard::Tree&) { ++seen.trees; });
  mirror.registry().view<const orchard::Apple, const Transform>().each([&](const auto&, const Transform& at) {
    ++seen.apples;
    const float x = at.position.x - from.position.x;
    const float z = at.position.z - from.position.z;
    if (std::hypot(x, z) >= nearest) return;
    nearest = std::hypot(x, z);
    seen.x = x;
    seen.z = z;
  });
  return seen;
}

int main(int argc, char** argv) {
  if (argc < 2) return std::puts("usage: orchard-client HOST:PORT [ADMIN_URL]"), 2;
  const Result<Access> access =
      parse_access({.connect = argv[1], .admin = argc > 2 ? argv[2] : "http://127.0.0.1:7780"});
  if (!access) return std::puts(access.error().message.c_str()), 2;

  EventLoop loop;
  loop.on_stop_signal([&] { loop.stop(); });
  // A server with another schema refuses this client, so components may be read by their C++ types.
  const auto schema = reflect::Schema::load(orchard::schema_bytes());
  const auto entered = enter(loop, *access, {.name = "orchard-client", .schema = *schema});
  if (!entered) return std::puts(entered.error().message.c_str()), 1;
  PipeClient& client = **entered;
  const Connection& connection = client.connection();

  for (int updates = 0; !loop.stopped() && !client.over(); ++updates) {
    run_until(loop, core::monotonic_now() + 25 * core::millisecond, std::array{&client});
    client.update();
    const Mirror* mirror = connection.mirror();
    if (mirror == nullptr || !connection.clock()->known()) continue;
    const auto* own = mirror->registry().try_get<const Transform>(connection.player_entity());
    const auto* gatherer = mirror->registry().try_get<const orchard::Gatherer>(connection.player_entity());
    if (own == nullptr || gatherer == nullptr) continue;
    const Seen seen = survey(*mirror, *own);
    const float length = std::max(1.0f, std::hypot(seen.x, seen.z));
    if (updates % 4 == 0) client.set_command(move_command(seen.x / length, seen.z / length));
    if (updates % 40 != 0) continue;
    std::printf("tick %u: %d trees, %d apples, I am at (%.2f, %.2f) and have %u points\n", mirror->tick(), seen.trees,
                seen.apples, own->position.x, own->position.z, gatherer->points);
    std::fflush(stdout);
  }
  if (client.over()) std::printf("closed: %s\n", to_string(connection.reason()).c_str());
  client.close();
}
