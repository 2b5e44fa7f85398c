#include <algorithm>
#include <mobula/client/connection/resource_store.hpp>
#include <mobula/core/format.hpp>

namespace mobula::client {

std::uint64_t counted(std::uint64_t size) { return std::max(size, counted_bytes_min); }

core::Status check_resource_size(std::uint64_t size, std::uint64_t store_bytes_max) {
  const std::uint64_t size_max = std::min(resource_bytes_max, store_bytes_max);
  if (size > 0 && size <= size_max) return core::Done{};
  return core::Error{"too large", core::format("a resource of {} bytes; the limit is {}", size, size_max)};
}

core::Result<std::shared_ptr<const resource::Resource>> verify_received(
    const core::ContentHash& identity, const core::Result<std::shared_ptr<const resource::Resource>>& received) {
  if (received && (*received)->identity() == identity && !(*received)->complete()) return received;
  return core::Error{"damaged", core::format("the received bytes are not resource {:.16}: {}", to_string(identity),
                                             received ? "their hash differs" : received.error().message)};
}

core::Result<bool> ResourceStore::Reception::append(std::uint64_t offset, core::ByteView bytes) {
  if (offset > size_ || bytes.size() > size_ - offset)
    return core::Error{"too large", core::format("received more than the announced {} bytes", size_)};
  const std::uint64_t known = offset < received_ ? std::min<std::uint64_t>(received_ - offset, bytes.size()) : 0;
  const std::uint64_t skipped = offset > received_ ? bytes.size() : known;
  if (!under_way_ || skipped > skipped_bytes_max - skipped_)
    return core::Error{"out of order", core::format("received byte {} where byte {} is next", offset, received_)};
  skipped_ += skipped;
  bytes = bytes.subspan(skipped);
  if (bytes.empty()) return false;
  if (const core::Status written = write(bytes); !written) {
    under_way_ = false;
    return written.error();
  }
  received_ += bytes.size();
  if (received_ < size_) return false;
  under_way_ = false;
  if (const core::Status finished = finish(); !finished) return finished.error();
  return true;
}

}  // namespace mobula::client
