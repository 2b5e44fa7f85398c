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
void Server::look(ClientSession& session) {
  if (session.last_query.tick == world_->tick()) return;  // when it began to play
  if (session.view->note_published()) session.last_query.interest_version = 0;
  const bool changed = session.last_query.interest_version != interest_->version() || game_.interest_rule() != nullptr;
  const ecs::Tick now = world_->tick();
  const bool turn = (now + session.player.id) % look_interval == 0 || now - session.last_query.tick >= look_interval;
  const bool at_once = session.last_query.interest_version == 0 ||
                       session.last_query.viewer_version != session.viewer->version() ||
                       publisher_->came().size() > newcomers_max;
  const bool looks = at_once || (changed && turn);
  if (looks || !changed) session.last_query.tick = now;
  looks ? look_around(session) : look_at_newcomers(session);
}

void Server::look_around(ClientSession& session) {
  ClientView& view = *session.view;
  const std::uint64_t owners = std::exchange(session.last_query.owners_version, interest_->owners_version());
  session.last_query.interest_version = interest_->version();
  session.last_query.viewer_version = session.viewer->version();
  entering_.clear();
  leaving_.clear();
  interest_->look(*session.viewer, view.seen(), entering_, leaving_);
  const auto is_owner = [&](std::uint32_t index) { return interest_->owner(index) == session.player.id; };
  view.leave(leaving_);
  if (owners != session.last_query.owners_version) view.update_owners(is_owner);
  for (const std::uint32_t index : entering_)
    if (!view.enter(index, is_owner(index))) session.last_query.interest_version = 0;
}

void Server::look_at_newcomers(ClientSession& session) {
  for (const std::uint32_t index : publisher_->came()) {
    if (!interest_->may_enter(*session.viewer, index)) continue;
    if (!session.view->enter(index, interest_->owner(index) == session.player.id))
      session.last_query.interest_version = 0;
  }
}

}  // namespace mobula::server
