#include <algorithm>
#include <array>
#include <ranges>
#include <simulation/turns.hpp>
#include <utility>

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

bool keeps_its_place(const server::ClientSession& session) {
  return session.newcomer && session.turns.count < server::ClientSession::turns_max;
}

std::string name_of(const server::ClientSession& session) { return "player " + std::to_string(session.player.id); }

}  // namespace

// The first turn of a connection is its admission. The others are for states.
std::optional<std::string> Turns::check_order(server::Server& server, const transport::Output& output, ecs::Tick tick) {
  const std::span<const std::unique_ptr<server::ClientSession>> sessions = server.sessions();
  const auto turn = [](const auto& session) { return session->turns.count > 0 ? session->turns.last : 0; };
  const core::Nanoseconds now = sessions.empty() ? 0 : std::ranges::max(sessions | std::views::transform(turn));
  if (now <= std::exchange(last_turn_, now)) return std::nullopt;
  std::array<const server::ClientSession*, 2> last{};  // served in this tick: admitted, sent states
  for (const auto& session : sessions) {
    if (session->turns.count == 0 || session->turns.last != now) continue;
    const server::ClientSession*& latest = last[session->turns.count == 1 ? 0 : 1];
    if (latest == nullptr || latest->connected_at < session->connected_at) latest = session.get();
  }
  for (const auto& session : sessions) {
    const transport::Session* const connection = server.connection(*session);
    if (connection == nullptr || !keeps_its_place(*session) || session->turns.last == now) continue;
    if (!output.ready(server.endpoint().address(session->transport_id))) continue;
    const server::ClientSession* const served = last[session->state == State::greeting ? 0 : 1];
    if (served == nullptr || served->connected_at <= session->connected_at) continue;
    if (is_left_out(*session, *connection, tick))
      return name_of(*served) + " had a turn before " + name_of(*session) + ", which connected earlier";
  }
  return std::nullopt;
}

std::optional<std::string> Turns::check(server::Server& server, const transport::Output& output) {
  const ecs::Tick tick = server.world().tick() - 1;
  const auto others = static_cast<std::uint32_t>(
      std::ranges::count_if(server.sessions(), [&](const auto& each) { return is_served_in_turns(server, *each); }));
  if (auto wrong = check_order(server, output, tick)) return wrong;
  std::map<Key, Wait> waits;
  for (const auto& session : server.sessions()) {
    const transport::Session* const connection = server.connection(*session);
    if (connection == nullptr || session->state == State::closing) continue;
    const std::string who = name_of(*session);
    if (!output.ready(server.endpoint().address(session->transport_id))) continue;
    if (!session->newcomer && session->state == State::playing && !has_delta_of(*session, tick))
      return who + " plays, and was sent nothing in tick " + std::to_string(tick);
    if (!session->newcomer || !is_left_out(*session, *connection, tick)) continue;
    const Key key{session->transport_id.index, session->transport_id.generation, session->state == State::greeting};
    Wait wait = waits_[key];
    wait.ticks += 1;
    wait.others = std::max(wait.others, others);
    if (wait.ticks > wait.others * (server::ClientSession::turns_max + 1))
      return who + " has waited for " + std::to_string(wait.ticks) + " ticks, and " + std::to_string(wait.others) +
             " were to be served";
    waits[key] = wait;
  }
  waits_ = std::move(waits);
  return std::nullopt;
}

}  // namespace mobula::sim
