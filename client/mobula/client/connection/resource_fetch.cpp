#include <algorithm>
#include <mobula/client/connection/resource_fetch.hpp>
#include <mobula/core/log.hpp>

namespace mobula::client {
namespace {

constexpr core::Nanoseconds attempt_interval = core::second;

bool is_busy(const core::Error& error) { return error.reason == std::string_view("busy"); }

void warn_not_kept(const core::ContentHash& identity, const core::Error& error) {
  core::log_warn("client", "resource {:.16} is not stored: {}", to_string(identity), error.message);
}

}  // namespace

void ResourceFetch::announce(wire::Hello& hello) {
  if (store_ != nullptr) announced_ = store_->newest(wire::max_resources);
  for (const std::shared_ptr<const resource::Resource>& resource : announced_) {
    hello.resources.push_back(resource->identity());
    hello.schemas.push_back(resource->schema().fingerprint());
  }
}

std::shared_ptr<const resource::Resource> ResourceFetch::announced(const core::ContentHash& identity) const {
  const auto found = std::ranges::find_if(announced_, [&](const auto& each) { return each->identity() == identity; });
  return found != announced_.end() ? *found : nullptr;
}

std::shared_ptr<const reflect::Schema> ResourceFetch::schema(const core::ContentHash& fingerprint) const {
  for (const std::shared_ptr<const resource::Resource>& resource : announced_)
    if (resource->schema().fingerprint() == fingerprint) return {resource, &resource->schema()};
  return nullptr;
}

void ResourceFetch::on_offered(std::vector<wire::Resource> resources) {
  levels_.add(resources);
  offered_ = std::move(resources);
  next_attempt_ = 0;
  if (reception_ == nullptr) return;
  if (std::ranges::find(offered_, reception_->identity(), &wire::Resource::identity) == offered_.end())
    return reception_.reset();
  std::erase_if(offered_, [&](const wire::Resource& each) { return each.identity == reception_->identity(); });
}

bool ResourceFetch::note_stored(const core::ContentHash& identity) {
  const std::shared_ptr<const resource::Resource> found = store_->find(identity);
  if (found != nullptr) levels_.on_stored(found);
  return found != nullptr;
}

std::optional<wire::ResourceRequest> ResourceFetch::next_request(core::Nanoseconds now) {
  while (store_ != nullptr && !offered_.empty() && reception_ == nullptr && now >= next_attempt_) {
    const wire::Resource wanted = offered_.back();
    offered_.pop_back();
    if (note_stored(wanted.identity)) continue;
    core::Result<std::unique_ptr<ResourceStore::Reception>> reception = store_->receive(wanted.identity, wanted.size);
    if (!reception) {
      if (note_stored(wanted.identity)) continue;  // another process was faster
      if (is_busy(reception.error())) {
        offered_.push_back(wanted);
        next_attempt_ = now + attempt_interval;
        return std::nullopt;
      }
      warn_not_kept(wanted.identity, reception.error());
      continue;
    }
    reception_ = std::move(*reception);
    requested_.push_back(wanted.identity);
    return wire::ResourceRequest{wanted.identity, reception_->received()};
  }
  return std::nullopt;
}

core::Status ResourceFetch::on_part(const wire::ResourcePart& message) {
  if (std::ranges::find(requested_, message.identity) == requested_.end())
    return core::Error{"out of turn", "the server sent a part of a resource that was not requested"};
  // Parts of a resource that was given up may still be on their way.
  if (reception_ == nullptr || message.identity != reception_->identity()) return core::Done{};
  const core::Result<bool> whole = reception_->append(message.offset, message.bytes);
  if (reception_->under_way()) return whole ? core::Status(core::Done{}) : whole.error();
  reception_.reset();
  if (!whole) {
    warn_not_kept(message.identity, whole.error());
  } else {
    core::log_info("client", "resource {:.16} is stored", to_string(message.identity));
    static_cast<void>(note_stored(message.identity));
  }
  return core::Done{};
}

void ResourceFetch::end_session() {
  reception_.reset();
  requested_.clear();
}

}  // namespace mobula::client
