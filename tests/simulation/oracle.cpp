#include <algorithm>
#include <array>
#include <cmath>
#include <mobula/core/hash.hpp>
#include <mobula/wire/entity_hash.hpp>
#include <server/hamlet.hpp>
#include <server/interest/reference_interest.hpp>
#include <server/mirrored_words.hpp>
#include <simulation/oracle.hpp>
#include <utility>

namespace mobula::sim {
namespace {

constexpr ecs::Tick checked_each = 32;  // interval of full checks of a mirror, in ticks
constexpr std::uint32_t published_checked_each = 16;
constexpr double drawn_ticks = 5;  // age of the oldest moment that a client may draw

std::uint64_t handle_of(ecs::Entity entity) { return std::uint64_t{entity.generation} << 32 | entity.index; }

std::string to_text(const std::vector<std::uint32_t>& words) {
  std::string text = "[";
  for (const std::uint32_t word : words) text += (text.size() > 1 ? " " : "") + std::to_string(word);
  return text + "]";
}

// Pools of the components that are sent, in canonical order.
std::vector<ecs::PoolId> sent_pools(server::World& world, ecs::PrototypeId prototype) {
  ecs::Registry& registry = world.registry();
  std::vector<ecs::PoolId> sent;
  for (const ecs::PoolId pool : registry.prototypes().pools(registry.prototypes().canonical(prototype))) {
    const reflect::Component* component = world.schema().find(registry.pool(pool).type().id);
    if (component != nullptr && !component->not_sent) sent.push_back(pool);
  }
  return sent;
}

std::uint64_t hash_of(const ecs::Registry& registry, std::span<const ecs::PoolId> pools) {
  std::uint64_t hash = 0;
  for (const ecs::PoolId pool : pools) {
    const std::uint64_t key = wire::pool_key(registry.pool(pool));
    hash = core::hash64(core::as_bytes(&key, 1), hash);
  }
  return hash;
}

// Compares numbers. A NaN is equal to any other.
bool same(const hierarchy::WorldTransform& a, const hierarchy::WorldTransform& b) {
  const auto parts = [](const hierarchy::WorldTransform& of) {
    return std::array{of.position.x, of.position.y, of.position.z, of.rotation.x,
                      of.rotation.y, of.rotation.z, of.rotation.w};
  };
  return std::ranges::equal(parts(a), parts(b),
                            [](float x, float y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

// Returns whether the WorldTransform is right: relative to the parent's, or a root's if the parent is dead or has
// none.
bool has_right_place(const ecs::Registry& registry, ecs::Entity entity) {
  const auto* local = registry.try_get<const engine::Transform>(entity);
  const auto* world = registry.try_get<const hierarchy::WorldTransform>(entity);
  if (local == nullptr || world == nullptr) return local == nullptr && world == nullptr;
  const auto* parent = registry.try_get<const engine::Parent>(entity);
  const auto* above = parent == nullptr ? nullptr : registry.try_get<const hierarchy::WorldTransform>(parent->entity);
  return same(*world, above != nullptr ? hierarchy::compose(*above, *local)
                                       : hierarchy::WorldTransform{local->position, local->rotation});
}

}  // namespace

Oracle::Oracle(std::vector<server::Layer> layers, const Plan& plan, Trace trace)
    : layers_(layers),
      predicts_(plan.predicts),
      rewinds_(plan.rewinds),
      trace_(std::move(trace)),
      rights_(std::move(layers)) {}

void Oracle::begin(server::Server& server, const server::InterestRule* rule) {
  rule_ = rule;
  states_.clear();
  shown_to_.clear();
  rights_.begin(rule);
  pictures_.begin();
  courses_.begin();
  const ecs::Registry& registry = server.world().registry();
  there_.assign(registry.entities().index_end(), ecs::null_entity);
  registry.entities().each([&](ecs::Entity entity) {
    there_[entity.index] = entity;
    used_handles_.insert(handle_of(entity));
  });
}

std::optional<std::string> Oracle::check(server::Server& server) {
  now_ = server.world().tick() - 1;
  if (std::optional<std::string> wrong = note_handles(server.published())) return wrong;
  note_values(server);
  rights_.note(server, now_);
  pictures_.note(server, now_);
  courses_.note(server, now_);
  return check_published(server);
}

std::optional<std::string> Oracle::note_handles(const server::Published& published) {
  there_.resize(std::max<std::size_t>(there_.size(), published.index_end()));
  for (std::uint32_t index = 0; index < published.index_end(); ++index) {
    const ecs::Entity entity = published.entity(index).entity;
    if (entity == there_[index]) continue;
    if (const auto former = states_.find(handle_of(there_[index])); former != states_.end())
      former->second.push_back({now_});
    if (there_[index]) trace(there_[index], "is despawned");
    if (entity) trace(entity, "is spawned");
    there_[index] = entity;
    if (entity && !used_handles_.insert(handle_of(entity)).second)
      return "handle " + to_string(entity) + " denotes a second entity";
  }
  return std::nullopt;
}

Oracle::Value Oracle::published_value(server::Server& server, std::uint32_t index) {
  server::Published& published = server.published();
  const ecs::PrototypeId prototype = published.entity(index).prototype;
  Value value{.words = Words(published.codecs().entity(prototype).words)};
  published.words_now(index, value.words.data());
  ecs::Registry& registry = server.world().registry();
  value.components = hash_of(registry, sent_pools(server.world(), prototype));
  return value;
}

Oracle::Value Oracle::mirrored_value(client::Mirror& mirror, ecs::Entity entity) {
  ecs::Registry& registry = mirror.registry();
  ecs::PrototypeTable& prototypes = registry.prototypes();
  const auto pools = prototypes.pools(prototypes.canonical(registry.prototype(entity)));
  return {hash_of(registry, pools), test::mirrored_words(mirror, entity)};
}

void Oracle::note_values(server::Server& server) {
  server::Published& published = server.published();
  for (std::uint32_t index = 0; index < published.index_end(); ++index) {
    const server::PublishedEntity& entity = published.entity(index);
    const ecs::Tick changed = std::max(published.changed(index, true), published.changed(index, false));
    if (!entity.entity || changed != now_) continue;
    Value value = published_value(server, index);
    if (trace_) trace(entity.entity, "is " + to_text(value.words));
    states_[handle_of(entity.entity)].push_back({now_, true, std::move(value)});
  }
}

// Checks a part of the published state against the registry, another part each tick.
std::optional<std::string> Oracle::check_published(server::Server& server) const {
  ecs::Registry& registry = server.world().registry();
  server::Published& published = server.published();
  for (std::uint32_t index = now_ % published_checked_each; index < published.index_end();
       index += published_checked_each) {
    const server::PublishedEntity& entity = published.entity(index);
    if (registry.entities().at(index) != entity.entity)
      return "entity " + to_string(entity.entity) + " is published, but the world has " +
             to_string(registry.entities().at(index));
    if (!entity.entity) continue;
    if (sent_pools(server.world(), registry.prototype(entity.entity)) != sent_pools(server.world(), entity.prototype))
      return "entity " + to_string(entity.entity) + " is published with other components than it has";
    if (std::optional<std::string> wrong = check_published_values(server, index)) return wrong;
    // Predicted Transforms are rounded after the last update of the hierarchy.
    if (!predicts_ && !has_right_place(registry, entity.entity))
      return "entity " + to_string(entity.entity) + " has a wrong world transform";
  }
  return std::nullopt;
}

std::optional<std::string> Oracle::check_published_values(server::Server& server, std::uint32_t index) const {
  server::Published& published = server.published();
  ecs::Registry& registry = server.world().registry();
  const ecs::Entity entity = published.entity(index).entity;
  const Words words = published_value(server, index).words;
  const std::uint32_t* row = words.data();
  for (const ecs::PoolId pool : sent_pools(server.world(), published.entity(index).prototype)) {
    const wire::RowCodec& codec = *published.codecs().row(pool);
    const core::ByteView component{registry.try_read(entity, pool), registry.pool(pool).type().size};
    Words there(row, row + codec.words());  // with its courses
    codec.to_other_words(component.data(), there.data());
    if (!std::equal(there.begin(), there.end(), row))
      return "entity " + to_string(entity) + " differs from its published values";
    if (std::optional<std::string> wrong = courses_.check(codec, row, pool, index, component, now_))
      return "entity " + to_string(entity) + " " + *wrong;
    row += codec.words();
  }
  return std::nullopt;
}

const Oracle::Value* Oracle::value_at(ecs::Entity entity, ecs::Tick tick) const {
  const auto states = states_.find(handle_of(entity));
  if (states == states_.end()) return nullptr;
  const auto after = std::ranges::upper_bound(states->second, tick, {}, &State::since);
  if (after == states->second.begin() || !std::prev(after)->is_there) return nullptr;
  return &std::prev(after)->value;
}

std::optional<std::string> Oracle::compare(client::Mirror& mirror, ecs::Entity entity, ecs::Tick tick) {
  const bool owned = mirror.is_owner(entity);
  ++compared_;
  const Value* then = value_at(entity, tick);
  const auto was = [&](const std::string& what) {
    return "entity " + to_string(entity) + " in tick " + std::to_string(tick) + what;
  };
  if (then == nullptr) return was(" was not in the world");
  auto [components, there] = mirrored_value(mirror, entity);
  if (components != then->components) return was(" has other components");
  Words expected = then->words;
  test::follow_courses(expected, mirror, entity, owned, mirror.tick());
  for (Words* words : {&expected, &there}) test::reset_unreceived(*words, mirror, entity, owned);
  if (there.size() != expected.size()) return was(" has other words");
  for (std::size_t word = 0; word < there.size(); ++word)
    if (there[word] != expected[word])
      return was(": word " + std::to_string(word) + " is " + std::to_string(there[word]) + ", at the server it was " +
                 std::to_string(expected[word]));
  return std::nullopt;
}

std::optional<std::string> Oracle::check(client::Connection& client, std::uint32_t player, const std::string& name) {
  const client::ConnectionStats& stats = client.stats();
  if (stats.mismatched_ticks > 0) return "the mirror's checksum differs from the server's";
  if (stats.unreadable_deltas > 0) return "a delta cannot be read";
  if (stats.corrections > 0) return "the server corrected the mirror";
  client::Mirror* mirror = client.mirror();
  if (mirror == nullptr) return "a client plays without a mirror";
  if (std::optional<std::string> wrong = check_changes(*mirror, player, name)) return wrong;
  if ((now_ + player) % checked_each != 0) return std::nullopt;
  if (std::optional<std::string> wrong = check_all(*mirror, player)) return wrong;
  return client.complete() ? check_complete(*mirror, player) : std::nullopt;
}

std::optional<std::string> Oracle::check_changes(client::Mirror& mirror, std::uint32_t player,
                                                 const std::string& name) {
  Shown& shown = shown_to_[player];
  const bool draws = player % 2 == 0 && !rewinds_;  // a Drawer sets the view then
  if (draws) mirror.set_view_tick(static_cast<double>(mirror.tick()) - drawn_ticks);
  for (const auto& [entity, kind, pool] : mirror.changes()) {
    if (!mirror.registry().valid(entity)) continue;
    const ecs::Tick tick = mirror.tick_of(entity);
    if (tick == 0 || !shown.is_new(entity, tick)) continue;
    if (trace_) trace(entity, name + " has it as it was in tick " + std::to_string(tick));
    if (std::optional<std::string> wrong = check_state(mirror, entity, tick, player)) return wrong;
    if (!draws || (predicts_ && mirror.is_owner(entity))) continue;  // its owner draws no courses
    if (std::optional<std::string> wrong = pictures_.check(mirror, entity)) return wrong;
  }
  return std::nullopt;
}

std::optional<std::string> Oracle::check_all(client::Mirror& mirror, std::uint32_t player) {
  mirror.check();
  std::optional<std::string> wrong;
  std::size_t stale = 0;
  mirror.registry().entities().each([&](ecs::Entity entity) {
    if (wrong) return;
    const ecs::Tick tick = mirror.tick_of(entity);
    if (tick == 0) {
      ++stale;
      wrong = check_stale(mirror, entity, player);
    } else {
      wrong = check_state(mirror, entity, tick, player);
    }
  });
  if (!wrong && stale > client::Mirror::stale_max) wrong = "there are more stale entities than stale_max";
  return wrong;
}

bool Oracle::Shown::is_new(ecs::Entity entity, ecs::Tick tick) {
  if (entity.index >= last.size()) last.resize(entity.index + 1);
  const State before = std::exchange(last[entity.index], {entity, tick});
  return before.entity != entity || before.tick != tick;
}

std::optional<std::string> Oracle::check_state(client::Mirror& mirror, ecs::Entity entity, ecs::Tick tick,
                                               std::uint32_t player) {
  const auto unseen = [&](const char* what) {
    return "entity " + to_string(entity) + " in tick " + std::to_string(tick) + ": the player may not see " + what;
  };
  if (!rights_.may_have(player, entity, tick)) return unseen("it");
  if (mirror.is_owner(entity) && !rights_.may_own(player, entity, tick)) return unseen("its owner-only fields");
  return compare(mirror, entity, tick);
}

std::optional<std::string> Oracle::check_view(const server::ClientSession& session) const {
  if (session.replication.view == nullptr || session.replication.last_query.tick != now_) return std::nullopt;
  const std::uint32_t player = session.player.id;
  for (const std::uint32_t index : session.replication.view->visible()) {
    const ecs::Entity entity = there_[index];
    if (!entity || rights_.may_have(player, entity, now_)) continue;
    return "entity " + to_string(entity) + " is in view of player " + std::to_string(player) + ", who may not see it";
  }
  return std::nullopt;
}

std::optional<std::string> Oracle::check_complete(client::Mirror& mirror, std::uint32_t player) {
  const ecs::Tick tick = mirror.tick();
  for (const ecs::Entity entity : there_)
    if (entity && mirror.tick_of(entity) == 0 && rights_.must_have(player, entity, tick))
      return "entity " + to_string(entity) + " is missing in a mirror complete for tick " + std::to_string(tick);
  std::optional<std::string> wrong;
  mirror.registry().entities().each([&](ecs::Entity entity) {
    if (wrong || mirror.tick_of(entity) == 0) return;
    wrong = compare(mirror, entity, tick);
    const auto* parent = mirror.registry().try_get<const engine::Parent>(entity);
    if (!wrong && parent != nullptr && parent->entity && mirror.tick_of(parent->entity) == 0)
      wrong =
          "entity " + to_string(entity) + " is in a complete mirror without its parent " + to_string(parent->entity);
  });
  return wrong;
}

std::optional<std::string> Oracle::check_stale(client::Mirror& mirror, ecs::Entity entity, std::uint32_t player) {
  const Shown& shown = shown_to_[player];
  const auto states = states_.find(handle_of(entity));
  if (!mirror.is_stale(entity)) return "entity " + to_string(entity) + " is neither visible nor stale";
  if (states == states_.end()) return std::nullopt;
  if (!rights_.ever_had(player, entity)) return "entity " + to_string(entity) + " is stale, but was never visible";
  const bool was_seen = entity.index < shown.last.size() && shown.last[entity.index].entity == entity;
  if (!was_seen) return std::nullopt;
  Value there = mirrored_value(mirror, entity);
  // Only what everyone receives is compared, since its former owner is not known.
  const auto reset_others = [&](Words& words) {
    for (const bool owner : {false, true}) test::reset_unreceived(words, mirror, entity, owner);
  };
  reset_others(there.words);
  // It follows its courses until the tick in which it is lost, or further.
  const ecs::Tick last = shown.last[entity.index].tick;
  const auto was_so = [&](const State& state) {
    if (!state.is_there || state.value.components != there.components) return false;
    for (ecs::Tick tick = std::max(last, state.since); tick <= now_; ++tick) {
      Words words = state.value.words;
      test::follow_courses(words, mirror, entity, false, tick);
      reset_others(words);
      if (words == there.words) return true;
    }
    return false;
  };
  const auto after = std::ranges::upper_bound(states->second, last, {}, &State::since);
  if (after != states->second.begin() && std::any_of(std::prev(after), states->second.end(), was_so))
    return std::nullopt;
  return "entity " + to_string(entity) + " is stale with values it never had since tick " + std::to_string(last);
}

std::optional<std::string> Oracle::check_at_last(server::Server& server, client::Connection& client,
                                                 std::uint32_t player) {
  const auto session = std::ranges::find_if(server.sessions(), [&](const auto& e) { return e->player.id == player; });
  if (player == 0 || session == server.sessions().end()) return "the client has no player";
  if (client.stats().verified_ticks == 0) return "the mirror was never verified";
  client::Mirror& mirror = *client.mirror();
  const auto interest = server::test::ReferenceInterest::of(server, layers_, rule_);
  const std::set<std::uint32_t> relevant = interest.relevant(*(*session)->replication.viewer, [&](std::uint32_t index) {
    return mirror.tick_of(server.published().entity(index).entity) != 0;
  });
  for (const std::uint32_t index : interest.published) {
    const ecs::Entity entity = server.published().entity(index).entity;
    const bool there = mirror.tick_of(entity) != 0;
    const bool is_relevant = relevant.contains(index);
    if (there && !is_relevant && rights_.is_of_file(player, entity, mirror.tick_of(entity))) continue;
    if (there != is_relevant)
      return "entity " + to_string(entity) + (there ? " is still in view" : " is not in the mirror");
    if (!there) continue;
    Value now = published_value(server, index);
    const bool is_owner = interest.relevance(entity).owner == player;
    if (is_owner != mirror.is_owner(entity))
      return "entity " + to_string(entity) + (is_owner ? " is owned" : " is not owned") +
             " by the player, unlike in the mirror";
    Value mirrored = mirrored_value(mirror, entity);
    if (now.components == mirrored.components) test::follow_courses(now.words, mirror, entity, is_owner, mirror.tick());
    for (Value* value : {&now, &mirrored}) test::reset_unreceived(value->words, mirror, entity, is_owner);
    if (now != mirrored)
      return "entity " + to_string(entity) + " is of tick " + std::to_string(mirror.tick_of(entity)) +
             ", but changed in tick " + std::to_string(server.published().changed(index, true));
  }
  std::optional<std::string> wrong;
  mirror.registry().entities().each([&](ecs::Entity entity) {
    const bool is_there = server.published().entity(entity.index).entity == entity;
    if (is_there) return;
    if (mirror.tick_of(entity) != 0) wrong = "entity " + to_string(entity) + " is still in the mirror";
    if (mirror.is_stale(entity) && was_seen_to_the_end(entity, player))
      wrong = "entity " + to_string(entity) + " is stale although its despawn was visible";
  });
  return wrong;
}

bool Oracle::was_seen_to_the_end(ecs::Entity entity, std::uint32_t player) const {
  const auto states = states_.find(handle_of(entity));
  if (states == states_.end() || states->second.back().is_there) return false;
  const ecs::Tick since = rights_.in_view_since(player, entity, states->second.back().since - 1);
  const auto shown = shown_to_.find(player);
  if (since == 0 || shown == shown_to_.end() || entity.index >= shown->second.last.size()) return false;
  const Shown::State& last = shown->second.last[entity.index];
  return last.entity == entity && last.tick >= since;
}

std::uint64_t Oracle::state_of(server::Server& server) {
  const ecs::Registry& registry = server.world().registry();
  std::uint64_t sum = 0;
  registry.entities().each([&](ecs::Entity entity) {
    std::uint64_t hash = core::hash64(core::as_bytes(&entity, 1), 0);
    for (const ecs::PoolId id : registry.prototypes().pools(registry.prototype(entity))) {
      const ecs::Pool& pool = registry.pool(id);
      const reflect::Component* const component = server.world().schema().find(pool.type().id);
      if (component == nullptr || component->not_saved) continue;
      const std::uint64_t key = wire::pool_key(pool);
      hash += core::hash64({registry.try_read(entity, id), pool.type().size}, key);
    }
    sum += core::hash64(core::as_bytes(&hash, 1), 1);
  });
  return sum;
}

}  // namespace mobula::sim
