// Resources of servers on disk, named by the hash of their content. A stored resource is not sent again, and an
// interrupted transfer continues where it ended. Several processes can share one folder.
//
//   DIR/HASH.level   complete and verified
//   DIR/HASH.part    its first bytes; locked by the process that receives the rest
//
// The folder is bounded, because servers could announce ever new resources. Before one is received, the least recently
// used files are removed, complete or not, except those that a process is receiving. A process that has mapped a
// removed file keeps its content. Several processes that receive at the same time may exceed the bound. Other files are
// left alone.
#pragma once

#include <mobula/core/content_hash.hpp>
#include <mobula/core/result.hpp>
#include <mobula/resource/resource.hpp>
#include <string>
#include <vector>

namespace mobula::client {

/// Largest resource that is accepted, in bytes.
inline constexpr std::uint64_t resource_bytes_max = 256ull << 20;
/// Default bound of a folder, in bytes.
inline constexpr std::uint64_t folder_bytes_max = 1ull << 30;
/// Least number of bytes that a file counts as, which bounds the number of files.
inline constexpr std::uint64_t counted_bytes_min = 1ull << 20;

class ResourceStore {
 public:
  /// Opens a folder, and creates it if it is missing. Reason: "no folder".
  static core::Result<ResourceStore> open(const std::string& folder, std::uint64_t bytes_max = folder_bytes_max);

  /// Returns a complete resource and marks it as used now. Null if there is none. Removes it if it is damaged.
  [[nodiscard]] std::shared_ptr<const resource::Resource> find(const core::ContentHash& identity) const;
  /// Returns at most `count_max` complete resources, the most recently used first.
  [[nodiscard]] std::vector<std::shared_ptr<const resource::Resource>> newest(std::size_t count_max) const;
  [[nodiscard]] std::string path(const core::ContentHash& identity) const;

  /// A resource that is being received into the folder.
  class Reception {
   public:
    Reception() = default;
    Reception(Reception&& other) noexcept;
    Reception& operator=(Reception&& other) noexcept;
    ~Reception();

    [[nodiscard]] const core::ContentHash& identity() const { return identity_; }
    /// Returns the number of bytes received.
    [[nodiscard]] std::uint64_t received() const { return received_; }
    [[nodiscard]] bool under_way() const { return file_ >= 0; }
    /// Appends the next bytes. Returns true when the resource is complete, verified and in its place. Reasons: "out of
    /// order", "too large". "damaged" (the received bytes are discarded) and "not written" end the reception.
    core::Result<bool> append(std::uint64_t offset, core::ByteView bytes);

   private:
    friend class ResourceStore;
    core::Result<bool> finish();
    void stop(bool discard);

    core::ContentHash identity_;
    std::string part_;
    std::string whole_;
    std::uint64_t size_ = 0;
    std::uint64_t received_ = 0;
    int file_ = -1;
  };
  /// Starts or continues receiving a resource of `size` bytes. Reasons: "too large", "no room" (other processes receive
  /// too much), "busy" (another process receives this one), "not written".
  core::Result<Reception> receive(const core::ContentHash& identity, std::uint64_t size) const;

 private:
  ResourceStore(std::string folder, std::uint64_t bytes_max) : folder_(std::move(folder)), bytes_max_(bytes_max) {}
  [[nodiscard]] std::string part_path(const core::ContentHash& identity) const;
  // Removes files until a part can grow to `size` bytes.
  [[nodiscard]] core::Status make_room(const std::string& part, std::uint64_t size) const;

  std::string folder_;
  std::uint64_t bytes_max_;
};

}  // namespace mobula::client
