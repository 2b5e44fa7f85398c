#include <mobula/server/replication/visibility_query.hpp>
#include <utility>

namespace mobula::server {
namespace {

constexpr ecs::Tick query_interval = 4;
constexpr std::size_t spawned_max = 32;  // spawned per tick; if there are more, all clients run a query

}  // namespace

void VisibilityQuery::update(ClientReplication& client) {
  const ecs::Tick now = registry_.tick();
  if (client.last_query.tick == now) return;  // play began in this tick
  if (client.view->note_published()) client.last_query.interest_version = 0;
  const bool changed = client.last_query.interest_version != interest_.version() || has_rule_;
  const bool turn =
      (now + client.viewer->player()) % query_interval == 0 || now - client.last_query.tick >= query_interval;
  const bool at_once = client.last_query.interest_version == 0 ||
                       client.last_query.viewer_version != client.viewer->version() ||
                       publisher_.spawned().size() > spawned_max;
  const bool due = at_once || (changed && turn);
  if (due || !changed) client.last_query.tick = now;
  due ? run(client) : check_spawned(client);
}

void VisibilityQuery::run(ClientReplication& client) {
  ClientView& view = *client.view;
  const std::uint64_t owners = std::exchange(client.last_query.owners_version, interest_.owners_version());
  client.last_query.interest_version = interest_.version();
  client.last_query.viewer_version = client.viewer->version();
  entering_.clear();
  leaving_.clear();
  interest_.query_visibility(*client.viewer, view.visible(), entering_, leaving_);
  const auto is_owner = [&](std::uint32_t index) { return interest_.owner(index) == client.viewer->player(); };
  view.remove_visible(leaving_);
  if (owners != client.last_query.owners_version) view.update_owners(is_owner);
  for (const std::uint32_t index : entering_)
    if (!view.add_visible(index, is_owner(index))) client.last_query.interest_version = 0;
}

void VisibilityQuery::check_spawned(ClientReplication& client) {
  for (const std::uint32_t index : publisher_.spawned()) {
    if (!interest_.may_enter(*client.viewer, index)) continue;
    if (!client.view->add_visible(index, interest_.owner(index) == client.viewer->player()))
      client.last_query.interest_version = 0;
  }
}

}  // namespace mobula::server
