#include <algorithm>
#include <mobula/client/connection/offered_levels.hpp>

namespace mobula::client {

void OfferedLevels::add(std::span<const wire::Resource> resources) {
  Offer offer;
  if (!resources.empty()) offer = {.first_tick = resources[0].first_tick, .identity = resources[0].identity};
  for (const Offer& known : offers_)
    if (known.identity == offer.identity) offer.level = known.level;
  const auto replaced = std::ranges::lower_bound(offers_, offer.first_tick, {}, &Offer::first_tick);
  offers_.erase(replaced, offers_.end());
  if (offers_.size() == offers_max) offers_.erase(offers_.begin());
  offers_.push_back(std::move(offer));
}

void OfferedLevels::on_stored(const std::shared_ptr<const resource::Resource>& level) {
  for (Offer& offer : offers_)
    if (offer.identity == level->identity()) offer.level = level;
}

std::size_t OfferedLevels::place_of(ecs::Tick tick) const {
  std::size_t place = offers_.size() - 1;
  while (place > 0 && offers_[place].first_tick > tick) --place;
  return place;
}

const std::shared_ptr<const resource::Resource>& OfferedLevels::at(ecs::Tick tick) const {
  static const std::shared_ptr<const resource::Resource> none;
  if (offers_.empty()) return none;
  std::size_t place = place_of(tick);
  while (place > 0 && !offers_[place].is_here()) --place;
  return offers_[place].level;
}

bool OfferedLevels::is_here(ecs::Tick tick) const { return offers_.empty() || offers_[place_of(tick)].is_here(); }

}  // namespace mobula::client
