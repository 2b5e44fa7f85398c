// Resources of servers in memory. The host feeds it with those that it has kept, and takes those that were received.
//
// The kept bytes are bounded, because servers could announce ever new resources. The least recently used ones are
// dropped for one that is added. A user of a dropped one keeps its content.
#pragma once

#include <mobula/client/connection/resource_store.hpp>

namespace mobula::client {

class ResourceMemory final : public ResourceStore {
 public:
  explicit ResourceMemory(std::uint64_t bytes_max = resource_bytes_max) : bytes_max_(bytes_max) {}

  /// Adds a resource that the host has kept. Reasons: those of Resource::from_bytes, "too large", "not a client's
  /// copy".
  core::Status add(core::ByteView bytes);
  /// Returns a resource that was received, each once, in their order. Null if there is none.
  [[nodiscard]] std::shared_ptr<const resource::Resource> next_received();

  [[nodiscard]] std::shared_ptr<const resource::Resource> find(const core::ContentHash& identity) override;
  [[nodiscard]] std::vector<std::shared_ptr<const resource::Resource>> newest(std::size_t count_max) override;
  /// Receives one resource at a time: any other is "busy". Its first bytes stay until another one is received.
  core::Result<std::unique_ptr<Reception>> receive(const core::ContentHash& identity, std::uint64_t size) override;

 private:
  class MemoryReception;
  struct Kept {
    std::shared_ptr<const resource::Resource> resource;
    bool is_new = false;  // received, and not yet taken by the host
  };
  struct Part {
    core::ContentHash identity;
    core::Bytes bytes;
    bool under_way = false;
  };

  void keep(Kept added);

  std::uint64_t bytes_max_;
  std::vector<Kept> kept_;  // the most recently used last
  Part part_;
};

}  // namespace mobula::client
