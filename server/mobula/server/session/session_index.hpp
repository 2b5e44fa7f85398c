// Index of the table of sessions. In a rush or an outage thousands of sessions are looked up in one tick, and none of
// them searches the table.
//
//   by_slot_      slot of a connection -> the session that had it last, null if there is none
//   by_account_   account -> its sessions in order of arrival; sessions without account are left out
//   by_number_    rejoin number -> session
//
// Invariant: a session that was added, and not removed, is found by its connection, account and rejoin number. Its
// account does not change.
#pragma once

#include <functional>
#include <map>
#include <mobula/server/session/client_session.hpp>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mobula::server {

class SessionIndex {
 public:
  void add(ClientSession& session);
  void remove(ClientSession& session);
  /// Continues a session over another connection.
  void resume(ClientSession& session, transport::SessionId connection, core::Nanoseconds now);
  /// Gives a session its first rejoin number, which no other has.
  void set_rejoin_number(ClientSession& session, std::uint32_t number);

  /// Returns the session of a connection, or of its last one; null if there is none.
  [[nodiscard]] ClientSession* find(transport::SessionId connection) const;
  /// Returns null if no session has the rejoin number.
  [[nodiscard]] ClientSession* find_rejoining(std::uint32_t number) const;
  /// Returns the sessions of an account in order of arrival; none for the empty account. Valid until a session is added
  /// or removed.
  [[nodiscard]] std::span<ClientSession* const> of_account(std::string_view account) const;

 private:
  void add_connection(ClientSession& session);
  void remove_connection(const ClientSession& session);

  std::vector<ClientSession*> by_slot_;
  std::map<std::string, std::vector<ClientSession*>, std::less<>> by_account_;
  std::unordered_map<std::uint32_t, ClientSession*> by_number_;
};

}  // namespace mobula::server
