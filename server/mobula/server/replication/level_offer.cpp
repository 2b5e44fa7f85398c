#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/server/game/world.hpp>
#include <mobula/server/replication/level_offer.hpp>

namespace mobula::server {

std::shared_ptr<LevelOffer> LevelOffer::make(const World& world, Published& published) {
  static_assert(entities_max < wire::ids_max);
  if (world.level() == nullptr || world.level_range().count == 0) return nullptr;
  const auto refuse = [](const core::Error& error) {
    core::log_warn("server", "no level as a resource, clients receive all of it in deltas: {}", error.message);
    return nullptr;
  };
  if (world.level_range().count > entities_max)
    return refuse(
        {"too large", core::format("it has {} entities, more than {}", world.level_range().count, entities_max)});
  core::Result<std::shared_ptr<const resource::Resource>> part =
      resource::Resource::from_bytes(world.level()->clients_bytes());
  if (!part) return refuse(part.error());
  core::Result<std::unique_ptr<wire::LevelCopy>> copy =
      wire::LevelCopy::make(world.shared_schema(), std::move(*part), world.level_range());
  if (!copy) return refuse(copy.error());

  std::shared_ptr<LevelOffer> offer(new LevelOffer(std::move(*copy), world.tick()));
  const ecs::EntityRange& range = offer->copy_->range();
  for (std::uint32_t i = 0; i < range.count; ++i) {
    const bool unmodified = offer->is_as_copied(range.first + i, published);
    offer->unmodified_.push_back(unmodified);
    unmodified ? void(offer->hash_ += offer->copy_->hash(range.first + i))
               : offer->modified_.push_back(range.first + i);
  }
  return offer;
}

// Compares by hash: the game may have changed the level before the first publication.
bool LevelOffer::is_as_copied(std::uint32_t index, Published& published) const {
  const PublishedEntity& entity = published.entity(index);
  return copy_->contains(entity.entity) && entity.hash == copy_->hash(index);
}

void LevelOffer::note(std::span<const std::uint32_t> changed) {
  for (const std::uint32_t index : changed) {
    if (!is_unmodified(index)) continue;
    unmodified_[index - copy_->range().first] = false;
    hash_ -= copy_->hash(index);
    modified_.push_back(index);
  }
}

wire::Level LevelOffer::message() const {
  const ecs::EntityRange& range = copy_->range();
  wire::Level message{.identity = copy_->identity(), .range = range, .tick = tick_, .present = {}};
  message.present.resize((range.count + 7) / 8);
  for (std::uint32_t i = 0; i < range.count; ++i)
    if (unmodified_[i]) message.present[i / 8] |= static_cast<std::byte>(1u << i % 8);
  return message;
}

}  // namespace mobula::server
