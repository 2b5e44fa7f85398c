#include <mobula/server/session/visibility_query.hpp>
#include <utility>

namespace mobula::server {
namespace {

constexpr ecs::Tick query_interval = 4;
constexpr std::size_t spawned_max = 32;  // spawned per tick; if there are more, all clients run a query

}  // namespace

void VisibilityQuery::update(ClientSession& session) {
  const ecs::Tick now = registry_.tick();
  if (session.last_query.tick == now) return;  // play began in this tick
  if (session.view->note_published()) session.last_query.interest_version = 0;
  const bool changed = session.last_query.interest_version != interest_.version() || has_rule_;
  const bool turn = (now + session.player.id) % query_interval == 0 || now - session.last_query.tick >= query_interval;
  const bool at_once = session.last_query.interest_version == 0 ||
                       session.last_query.viewer_version != session.viewer->version() ||
                       publisher_.spawned().size() > spawned_max;
  const bool due = at_once || (changed && turn);
  if (due || !changed) session.last_query.tick = now;
  due ? run(session) : check_spawned(session);
}

void VisibilityQuery::run(ClientSession& session) {
  ClientView& view = *session.view;
  const std::uint64_t owners = std::exchange(session.last_query.owners_version, interest_.owners_version());
  session.last_query.interest_version = interest_.version();
  session.last_query.viewer_version = session.viewer->version();
  entering_.clear();
  leaving_.clear();
  interest_.query_visibility(*session.viewer, view.visible(), entering_, leaving_);
  const auto is_owner = [&](std::uint32_t index) { return interest_.owner(index) == session.player.id; };
  view.remove_visible(leaving_);
  if (owners != session.last_query.owners_version) view.update_owners(is_owner);
  for (const std::uint32_t index : entering_)
    if (!view.add_visible(index, is_owner(index))) session.last_query.interest_version = 0;
}

void VisibilityQuery::check_spawned(ClientSession& session) {
  for (const std::uint32_t index : publisher_.spawned()) {
    if (!interest_.may_enter(*session.viewer, index)) continue;
    if (!session.view->add_visible(index, interest_.owner(index) == session.player.id))
      session.last_query.interest_version = 0;
  }
}

}  // namespace mobula::server
