// Sends one client a resource, from the byte that the client asked for, on the bulk lane. A part at a time: little of
// it waits in the lane at once, so that a client that leaves has cost little, and a reload does not mix versions.
#pragma once

#include <memory>
#include <mobula/resource/resource.hpp>
#include <mobula/transport/session.hpp>
#include <mobula/wire/messages.hpp>

namespace mobula::server {

class ResourceTransfer {
 public:
  // Clients' parts alone. Takes the place of a transfer under way. Reasons: "unknown resource" (also for a null one),
  // "out of range".
  core::Status start(std::shared_ptr<const resource::Resource> resource, const wire::ResourceRequest& request);
  // Once per tick: as many parts as the lane should have.
  void pump(transport::Session& lanes);
  [[nodiscard]] bool done() const { return resource_ == nullptr; }

 private:
  std::shared_ptr<const resource::Resource> resource_;
  std::size_t next_ = 0;  // byte
};

}  // namespace mobula::server
