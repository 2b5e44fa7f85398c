// Clients of the process by handle, and the entry of every call for one of them.
//
// A slot's generation and state are one atomic word. One step finds out whether the client exists, and whether another
// thread is in a call for it:
//
//   free ──add──► idle ◄──► busy (in a call) ──remove──► free, in the next generation
//
// No lock is taken: calls for different clients do not meet.
#pragma once

#include <c/client.hpp>
#include <memory>

namespace mobula::c {

/// Gives a client a handle. Returns {0, 0} if MOBULA_CLIENTS_MAX exist.
mobula_client add_client(std::unique_ptr<Client> client);
/// Takes a client out. Null if there is none, or if a call for it is in progress; `result` is then the error.
std::unique_ptr<Client> remove_client(mobula_client handle, mobula_result& result);

/// A call for a client, from its begin to its end.
class Visit {
 public:
  explicit Visit(mobula_client handle);
  ~Visit();
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

  /// Returns the client; null if the call is refused.
  [[nodiscard]] Client* client() const { return client_; }
  [[nodiscard]] mobula_result result() const { return result_; }

 private:
  mobula_client handle_;
  Client* client_ = nullptr;
  mobula_result result_ = MOBULA_OK;
};

/// Returns function(Client&), or the error of a handle that cannot be used now.
template <class Function>
mobula_result with_client(mobula_client handle, Function&& function) {
  const Visit visit(handle);
  return visit.client() != nullptr ? function(*visit.client()) : visit.result();
}

/// Does the same for a client that mirrors: function(Client&, client::Mirror&).
template <class Function>
mobula_result with_mirror(mobula_client handle, Function&& function) {
  return with_client(handle, [&](Client& client) {
    client::Mirror* const mirror = client.connection->mirror();
    return mirror != nullptr ? function(client, *mirror) : no_mirror(client);
  });
}

}  // namespace mobula::c
