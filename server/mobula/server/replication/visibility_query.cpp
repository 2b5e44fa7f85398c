#include <algorithm>
#include <iterator>
#include <mobula/server/replication/visibility_query.hpp>
#include <utility>

namespace mobula::server {
namespace {

constexpr ecs::Tick query_interval = 4;
constexpr std::size_t spawned_max = 32;     // spawned per tick; if there are more, all clients run a query
constexpr std::size_t reparented_max = 32;  // likewise

}  // namespace

void VisibilityQuery::update(ClientReplication& client) {
  const ecs::Tick now = registry_.tick();
  if (client.last_query.tick == now) return;  // play began in this tick
  if (client.view->note_published()) client.last_query.interest_version = 0;
  if (sees_new_parents(client, std::exchange(client.last_query.updated, now))) client.last_query.interest_version = 0;
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
  continuing_.clear();
  std::ranges::copy_if(leaving_, std::back_inserter(continuing_),
                       [&](std::uint32_t index) { return interest_.continues_out_of_view(index); });
  view.remove_visible(leaving_, continuing_);
  if (owners != client.last_query.owners_version) view.update_owners(is_owner);
  for (const std::uint32_t index : entering_)
    if (!view.add_visible(index, is_owner(index))) client.last_query.interest_version = 0;
}

// Returns whether a visible entity has another parent than when the view was updated last.
bool VisibilityQuery::sees_new_parents(const ClientReplication& client, ecs::Tick since) const {
  const InterestParents& parents = interest_.parents();
  if (parents.last_change() <= since) return false;
  if (since + 1 < registry_.tick() || parents.changed().size() > reparented_max) return true;
  return std::ranges::any_of(parents.changed(), [&](const InterestParents::Changed& changed) {
    const ecs::Entity child = registry_.entities().at(changed.index);
    return child && client.view->is_visible(child);
  });
}

void VisibilityQuery::check_spawned(ClientReplication& client) {
  for (const std::uint32_t index : publisher_.spawned())
    if (interest_.may_enter(*client.viewer, index)) add_with_parents(client, index);
}

// The parents may be visible already, or may have spawned too and be checked before or after.
void VisibilityQuery::add_with_parents(ClientReplication& client, std::uint32_t index) {
  for (; index != InterestParents::none; index = interest_.parents().above(index)) {
    if (interest_.parents().count() > 0 && client.view->is_visible(registry_.entities().at(index))) return;
    if (client.view->add_visible(index, interest_.owner(index) == client.viewer->player())) continue;
    client.last_query.interest_version = 0;
    return;
  }
}

}  // namespace mobula::server
