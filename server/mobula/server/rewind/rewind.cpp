#include <cmath>
#include <mobula/core/log.hpp>
#include <mobula/server/rewind/past_bounds.hpp>
#include <mobula/server/rewind/rewind.hpp>
#include <mobula/server/rewind/rewind_client.hpp>
#include <mobula/server/rewind/rewind_stats.hpp>
#include <mobula/server/rewind/rewind_workspace.hpp>

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

// The kept past, and the check of claims. Installed headers do not have it.
class Rewind::Past {
 public:
  Past(const RewindConfig& config, World& world, Published& published, RewindStats& stats, FindClient find);

  void record(std::span<const std::uint32_t> changed) { bounds_.update(changed, world_.tick()); }
  core::Result<Rewound> view(std::uint32_t player, const CommandContext& context);
  [[nodiscard]] const PastBounds& bounds() const { return bounds_; }

 private:
  core::Status admit(RewindClient& client, const CommandContext& context);

  World& world_;
  Published& published_;
  FindClient find_;
  ClaimCheck check_;
  PastBounds bounds_;
  RewindWorkspace work_;
  RewindStats& stats_;
};

Rewind::Past::Past(const RewindConfig& config, World& world, Published& published, RewindStats& stats, FindClient find)
    : world_(world),
      published_(published),
      find_(std::move(find)),
      check_(config, world.ticks_per_second()),
      bounds_(published, keep_past(config, check_, published)),
      stats_(stats) {}

core::Status Rewind::Past::admit(RewindClient& client, const CommandContext& context) {
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

core::Result<Rewound> Rewind::Past::view(std::uint32_t player, const CommandContext& context) {
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

Rewind::Rewind(const RewindConfig& config, World& world, Published& published, RewindStats& stats, FindClient find)
    : past_(std::make_unique<Past>(config, world, published, stats, std::move(find))) {}

Rewind::~Rewind() = default;

void Rewind::record(std::span<const std::uint32_t> changed) { past_->record(changed); }

core::Result<Rewound> Rewind::view(std::uint32_t player, const CommandContext& context) {
  return past_->view(player, context);
}

const PastBounds& Rewind::bounds() const { return past_->bounds(); }

}  // namespace mobula::server
