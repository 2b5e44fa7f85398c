// Resources of servers on disk, named by the hash of their content. Several processes can share one folder.
//
//   DIR/HASH.level   complete and verified
//   DIR/HASH.part    its first bytes; locked by the process that receives the rest
//
// The folder is bounded, because servers could announce ever new resources. Before one is received, the least recently
// used files are removed, complete or not, except those that a process is receiving. A process that has mapped a
// removed file keeps its content. Several processes that receive at the same time may exceed the bound. Other files are
// left alone.
#pragma once

#include <mobula/client/connection/resource_store.hpp>
#include <string>

namespace mobula::client {

/// Default bound of a folder, in bytes.
inline constexpr std::uint64_t folder_bytes_max = 1ull << 30;

class ResourceFolder final : public ResourceStore {
 public:
  /// Opens a folder, and creates it if it is missing. Reason: "no folder".
  static core::Result<ResourceFolder> open(const std::string& folder, std::uint64_t bytes_max = folder_bytes_max);

  /// Also removes a resource that is damaged.
  [[nodiscard]] std::shared_ptr<const resource::Resource> find(const core::ContentHash& identity) override;
  [[nodiscard]] std::vector<std::shared_ptr<const resource::Resource>> newest(std::size_t count_max) override;
  /// Receives into the folder. An interrupted reception leaves its part there.
  core::Result<std::unique_ptr<Reception>> receive(const core::ContentHash& identity, std::uint64_t size) override;
  /// Returns the path that a complete resource has in the folder, whether or not it is there.
  [[nodiscard]] std::string path(const core::ContentHash& identity) const;

 private:
  class FolderReception;

  ResourceFolder(std::string folder, std::uint64_t bytes_max) : folder_(std::move(folder)), bytes_max_(bytes_max) {}
  [[nodiscard]] std::string part_path(const core::ContentHash& identity) const;
  // Removes files until a part can grow to `size` bytes.
  [[nodiscard]] core::Status make_room(const std::string& part, std::uint64_t size) const;

  std::string folder_;
  std::uint64_t bytes_max_;
};

}  // namespace mobula::client
