#include <cmath>
#include <mobula/core/log.hpp>
#include <mobula/server/rewind/rewind.hpp>

namespace mobula::server {
namespace {

ecs::Tick whole_ticks(double ticks) { return static_cast<ecs::Tick>(std::ceil(ticks)); }

std::vector<core::StringId32> ids_of(const std::vector<std::string>& names, const reflect::Schema& schema) {
  std::vector<core::StringId32> ids;
  for (const std::string& name : names) {
    MOBULA_CHECK(schema.find(std::string_view(name)) != nullptr,
                 "Game::rewind names a component that the schema does not have: " + name);
    ids.emplace_back(name);
  }
  return ids;
}

// Declares which past is kept. Returns for how many ticks.
ecs::Tick keep_past(const RewindConfig& config, const ClaimCheck& check, Published& published) {
  const reflect::Schema& schema = published.codecs().schema();
  MOBULA_CHECK(config.view_age_max <= config.window, "Game::rewind: views may be older than what is kept");
  const ecs::Tick ticks = whole_ticks(check.to_ticks(config.window)) + 1;
  published.keep_past(ids_of(config.components, schema), ticks, ids_of(config.marks, schema));
  return ticks;
}

}  // namespace

Rewind::Rewind(const RewindConfig& config, World& world, Published& published, RewindStats& stats, FindClient find)
    : world_(world),
      published_(published),
      find_(std::move(find)),
      check_(config, world.ticks_per_second()),
      bounds_(published, keep_past(config, check_, published)),
      stats_(stats) {}

core::Status Rewind::admit(RewindClient& client, const CommandContext& context) {
  if (client.view == nullptr || client.claims == nullptr)
    return core::Error{"no view", "the player has no client, or it has received nothing"};
  ShadowMirror& shadow = *client.view->shadow();
  if (core::Status advanced = shadow.advance(context.seen, client.view->settled()); !advanced) return advanced;
  return check_.check(context,
                      {.now = world_.tick(),
                       .first_delta = shadow.first_tick(),
                       .newest_delta = shadow.newest_tick(),
                       .kept_since = bounds_.since()},
                      client.path, *client.claims);
}

core::Result<Rewound> Rewind::view(std::uint32_t player, const CommandContext& context) {
  RewindClient client = find_(player);
  if (core::Status admitted = admit(client, context); !admitted) {
    ++stats_.refusals[admitted.error().reason];
    if (client.claims != nullptr) ++client.claims->refused;
    core::log_warn("server", "view of player {} refused: {}: {}", player, admitted.error().reason,
                   admitted.error().message);
    return admitted.error();
  }
  ++stats_.views;
  client.view->shadow()->note_view(view_of(context));
  return Rewound({.registry = world_.registry(),
                  .published = published_,
                  .shadow = *client.view->shadow(),
                  .bounds = bounds_,
                  .work = work_,
                  .moment = view_of(context),
                  .tick = world_.tick(),
                  .shooter = world_.player_entity(player)});
}

}  // namespace mobula::server
