#include <mobula/server/session/newcomers.hpp>

namespace mobula::server {

using State = ClientSession::State;

void Newcomers::begin_tick() {
  admitted_ = 0;
  waiting_ = 0;
  if (take_turns()) budget_.begin_tick();
}

void Newcomers::note_arrival(ClientSession& session, core::Nanoseconds now) {
  session.newcomer = false;
  ++stats_.arrived;
  stats_.arrival_ns.add(now - session.connected_at);
}

void Newcomers::end_tick(Sessions sessions, core::Nanoseconds now) {
  stats_.present = 0;
  stats_.waiting = waiting_;
  stats_.longest_wait = 0;
  for (const std::unique_ptr<ClientSession>& session : sessions) {
    const bool is_connected = session->state != State::disconnected && session->state != State::closing;
    if (!session->newcomer || !is_connected) continue;
    ++stats_.present;
    stats_.longest_wait = std::max(stats_.longest_wait, now - session->connected_at);
  }
  if (!take_turns()) return;
  budget_.end_tick(admitted_);
  rush_.update({.present = stats_.present,
                .waiting = stats_.waiting,
                .arrived = stats_.arrived,
                .longest_wait = stats_.longest_wait,
                .tick = budget_.last_tick(),
                .period = budget_.period()},
               now);
}

}  // namespace mobula::server
