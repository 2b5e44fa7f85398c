// Code of docs/client-guide.md that no program of the tree has. It is compiled, and never run.
#include <array>
#include <mobula/client.hpp>
#include <mobula/hierarchy/hierarchy.hpp>
#include <optional>

using namespace mobula;

namespace client_guide {

struct Backend {
  Result<std::optional<WorldToken>> poll_token(const std::string& world);
};

void add_picture(Entity entity);
void on_event(ByteView bytes);
void draw(const hierarchy::WorldTransform& place);
void draw(Entity entity, const Transform& transform, const hierarchy::WorldTransform& pose);

void set_source(PipeClient& client, Backend& backend) {
  client.set_token_source([&](const std::string& world) -> Result<std::optional<WorldToken>> {
    return backend.poll_token(world);  // nothing while the request runs; an error is tried again after a second
  });
}

void update(EventLoop& loop, PipeClient& client, Connection& connection) {
  run_until(loop, core::monotonic_now() + 25 * core::millisecond, std::array{&client});
  client.update();
  if (Mirror* mirror = connection.mirror(); mirror != nullptr)
    for (const client::Change& change : mirror->changes())
      if (change.kind == client::ChangeKind::spawned) add_picture(change.entity);
  for (const ReceivedEvent& event : connection.events()) on_event(event.bytes);
}

void draw_placed(Mirror* mirror, Entity entity) {
  hierarchy::Hierarchy hierarchy(mirror->registry());              // one for the mirror's life
  if (hierarchy.is_placed(entity)) draw(hierarchy.world(entity));  // all its parents are here
}

void draw_between_states(Connection& connection, Entity entity) {
  Mirror* mirror = connection.mirror();
  client::ServerClock* clock = connection.clock();
  if (mirror == nullptr || clock == nullptr || !clock->known()) return;  // there is nothing to draw yet
  const double view = clock->view_tick(core::monotonic_now());
  mirror->set_view_tick(view);                                      // with each frame: keeps the states around it
  const auto transform = sample<Transform>(*mirror, entity, view);  // positions move evenly, rotations turn

  const auto pose = sample_world(*mirror, entity, view);  // position and rotation in the world
  if (transform && pose) draw(entity, *transform, *pose);
}

bool enter_with_levels(EventLoop& loop, const Result<Access>& access) {
  auto levels = client::ResourceFolder::open("levels");  // a folder; <mobula/client.hpp> declares it
  const auto entered = enter(loop, *access, {.name = "anna", .resources = &*levels});
  return entered.ok();
}

}  // namespace client_guide
