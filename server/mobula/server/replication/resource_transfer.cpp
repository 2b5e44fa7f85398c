#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/server/replication/resource_transfer.hpp>

namespace mobula::server {
namespace {

constexpr std::size_t part_bytes = 16 * 1024;
constexpr std::size_t waiting_bytes_max = 128 * 1024;
static_assert(part_bytes <= wire::max_resource_part_bytes);

}  // namespace

core::Status ResourceTransfer::start(std::shared_ptr<const resource::Resource> resource,
                                     const wire::ResourceRequest& request) {
  if (resource == nullptr || resource->identity() != request.identity)
    return core::Error{"unknown resource", core::format("no resource {:.16} here", to_string(request.identity))};
  const std::size_t size = resource->clients_bytes().size();
  if (request.offset >= size)
    return core::Error{"out of range", core::format("byte {} of a resource of {}", request.offset, size)};
  resource_ = std::move(resource);
  next_ = static_cast<std::size_t>(request.offset);
  return core::Done{};
}

void ResourceTransfer::pump(transport::Session& connection) {
  constexpr transport::Lane lane = transport::Lane::bulk;
  while (resource_ != nullptr && connection.reliable_backlog_bytes(lane) < waiting_bytes_max) {
    const core::ByteView rest = resource_->clients_bytes().subspan(next_);
    const core::ByteView part = rest.first(std::min(rest.size(), part_bytes));
    const wire::ResourcePart message{resource_->identity(), next_, {part.begin(), part.end()}};
    if (!connection.send_reliable(wire::encode(message), lane)) return;
    next_ += part.size();
    if (part.size() == rest.size()) resource_.reset();
  }
}

}  // namespace mobula::server
