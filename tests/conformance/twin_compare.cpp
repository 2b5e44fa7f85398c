// Compares the two clients of a Twin after an update.
#include <algorithm>
#include <array>
#include <conformance/twin.hpp>
#include <cstring>
#include <map>
#include <mobula/client/mirror/interpolation.hpp>
#include <mobula/core/format.hpp>
#include <set>

namespace mobula::conformance {
namespace {

using test::handle_of;

constexpr std::uint64_t facts_each = 4;  // updates between two comparisons of facts of entities
constexpr std::array picture_ages{0.25, 1.5};

}  // namespace

template <class A, class B>
void Twin::expect_equal(const A& c, const B& cpp, const char* what) {
  if (c != static_cast<A>(cpp)) differ(core::format("{} is {} in C, {} in C++", what, c, cpp));
}

void Twin::compare(core::Nanoseconds now) {
  compare_status();
  compare_reason();
  if (connection_.mirror() == nullptr) return;
  compare_components();
  compare_changes();
  compare_events();
  compare_entities();
  for (std::uint32_t component = 0; component < c_->component_count(); ++component) compare_column(component);
  if (updates_ % pictures_each_ == 0) compare_pictures(now);
}

void Twin::compare_status() {
  const mobula_status status = c_->status();
  const client::Mirror* const mirror = connection_.mirror();
  expect_equal(status.state, static_cast<std::uint32_t>(connection_.state()), "state");
  expect_equal(status.can_rejoin, connection_.can_rejoin(), "can_rejoin");
  expect_equal(status.can_reconnect, connection_.can_reconnect(), "can_reconnect");
  expect_equal(status.ticks_per_second, connection_.ticks_per_second(), "ticks_per_second");
  expect_equal(status.tick, mirror != nullptr ? mirror->tick() : 0, "tick");
  expect_equal(status.complete, mirror != nullptr && connection_.complete(), "complete");
  expect_equal(status.mirror, connection_.mirror_number(), "mirror");
  expect_equal(status.entities, mirror != nullptr ? mirror->size() : 0, "entities");
  expect_equal(status.closing_seconds != ~0u, connection_.closing().has_value(), "announced end");
  expect_equal(status.player, handle_of(connection_.player_entity()), "player");
  expect_equal(status.mirror_hash, mirror != nullptr ? mirror->hash() : 0, "mirror_hash");
}

void Twin::compare_reason() {
  std::int32_t code = 0;
  std::array<char, 1024> text{};
  std::uint32_t length = 0;
  const mobula_result result =
      mobula_client_reason(c_->handle(), &code, text.data(), static_cast<std::uint32_t>(text.size()), &length);
  const bool is_closed = connection_.state() == client::Connection::State::closed;
  expect(result == (is_closed ? MOBULA_OK : MOBULA_NOTHING), "reason of the end differs");
  if (is_closed) expect_equal(code, static_cast<std::int32_t>(connection_.reason().code), "reason");
}

// Components are found by the names of type and instance, so their numbers need not be those of pools.
void Twin::compare_components() {
  if (mirror_number_ != connection_.mirror_number()) pools_.clear();
  mirror_number_ = connection_.mirror_number();
  const ecs::Registry& registry = mirror().registry();
  while (pools_.size() < c_->component_count()) {
    const mobula_component_info info = c_->component(static_cast<std::uint32_t>(pools_.size()));
    const mobula_type_info type = c_->type(info.type);
    const ecs::PoolId pool = registry.find_pool(core::StringId32(type.name), core::StringId32(info.instance));
    if (pool == ecs::no_pool)
      return differ(core::format("component {} {} is unknown in C++", type.name, info.instance));
    expect_equal(info.size, registry.pool(pool).type().size, type.name);
    pools_.push_back(pool);
  }
}

void Twin::compare_changes() {
  const std::vector<mobula_change> ours = c_->changes();
  const std::span<const client::Change> theirs = mirror().changes();
  expect_equal(ours.size(), theirs.size(), "number of changes");
  for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) {
    const ecs::PoolId pool = ours[i].component == MOBULA_NO_COMPONENT ? ecs::no_pool : pool_of(ours[i].component);
    const client::Change change{test::to_entity(ours[i].entity), static_cast<client::ChangeKind>(ours[i].kind), pool};
    if (change != theirs[i]) differ(core::format("change {} differs", i));
  }
  changes_ += theirs.size();
}

void Twin::compare_events() {
  const std::vector<mobula_event> ours = c_->events();
  const std::span<const client::ReceivedEvent> theirs = connection_.events();
  expect_equal(ours.size(), theirs.size(), "number of events");
  for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) {
    expect_equal(ours[i].about, handle_of(theirs[i].about), "subject of an event");
    expect_equal(ours[i].tick, theirs[i].tick, "tick of an event");
    expect_equal(ours[i].presence, static_cast<std::uint32_t>(theirs[i].presence), "presence of an event");
    const auto* const bytes = static_cast<const std::byte*>(ours[i].bytes);
    expect(std::ranges::equal(core::ByteView(bytes, ours[i].size), theirs[i].bytes), "bytes of an event differ");
  }
  events_ += theirs.size();
}

void Twin::compare_entities() {
  std::vector<mobula_entity> theirs;
  mirror().registry().entities().each([&](ecs::Entity entity) { theirs.push_back(handle_of(entity)); });
  expect(c_->entities() == theirs, "entities differ");
  compared_ += theirs.size();
  if (updates_ % facts_each != 0) return;
  for (const mobula_entity handle : theirs) compare_entity(test::to_entity(handle));
}

void Twin::compare_entity(ecs::Entity entity) {
  auto info = test::sized<mobula_entity_info>();
  expect_ok(mobula_client_entity(c_->handle(), handle_of(entity), &info), "entity");
  expect_equal(info.stale, mirror().is_stale(entity), "stale");
  expect_equal(info.owned, mirror().is_owner(entity), "owned");
  expect_equal(info.tick, mirror().tick_of(entity), "tick of an entity");
  std::set<ecs::PoolId> ours;
  for (const std::uint32_t component : c_->components_of(handle_of(entity))) ours.insert(pool_of(component));
  const ecs::Registry& registry = mirror().registry();
  const std::span<const ecs::PoolId> theirs = registry.prototypes().pools(registry.prototype(entity));
  if (ours != std::set<ecs::PoolId>(theirs.begin(), theirs.end()))
    differ("components of " + to_string(entity) + " differ");
}

void Twin::compare_column(std::uint32_t component) {
  const ecs::PoolId id = pool_of(component);
  if (id == ecs::no_pool) return;
  const ecs::Registry& registry = mirror().registry();
  const std::size_t size = registry.pool(id).type().size;
  const CClient::Column column = c_->column(component);
  expect_equal(column.entities.size(), registry.pool(id).size(), "number of values in a column");
  std::vector<mobula_entity> sorted = column.entities;
  std::ranges::sort(sorted);
  expect(std::ranges::adjacent_find(sorted) == sorted.end(), "an entity is in a column twice");
  for (std::size_t i = 0; i < column.entities.size(); ++i) {
    const ecs::Entity entity = test::to_entity(column.entities[i]);
    const std::byte* const value = registry.valid(entity) ? registry.try_read(entity, id) : nullptr;
    const bool equal =
        size == 0 || (value != nullptr && std::memcmp(column.values.data() + i * size, value, size) == 0);
    if (!equal) differ(core::format("{} of {} differs", registry.pool(id).instance_name(), to_string(entity)));
  }
}

void Twin::compare_pictures(core::Nanoseconds now) {
  auto clock = test::sized<mobula_clock>();
  expect_ok(mobula_client_clock(c_->handle(), now, &clock), "clock");
  client::ServerClock& theirs = *connection_.clock();
  expect_equal(clock.known, theirs.known(), "clock is known");
  if (!theirs.known()) return;
  const double view = theirs.view_tick(now);
  expect_equal(clock.server_tick, theirs.server_tick(now), "server_tick");
  expect_equal(clock.target_tick, theirs.target_tick(now), "target_tick");
  expect_equal(clock.view_tick, view, "view_tick");
  connection_.mirror()->set_view_tick(view);
  for (const double age : picture_ages)
    for (std::uint32_t component = 0; component < c_->component_count(); ++component)
      compare_picture(component, std::max(view - age, 0.0));
}

// A column omits entities that have the component no longer; single samples do not.
void Twin::compare_picture(std::uint32_t component, double view_tick) {
  const ecs::PoolId id = pool_of(component);
  if (id == ecs::no_pool) return;
  const client::Interpolation pictures(mirror());
  const ecs::Pool& pool = mirror().registry().pool(id);
  core::Bytes value(pool.type().size);
  core::Bytes single(value.size());
  std::map<mobula_entity, core::Bytes> expected;
  mirror().registry().entities().each([&](ecs::Entity entity) {
    const bool has = pictures.is_there(entity, view_tick) && pictures.sample(entity, id, view_tick, value.data());
    const mobula_result sampled = mobula_client_sample(c_->handle(), handle_of(entity), component, view_tick,
                                                       single.data(), static_cast<std::uint32_t>(single.size()));
    if ((sampled == MOBULA_OK) != has || (has && single != value))
      differ(core::format("a sample of component {} of {} differs", component, to_string(entity)));
    if (has && pool.contains(entity.index)) expected.emplace(handle_of(entity), value);
  });
  const CClient::Column column = c_->column(component, view_tick);
  std::map<mobula_entity, core::Bytes> ours;
  for (std::size_t i = 0; i < column.entities.size(); ++i) {
    const auto at = column.values.begin() + static_cast<std::ptrdiff_t>(i * value.size());
    ours.emplace(column.entities[i], core::Bytes(at, at + static_cast<std::ptrdiff_t>(value.size())));
  }
  expect(column.entities.size() == ours.size(), "an entity is in a picture twice");
  if (ours != expected) differ(core::format("the picture of component {} differs", component));
  sampled_ += expected.size();
}

}  // namespace mobula::conformance
