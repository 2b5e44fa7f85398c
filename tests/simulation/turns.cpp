#include <algorithm>
#include <simulation/turns.hpp>

namespace mobula::sim {
namespace {

using State = server::ClientSession::State;

bool is_served_in_turns(server::Server& server, const server::ClientSession& session) {
  const transport::Session* const connection = server.connection(session);
  return connection != nullptr && (session.newcomer || !session.transfer.done() ||
                                   connection->reliable_backlog_bytes(transport::Lane::bulk) > 0);
}

bool has_delta_of(const server::ClientSession& session, ecs::Tick tick) {
  const server::ClientView& view = *session.replication.view;
  return view.last_delta_tick() == tick || view.unsettled() >= server::SentDeltas::window_max;
}

// Whether the newcomer was left out of the tick.
bool is_left_out(const server::ClientSession& session, const transport::Session& connection, ecs::Tick tick) {
  switch (session.state) {
    case State::greeting: return connection.has_reliable();
    case State::joining:
      return session.replication.last_query.interest_version == 0 || connection.reliable_delivered(session.welcome);
    case State::playing: return !has_delta_of(session, tick);
    default: return false;
  }
}

}  // namespace

std::optional<std::string> Turns::check(server::Server& server, const transport::Output& output) {
  const ecs::Tick tick = server.world().tick() - 1;
  const auto others = static_cast<std::uint32_t>(
      std::ranges::count_if(server.sessions(), [&](const auto& each) { return is_served_in_turns(server, *each); }));
  std::map<Key, Wait> waits;
  for (const auto& session : server.sessions()) {
    const transport::Session* const connection = server.connection(*session);
    if (connection == nullptr || session->state == State::closing) continue;
    const std::string who = "player " + std::to_string(session->player.id);
    if (!output.ready(server.endpoint().address(session->transport_id))) continue;
    if (!session->newcomer && session->state == State::playing && !has_delta_of(*session, tick))
      return who + " plays, and was sent nothing in tick " + std::to_string(tick);
    if (!session->newcomer || !is_left_out(*session, *connection, tick)) continue;
    const Key key{session->transport_id.index, session->transport_id.generation, session->state == State::greeting};
    Wait wait = waits_[key];
    wait.ticks += 1;
    wait.others = std::max(wait.others, others);
    if (wait.ticks > wait.others)
      return who + " has waited for " + std::to_string(wait.ticks) + " ticks, and " + std::to_string(wait.others) +
             " were to be served";
    longest_wait_ = std::max(longest_wait_, wait.ticks);
    waits[key] = wait;
  }
  waits_ = std::move(waits);
  return std::nullopt;
}

}  // namespace mobula::sim
