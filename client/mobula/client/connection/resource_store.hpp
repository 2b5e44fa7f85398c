// Resources of servers, kept on this machine's disk under the hash of their content: what is here need not be sent
// again, and a transfer that was cut off goes on where it ended. One folder may serve many processes.
//
//   DIR/HASH.level   whole and verified
//   DIR/HASH.part    its first bytes; locked by the process that receives the rest
//
// The folder is bounded, as servers could announce ever new resources: before one is received, those that were received
// or used longest ago make room, whole or not, but none that a process is receiving. Who has mapped one keeps it. What
// several processes receive at one time may go beyond the bound. Other files are nobody's business here.
#pragma once

#include <mobula/core/content_hash.hpp>
#include <mobula/core/result.hpp>
#include <mobula/resource/resource.hpp>
#include <string>
#include <vector>

namespace mobula::client {

// A server that announces more is not believed.
inline constexpr std::uint64_t resource_bytes_max = 256ull << 20;
// Of all that is in a folder. Less than that a file does not count as, lest there be too many.
inline constexpr std::uint64_t folder_bytes_max = 1ull << 30;
inline constexpr std::uint64_t counted_bytes_min = 1ull << 20;

class ResourceStore {
 public:
  // Makes the folder if it is not there. Reason: "no folder".
  static core::Result<ResourceStore> open(const std::string& folder, std::uint64_t bytes_max = folder_bytes_max);

  // Null if it is not there whole. What has been damaged is removed. What is found counts as used now.
  [[nodiscard]] std::shared_ptr<const resource::Resource> find(const core::ContentHash& identity) const;
  // Those that were received or used last come first.
  [[nodiscard]] std::vector<std::shared_ptr<const resource::Resource>> newest(std::size_t count_max) const;
  [[nodiscard]] std::string path(const core::ContentHash& identity) const;

  // One resource on its way into the folder.
  class Reception {
   public:
    Reception() = default;
    Reception(Reception&& other) noexcept;
    Reception& operator=(Reception&& other) noexcept;
    ~Reception();

    [[nodiscard]] const core::ContentHash& identity() const { return identity_; }
    // How many of its bytes are there.
    [[nodiscard]] std::uint64_t received() const { return received_; }
    [[nodiscard]] bool under_way() const { return file_ >= 0; }
    // The next bytes. True: it is whole, verified and in its place. Reasons: "out of order", "too large"; "damaged"
    // (what was received is thrown away) and "not written", which end the reception.
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
  // Reasons: "too large", "no room" (others receive too much), "busy" (another process receives it), "not written".
  core::Result<Reception> receive(const core::ContentHash& identity, std::uint64_t size) const;

 private:
  ResourceStore(std::string folder, std::uint64_t bytes_max) : folder_(std::move(folder)), bytes_max_(bytes_max) {}
  [[nodiscard]] std::string part_path(const core::ContentHash& identity) const;
  // For a part that grows to this size.
  [[nodiscard]] core::Status make_room(const std::string& part, std::uint64_t size) const;

  std::string folder_;
  std::uint64_t bytes_max_;
};

}  // namespace mobula::client
