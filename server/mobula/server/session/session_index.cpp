#include <mobula/core/assert.hpp>
#include <mobula/server/session/session_index.hpp>

namespace mobula::server {

void SessionIndex::add(ClientSession& session) {
  add_connection(session);
  if (!session.player.account.empty()) by_account_[session.player.account].push_back(&session);
}

void SessionIndex::remove(ClientSession& session) {
  remove_connection(session);
  if (session.rejoin_number != 0) by_number_.erase(session.rejoin_number);
  const auto found = by_account_.find(session.player.account);
  if (found == by_account_.end()) return;
  std::erase(found->second, &session);
  if (found->second.empty()) by_account_.erase(found);
}

void SessionIndex::resume(ClientSession& session, transport::SessionId connection, core::Nanoseconds now) {
  remove_connection(session);
  session.resume(connection, now);
  add_connection(session);
}

void SessionIndex::set_rejoin_number(ClientSession& session, std::uint32_t number) {
  MOBULA_ASSERT(session.rejoin_number == 0, "a session keeps its rejoin number");
  session.rejoin_number = number;
  by_number_.emplace(number, &session);
}

ClientSession* SessionIndex::find(transport::SessionId connection) const {
  if (connection.index >= by_slot_.size()) return nullptr;
  ClientSession* const session = by_slot_[connection.index];
  return session != nullptr && session->transport_id == connection ? session : nullptr;
}

ClientSession* SessionIndex::find_rejoining(std::uint32_t number) const {
  const auto found = by_number_.find(number);
  return found == by_number_.end() ? nullptr : found->second;
}

std::span<ClientSession* const> SessionIndex::of_account(std::string_view account) const {
  const auto found = by_account_.find(account);
  if (found == by_account_.end()) return {};
  return found->second;
}

// A restored session has no connection yet.
void SessionIndex::add_connection(ClientSession& session) {
  const std::uint32_t slot = session.transport_id.index;
  if (session.transport_id == transport::SessionId{}) return;
  if (slot >= by_slot_.size()) by_slot_.resize(slot + 1);
  by_slot_[slot] = &session;
}

// The slot may belong to a later connection already.
void SessionIndex::remove_connection(const ClientSession& session) {
  const std::uint32_t slot = session.transport_id.index;
  if (slot < by_slot_.size() && by_slot_[slot] == &session) by_slot_[slot] = nullptr;
}

}  // namespace mobula::server
