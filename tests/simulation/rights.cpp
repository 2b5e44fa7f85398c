#include <algorithm>
#include <server/naive_interest.hpp>
#include <simulation/rights.hpp>

namespace mobula::sim {

void Rights::begin(const server::InterestRule* rule) {
  rule_ = rule;
  known_.clear();
}

bool Rights::Known::has_on_disk(ecs::Entity entity) const {
  return entity.generation == file.range.generation && entity.index - file.range.first < file.range.count;
}

void Rights::extend(Stays& stays, ecs::Entity entity, ecs::Tick now) {
  const bool goes_on = stays.last.entity == entity && stays.last.to + 1 == now;
  if (!goes_on && stays.last.entity) stays.before.push_back(stays.last);
  if (!goes_on) stays.last = {entity, now, now};
  stays.last.to = now;
}

void Rights::note(server::Server& server, ecs::Tick now) {
  const server::Published& published = server.published();
  const server::test::NaiveInterest interest{server.world().registry(), layers_, {}, rule_};
  std::vector<std::pair<const server::Session*, Known*>> all;
  for (const auto& session : server.sessions()) {
    if (session->viewer == nullptr || session->view == nullptr) continue;
    const std::uint32_t player = session->player.id;
    Known& known = known_[player];
    if (session->level != nullptr) known.file = {session->level->copy().range(), session->level->tick()};
    known.relevant.resize(std::max<std::size_t>(known.relevant.size(), published.index_end()));
    known.near.resize(known.relevant.size());
    known.owned.resize(known.relevant.size());
    known.pristine.resize(known.relevant.size());
    all.emplace_back(&*session, &known);
  }
  for (std::uint32_t index = 0; index < published.index_end(); ++index) {
    const ecs::Entity entity = published.entity(index).entity;
    if (!entity) continue;
    const server::Relevance own = interest.relevance(entity);
    for (const auto& [session, known] : all) {
      const Stay& last = known->relevant[index].last;
      if (session->view->has_pristine(entity)) known->pristine[index] = now;
      const bool was_pristine = known->has_on_disk(entity) && known->pristine[index] >= known->looked;
      const bool is_in_view = (last.entity == entity && last.to >= known->looked) || was_pristine;
      const bool may_stay = interest.may_see(*session->viewer, entity, own, true);
      const bool may_enter = may_stay && interest.may_see(*session->viewer, entity, own, false);
      if (may_enter) extend(known->near[index], entity, now);
      if (may_enter || (may_stay && is_in_view)) {
        if (last.entity != entity) ever_had_.emplace(session->player.id, entity);
        extend(known->relevant[index], entity, now);
      }
      if (own.owner == session->viewer->player()) extend(known->owned[index], entity, now);
    }
  }
  for (const auto& session : server.sessions())
    if (const auto known = known_.find(session->player.id); known != known_.end())
      known->second.looked = session->looked.in;
}

ecs::Tick Rights::since(const std::vector<Stays>& all, ecs::Entity entity, ecs::Tick tick, ecs::Tick late) {
  if (entity.index >= all.size()) return 0;
  const auto covers = [&](const Stay& stay) {
    return stay.entity == entity && stay.from <= tick && tick <= stay.to + late;
  };
  const Stays& stays = all[entity.index];
  if (covers(stays.last)) return stays.last.from;
  const auto found = std::ranges::find_if(stays.before, covers);
  return found == stays.before.end() ? 0 : found->from;
}

bool Rights::may_have(std::uint32_t player, ecs::Entity entity, ecs::Tick tick) const {
  const auto known = known_.find(player);
  return (known != known_.end() && since(known->second.relevant, entity, tick, ticks_late_max) != 0) ||
         is_of_file(player, entity, tick);
}

bool Rights::may_own(std::uint32_t player, ecs::Entity entity, ecs::Tick tick) const {
  const auto known = known_.find(player);
  return known != known_.end() && since(known->second.owned, entity, tick, ticks_late_max) != 0;
}

bool Rights::is_of_file(std::uint32_t player, ecs::Entity entity, ecs::Tick tick) const {
  const auto known = known_.find(player);
  return known != known_.end() && tick == known->second.file.tick && known->second.has_on_disk(entity);
}

bool Rights::must_have(std::uint32_t player, ecs::Entity entity, ecs::Tick tick) const {
  const auto known = known_.find(player);
  if (known == known_.end()) return false;
  const ecs::Tick from = since(known->second.near, entity, tick, 0);
  return from != 0 && from + ticks_late_max <= tick;
}

bool Rights::ever_had(std::uint32_t player, ecs::Entity entity) const {
  const auto known = known_.find(player);
  return ever_had_.contains({player, entity}) || (known != known_.end() && known->second.has_on_disk(entity));
}

ecs::Tick Rights::in_view_since(std::uint32_t player, ecs::Entity entity, ecs::Tick tick) const {
  const auto known = known_.find(player);
  return known == known_.end() ? 0 : since(known->second.relevant, entity, tick, 0);
}

}  // namespace mobula::sim
