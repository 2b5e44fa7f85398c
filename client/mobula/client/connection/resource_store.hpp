// Where a client keeps resources of servers, by the hash of their content: a folder (files/resource_folder.hpp), or
// memory of the host (resource_memory.hpp). A kept resource is not sent again, and an interrupted transfer continues
// where it ended.
#pragma once

#include <memory>
#include <mobula/core/content_hash.hpp>
#include <mobula/core/result.hpp>
#include <mobula/resource/resource.hpp>
#include <vector>

namespace mobula::client {

/// Largest resource that is accepted, in bytes.
inline constexpr std::uint64_t resource_bytes_max = 256ull << 20;
/// Most bytes of former requests that a reception skips: more than servers have waiting for a client.
inline constexpr std::uint64_t skipped_bytes_max = 4ull << 20;
/// Least number of bytes that a resource counts as, which bounds the number of them in a store.
inline constexpr std::uint64_t counted_bytes_min = 1ull << 20;

class ResourceStore {
 public:
  virtual ~ResourceStore() = default;

  /// A resource that is being received. Its destructor ends the reception.
  class Reception {
   public:
    virtual ~Reception() = default;

    [[nodiscard]] const core::ContentHash& identity() const { return identity_; }
    /// Returns the number of bytes received.
    [[nodiscard]] std::uint64_t received() const { return received_; }
    /// Returns whether bytes are missing, and can still be stored.
    [[nodiscard]] bool under_way() const { return under_way_; }
    /// Appends the next bytes. Returns true when the resource is complete, verified and in its place. Skips bytes that
    /// are not the next ones, up to skipped_bytes_max in all: they belong to a former request for it. Reasons: "out of
    /// order", "too large". "damaged" (the received bytes are discarded) and "not written" end the reception.
    core::Result<bool> append(std::uint64_t offset, core::ByteView bytes);

   protected:
    Reception(const core::ContentHash& identity, std::uint64_t size) : identity_(identity), size_(size) {}
    /// Continues a reception of which the store has the first bytes.
    void continue_at(std::uint64_t received) { received_ = received; }

   private:
    /// Stores the next bytes. Reason: "not written".
    virtual core::Status write(core::ByteView bytes) = 0;
    /// Verifies what was received, and puts it in its place. Reasons: "damaged", "not written".
    virtual core::Status finish() = 0;

    core::ContentHash identity_;
    std::uint64_t size_;
    std::uint64_t received_ = 0;
    std::uint64_t skipped_ = 0;  // bytes
    bool under_way_ = true;
  };

  /// Returns a complete resource and marks it as used now. Null if there is none.
  [[nodiscard]] virtual std::shared_ptr<const resource::Resource> find(const core::ContentHash& identity) = 0;
  /// Returns at most `count_max` complete resources, the most recently used first.
  [[nodiscard]] virtual std::vector<std::shared_ptr<const resource::Resource>> newest(std::size_t count_max) = 0;
  /// Starts or continues receiving a resource of `size` bytes. The store outlives it. Reasons: "too large", "no room"
  /// (others receive too much), "busy" (another one receives it), "not written".
  virtual core::Result<std::unique_ptr<Reception>> receive(const core::ContentHash& identity, std::uint64_t size) = 0;
};

/// Returns what a resource takes of a store's bound.
[[nodiscard]] std::uint64_t counted(std::uint64_t size);
/// Checks the announced size of a resource. Reason: "too large".
[[nodiscard]] core::Status check_resource_size(std::uint64_t size, std::uint64_t store_bytes_max);
/// Reads a received resource: a client's copy with this identity. Reason: "damaged".
[[nodiscard]] core::Result<std::shared_ptr<const resource::Resource>> verify_received(
    const core::ContentHash& identity, const core::Result<std::shared_ptr<const resource::Resource>>& received);

}  // namespace mobula::client
