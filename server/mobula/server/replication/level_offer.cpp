#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/schema/engine.hpp>
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
  offer->unmodified_.assign(range.count, true);
  for (std::uint32_t i = 0; i < range.count; ++i) offer->hash_ += offer->copy_->hash(range.first + i);
  offer->list_children(world.registry());
  for (std::uint32_t i = 0; i < range.count; ++i)
    if (!offer->is_as_copied(range.first + i, published)) offer->modify(range.first + i);
  return offer;
}

// Lists the Parents as the level has them: an entity whose Parent differs is modified at once.
void LevelOffer::list_children(const ecs::Registry& registry) {
  const ecs::EntityRange& range = copy_->range();
  for (std::uint32_t i = 0; i < range.count; ++i) {
    const ecs::Entity child = range.at(i);
    const auto* parent = registry.valid(child) ? registry.try_get<const engine::Parent>(child) : nullptr;
    if (parent != nullptr && copy_->contains(parent->entity)) children_.emplace_back(parent->entity.index, child.index);
  }
  std::ranges::sort(children_);
}

// Compares by hash: the game may have changed the level before the first publication.
bool LevelOffer::is_as_copied(std::uint32_t index, Published& published) const {
  const PublishedEntity& entity = published.entity(index);
  return copy_->contains(entity.entity) && entity.hash == copy_->hash(index);
}

void LevelOffer::note(std::span<const std::uint32_t> changed) {
  for (const std::uint32_t index : changed) modify(index);
}

// Notes an entity and all below it, which are those that this call has appended to the list.
void LevelOffer::modify(std::uint32_t index) {
  const auto append = [this](std::uint32_t changed) {
    if (!is_unmodified(changed)) return;
    unmodified_[changed - copy_->range().first] = false;
    hash_ -= copy_->hash(changed);
    modified_.push_back(changed);
  };
  std::size_t next = modified_.size();
  append(index);
  for (; next < modified_.size(); ++next) {
    const auto below =
        std::ranges::equal_range(children_, modified_[next], {}, &std::pair<std::uint32_t, std::uint32_t>::first);
    for (const auto& [parent, child] : below) append(child);
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
