// Sends one client a resource, from a requested byte on, on the bulk lane. Only a few parts wait in the lane at a time.
// A client that disconnects has therefore cost little, and a reload does not mix versions.
#pragma once

#include <memory>
#include <mobula/resource/resource.hpp>
#include <mobula/transport/session.hpp>
#include <mobula/wire/messages.hpp>

namespace mobula::server {

/// A transfer to one client.
class ResourceTransfer {
 public:
  /// Starts a transfer of the clients' part of a resource, in place of one in progress. Errors: "unknown resource"
  /// (also if it is null), "out of range".
  core::Status start(std::shared_ptr<const resource::Resource> resource, const wire::ResourceRequest& request);
  /// Fills the lane with parts. To be called once per tick.
  void pump(transport::Session& connection);
  [[nodiscard]] bool done() const { return resource_ == nullptr; }

 private:
  std::shared_ptr<const resource::Resource> resource_;
  std::size_t next_ = 0;  // byte
};

}  // namespace mobula::server
