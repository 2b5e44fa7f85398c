// Clients of the process by handle, and the entry of every call for one of them.
//
// A slot's generation and state are one atomic word. One step finds out whether the client exists, and whether another
// thread is in a call for it:
//
//   free ──add──► idle ◄──► busy (in a call) ──remove──► free, in the next generation
//
// No lock is taken: calls for different clients do not meet.
//
// A child of fork() has copies of its parent's clients. It may destroy them and do nothing else with them: their
// sessions are the parent's.
#pragma once

#include <c/client.hpp>
#include <memory>

namespace mobula::c {

/// Gives a client a handle. Returns {0, 0} if MOBULA_CLIENTS_MAX exist.
mobula_client add_client(std::unique_ptr<Client> client);
struct Removed {
  std::unique_ptr<Client> client;  ///< Null if there is none, or if a call for it is in progress or was at a fork.
  mobula_result result;            ///< The error if no client was taken out.
  bool is_copy;                    ///< The client is of the process that has forked this one.
};
/// Takes a client out.
Removed remove_client(mobula_client handle);

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
