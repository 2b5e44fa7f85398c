#include <mobula/server/session/client_session.hpp>
#include <utility>

namespace mobula::server {

void ClientSession::disconnect(core::Nanoseconds now) {
  if (state != State::greeting) disconnected_since = now;
  state = State::disconnected;
}

void ClientSession::resume(transport::SessionId id, core::Nanoseconds now) {
  if (state == State::joining || state == State::playing) disconnected_since = now;
  transport_id = id;
  state = State::greeting;
  connected_at = now;
  newcomer = true;
  turns = {.last = now};
  next_rejoin_tokens = now;  // the connection has used up one of the tokens
  transfer = {};
  claims = {};
  small_bodies = false;
  replication.reset_connection();
}

bool ClientSession::resume_replication(bool mirror_kept) {
  if (mirror_kept && was_playing) {
    replication.resume_view();
    return true;
  }
  was_playing = false;
  replication.drop_view();
  commands = CommandBuffer(commands.stats(), std::exchange(first_command, 1));
  return false;
}

void ClientSession::update_player_entity(const ecs::Registry& registry) {
  if (replication.viewer == nullptr) return;
  const ecs::Entity entity = replication.viewer->entity();
  player.entity = registry.valid(entity) ? entity : ecs::null_entity;
}

bool ClientSession::rejoin_tokens_due(core::Nanoseconds now) const {
  if (!joined || now < next_rejoin_tokens) return false;
  const bool has_all = state == State::playing && !replication.view->has_pending();
  return has_all || now - connected_at > tokens_wait_max;
}

bool ClientSession::has_arrived(core::Nanoseconds now) const {
  if (state != State::playing) return false;
  return (!replication.view->has_pending() && !rejoin_tokens_due(now)) || turns.count >= turns_max;
}

}  // namespace mobula::server
