// When a client's view looks around, and what comes into it.
#include <mobula/server/session/server.hpp>
#include <utility>

namespace mobula::server {
namespace {

constexpr ecs::Tick look_interval = 4;
constexpr std::size_t newcomers_max = 32;  // in one tick, to be looked at one by one

}  // namespace

// A look around takes a while: clients take turns, but not those that look elsewhere than before, nor those that were
// not told anything for a while. Who has just come is seen at once all the same.
void Server::look(Session& session) {
  if (session.looked.in == world_->tick()) return;  // when it began to play
  if (session.view->note_published()) session.looked.at = 0;
  const bool changed = session.looked.at != interest_->version() || game_.interest_rule() != nullptr;
  const ecs::Tick now = world_->tick();
  const bool turn = (now + session.player.id) % look_interval == 0 || now - session.looked.in >= look_interval;
  const bool at_once = session.looked.at == 0 || session.looked.through != session.viewer->version() ||
                       publisher_->spawned().size() > newcomers_max;
  const bool looks = at_once || (changed && turn);
  if (looks || !changed) session.looked.in = now;
  looks ? look_around(session) : look_at_newcomers(session);
}

void Server::look_around(Session& session) {
  ClientView& view = *session.view;
  const std::uint64_t owners = std::exchange(session.looked.owners, interest_->owners_version());
  session.looked.at = interest_->version();
  session.looked.through = session.viewer->version();
  entering_.clear();
  leaving_.clear();
  interest_->query_visibility(*session.viewer, view.visible(), entering_, leaving_);
  const auto is_owner = [&](std::uint32_t index) { return interest_->owner(index) == session.player.id; };
  view.remove_visible(leaving_);
  if (owners != session.looked.owners) view.update_owners(is_owner);
  for (const std::uint32_t index : entering_)
    if (!view.add_visible(index, is_owner(index))) session.looked.at = 0;
}

void Server::look_at_newcomers(Session& session) {
  for (const std::uint32_t index : publisher_->spawned()) {
    if (!interest_->may_enter(*session.viewer, index)) continue;
    if (!session.view->add_visible(index, interest_->owner(index) == session.player.id)) session.looked.at = 0;
  }
}

}  // namespace mobula::server
