#include <algorithm>
#include <server/interest/reference_interest.hpp>
#include <simulation/rights.hpp>

namespace mobula::sim {

void Rights::begin(const server::InterestRule* rule) {
  rule_ = rule;
  known_.clear();
}

bool Rights::Known::has_on_disk(ecs::Entity entity) const {
  return entity.generation == file.range.generation && entity.index - file.range.first < file.range.count;
}

void Rights::extend(Intervals& stays, ecs::Entity entity, ecs::Tick now) {
  const bool goes_on = stays.last.entity == entity && stays.last.to + 1 >= now;
  if (!goes_on && stays.last.entity) stays.before.push_back(stays.last);
  if (!goes_on) stays.last = {entity, now, now};
  stays.last.to = now;
}

void Rights::note(server::Server& server, ecs::Tick now) {
  const server::Published& published = server.published();
  const auto interest = server::test::ReferenceInterest::of(server, layers_, rule_);
  std::vector<std::pair<const server::ClientSession*, Known*>> all;
  for (const auto& session : server.sessions()) {
    if (session->replication.viewer == nullptr || session->replication.view == nullptr) continue;
    const std::uint32_t player = session->player.id;
    Known& known = known_[player];
    if (session->replication.level != nullptr)
      known.file = {session->replication.level->copy().range(), session->replication.level->tick()};
    known.all.resize(std::max<std::size_t>(known.all.size(), published.index_end()));
    all.emplace_back(&*session, &known);
  }
  for (const auto& [session, known] : all) note_sight(interest, *session, *known, now);
  for (const auto& session : server.sessions())
    if (const auto known = known_.find(session->player.id); known != known_.end())
      known->second.looked = session->replication.last_query.tick;
}

// Notes what is visible for its own sake, and its parents.
void Rights::note_sight(const server::test::ReferenceInterest& interest, const server::ClientSession& session,
                        Known& known, ecs::Tick now) {
  const server::Viewer& viewer = *session.replication.viewer;
  near_.clear();
  relevant_.clear();
  const auto note_chain = [&](std::vector<ecs::Entity>& entities, ecs::Entity entity) {
    entities.push_back(entity);
    for (const ecs::Entity parent : interest.above(entity)) entities.push_back(parent);
  };
  for (const std::uint32_t index : interest.published) {
    const ecs::Entity entity = interest.registry.entities().at(index);
    OfIndex& noted = known.all[index];
    if (session.replication.view->has_unmodified(entity)) noted.unmodified = now;
    const Interval& last = noted.relevant.last;
    const bool was_unmodified = known.has_on_disk(entity) && noted.unmodified >= known.looked;
    const bool is_in_view = (last.entity == entity && last.to >= known.looked) || was_unmodified;
    const auto subject = interest.subject(entity);
    const auto sight = interest.sight(viewer, subject);
    if (sight.enters) note_chain(near_, entity);
    if (sight.enters || (sight.stays && is_in_view)) note_chain(relevant_, entity);
    if (subject.own.owner == viewer.player()) extend(noted.owned, entity, now);
  }
  for (const ecs::Entity entity : near_) extend(known.all[entity.index].near, entity, now);
  for (const ecs::Entity entity : relevant_) {
    Intervals& stays = known.all[entity.index].relevant;
    if (stays.last.entity != entity) ever_had_.emplace(session.player.id, entity);
    extend(stays, entity, now);
  }
}

ecs::Tick Rights::since(std::uint32_t player, Intervals OfIndex::* which, ecs::Entity entity, ecs::Tick tick,
                        ecs::Tick late) const {
  const auto known = known_.find(player);
  if (known == known_.end() || entity.index >= known->second.all.size()) return 0;
  const auto covers = [&](const Interval& stay) {
    return stay.entity == entity && stay.from <= tick && tick <= stay.to + late;
  };
  const Intervals& stays = known->second.all[entity.index].*which;
  if (covers(stays.last)) return stays.last.from;
  const auto found = std::ranges::find_if(stays.before, covers);
  return found == stays.before.end() ? 0 : found->from;
}

bool Rights::may_have(std::uint32_t player, ecs::Entity entity, ecs::Tick tick) const {
  return since(player, &OfIndex::relevant, entity, tick, ticks_late_max) != 0 || is_of_file(player, entity, tick);
}

bool Rights::may_own(std::uint32_t player, ecs::Entity entity, ecs::Tick tick) const {
  return since(player, &OfIndex::owned, entity, tick, ticks_late_max) != 0;
}

bool Rights::is_of_file(std::uint32_t player, ecs::Entity entity, ecs::Tick tick) const {
  const auto known = known_.find(player);
  return known != known_.end() && tick == known->second.file.tick && known->second.has_on_disk(entity);
}

bool Rights::must_have(std::uint32_t player, ecs::Entity entity, ecs::Tick tick) const {
  const ecs::Tick from = since(player, &OfIndex::near, entity, tick, 0);
  return from != 0 && from + ticks_late_max <= tick;
}

bool Rights::ever_had(std::uint32_t player, ecs::Entity entity) const {
  const auto known = known_.find(player);
  return ever_had_.contains({player, entity}) || (known != known_.end() && known->second.has_on_disk(entity));
}

ecs::Tick Rights::in_view_since(std::uint32_t player, ecs::Entity entity, ecs::Tick tick) const {
  return since(player, &OfIndex::relevant, entity, tick, 0);
}

}  // namespace mobula::sim
