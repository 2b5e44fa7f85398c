// Address of a member of etcd. Looking up a host name blocks, so a thread of its own does it, one at a time. The thread
// is detached: a lookup that hangs delays nobody, neither a renewal of a lease nor the end of its owner.
#pragma once

#include <functional>
#include <memory>
#include <mobula/core/result.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace mobula::cluster {

/// Returns the address "IP:PORT" of "HOST:PORT". It may block.
using LookUp = std::function<core::Result<std::string>(const std::string& host_and_port)>;
/// Asks the resolver of the machine.
core::Result<std::string> look_up_host(const std::string& host_and_port);

class HostLookup {
 public:
  /// Makes the lookup for an address that needs none.
  explicit HostLookup(std::string address) : host_and_port_(address), address_(std::move(address)) {}
  HostLookup(std::string host_and_port, LookUp look_up)
      : host_and_port_(std::move(host_and_port)), look_up_(std::move(look_up)) {}

  /// Starts a lookup unless one is under way. The address that was found before stays until its end.
  void start() {
    if (shared_ || !look_up_) return;
    shared_ = std::make_shared<Shared>();
    try {
      std::thread([shared = shared_, look_up = look_up_, host = host_and_port_] {
        core::Result<std::string> outcome = look_up(host);
        const std::lock_guard lock(shared->mutex);
        shared->is_over = true;
        if (outcome)
          shared->address = std::move(*outcome);
        else
          shared->error = outcome.error();
      }).detach();
    } catch (const std::system_error& error) {
      const std::lock_guard lock(shared_->mutex);
      shared_->is_over = true;
      shared_->error = core::Error{"unknown host", std::string("no thread to look up a host: ") + error.what()};
    }
  }
  /// Takes over what a lookup has found. Returns its error; null if it has none, or is under way.
  std::optional<core::Error> poll() {
    if (!shared_) return std::nullopt;
    const std::shared_ptr<Shared> shared = shared_;
    const std::lock_guard lock(shared->mutex);
    if (!shared->is_over) return std::nullopt;
    shared_.reset();
    if (!shared->error) address_ = shared->address;
    return shared->error;
  }
  [[nodiscard]] const std::string& host_and_port() const { return host_and_port_; }
  /// Returns the address that was found last. Empty before.
  [[nodiscard]] const std::string& address() const { return address_; }

 private:
  struct Shared {
    std::mutex mutex;
    bool is_over = false;
    std::string address;
    std::optional<core::Error> error;
  };

  std::string host_and_port_;
  LookUp look_up_;
  std::string address_;
  std::shared_ptr<Shared> shared_;  // shared with the thread of a lookup; null without one
};

}  // namespace mobula::cluster
