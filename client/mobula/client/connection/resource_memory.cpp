#include <algorithm>
#include <mobula/client/connection/resource_memory.hpp>
#include <mobula/core/format.hpp>
#include <utility>

namespace mobula::client {

using Resource = std::shared_ptr<const resource::Resource>;

class ResourceMemory::MemoryReception final : public Reception {
 public:
  MemoryReception(ResourceMemory& store, std::uint64_t size) : Reception(store.part_.identity, size), store_(store) {
    continue_at(store.part_.bytes.size());
    store_.part_.under_way = true;
  }
  ~MemoryReception() override { store_.part_.under_way = false; }

 private:
  core::Status write(core::ByteView bytes) override {
    store_.part_.bytes.insert(store_.part_.bytes.end(), bytes.begin(), bytes.end());
    return core::Done{};
  }
  core::Status finish() override {
    core::SharedBytes bytes = core::share(std::exchange(store_.part_.bytes, {}));
    const core::Result<Resource> verified =
        verify_received(identity(), resource::Resource::from_shared(std::move(bytes)));
    if (!verified) return verified.error();
    store_.keep({*verified, true});
    return core::Done{};
  }

  ResourceMemory& store_;
};

core::Status ResourceMemory::add(core::ByteView bytes) {
  if (const core::Status fits = check_resource_size(bytes.size(), bytes_max_); !fits) return fits;
  core::Result<Resource> resource = resource::Resource::from_bytes(bytes);
  if (!resource) return resource.error();
  if ((*resource)->complete())
    return core::Error{"not a client's copy", "the resource has a server's part, which clients do not have"};
  if (find((*resource)->identity()) != nullptr) return core::Done{};
  keep({std::move(*resource), false});
  return core::Done{};
}

Resource ResourceMemory::next_received() {
  const auto found = std::ranges::find_if(kept_, &Kept::is_new);
  if (found == kept_.end()) return nullptr;
  found->is_new = false;
  return found->resource;
}

Resource ResourceMemory::find(const core::ContentHash& identity) {
  const auto found =
      std::ranges::find_if(kept_, [&](const Kept& kept) { return kept.resource->identity() == identity; });
  if (found == kept_.end()) return nullptr;
  std::rotate(found, found + 1, kept_.end());
  return kept_.back().resource;
}

std::vector<Resource> ResourceMemory::newest(std::size_t count_max) {
  std::vector<Resource> resources;
  for (auto kept = kept_.rbegin(); kept != kept_.rend() && resources.size() < count_max; ++kept)
    resources.push_back(kept->resource);
  return resources;
}

// Drops others until the resource fits, which has at most as many bytes as the bound.
void ResourceMemory::keep(Kept added) {
  std::uint64_t taken = counted(added.resource->bytes().size());
  for (const Kept& kept : kept_) taken += counted(kept.resource->bytes().size());
  auto oldest = kept_.begin();
  for (; oldest != kept_.end() && taken > bytes_max_; ++oldest) taken -= counted(oldest->resource->bytes().size());
  kept_.erase(kept_.begin(), oldest);
  kept_.push_back(std::move(added));
}

core::Result<std::unique_ptr<ResourceStore::Reception>> ResourceMemory::receive(const core::ContentHash& identity,
                                                                                std::uint64_t size) {
  if (const core::Status fits = check_resource_size(size, bytes_max_); !fits) return fits.error();
  if (part_.under_way) return core::Error{"busy", "another resource is being received"};
  if (part_.identity != identity || part_.bytes.size() >= size) part_ = {identity, {}, false};
  return std::unique_ptr<Reception>(std::make_unique<MemoryReception>(*this, size));
}

}  // namespace mobula::client
