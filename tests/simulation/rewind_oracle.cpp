#include <ecs/allocations.hpp>
#include <mobula/client/mirror/world_pose.hpp>
#include <mobula/server/rewind/past_bounds.hpp>
#include <set>
#include <simulation/rewind_oracle.hpp>

namespace mobula::sim {
namespace {

constexpr double slack_ticks = 2;      // RewindConfig::claim_slack
constexpr double view_age_ticks = 10;  // RewindConfig::view_age_max
constexpr double besides_path_ticks = 3;

std::string at(double tick) { return std::to_string(tick); }

}  // namespace

std::optional<Drawer::Drawn> Drawer::draw(client::Connection& connection) {
  client::Mirror* const mirror = connection.mirror();
  if (mirror == nullptr) return std::nullopt;
  if (std::exchange(mirror_, connection.mirror_number()) != connection.mirror_number()) {
    last_ = first_ = 0;
    view_ = 0;
    mirror->set_view_tick(0);  // as with a picture before the first command
  }
  if (first_ == 0) first_ = mirror->tick();
  const client::CommandLog& log = connection.commands();
  const client::CommandLog::Entry* const given = log.size() > 0 ? &log.at(log.size() - 1) : nullptr;
  if (given == nullptr || given->number <= last_) return std::nullopt;
  last_ = given->number;
  const double view = given->view_tick + given->view_fraction / 256.0;
  if (view < view_) return std::nullopt;
  view_ = view;
  mirror->set_view_tick(view);
  Drawn drawn{given->bytes, {view, mirror->tick(), first_, {}}};
  const client::Interpolation pictures(*mirror);
  mirror->registry().entities().each([&](ecs::Entity entity) {
    drawn.world.entities[entity] = {mirror->is_stale(entity), pictures.is_there(entity, view),
                                    client::sample_world(*mirror, entity, view)};
  });
  return drawn;
}

void RewindOracle::begin() {
  drawn_.clear();
  last_views_.clear();
}

void RewindOracle::note(const std::string& account, const Drawer::Drawn& drawn) {
  drawn_[{account, drawn.command}] = drawn.world;
}

void RewindOracle::judge(server::World& world, const server::Player& player, const server::CommandContext& context,
                         const core::Bytes& command) {
  const core::Result<server::Rewound> viewed = world.rewind().view(player.id, context);
  const ecs::test::UncountedBytes own;
  if (!viewed) ++refusals_[viewed.error().reason];
  const auto found = drawn_.find({player.account, command});
  if (found == drawn_.end()) return;
  const DrawnWorld drawn = std::move(found->second);
  drawn_.erase(found);
  if (!viewed) {
    if (!is_justified(viewed.error().reason, world, player.id, context, drawn))
      fail("a view of player " + std::to_string(player.id) + " at " + at(drawn.view) +
           " is refused: " + viewed.error().reason + ": " + viewed.error().message + "; its mirror had tick " +
           std::to_string(drawn.newest));
    return;
  }
  ++views_;
  last_views_[player.id] = drawn.view;
  server::Rewound past = *viewed;
  if (past.moment() != drawn.view) return fail("a view of " + at(drawn.view) + " is taken as of " + at(past.moment()));
  compare(past, world, world.player_entity(player.id), drawn);
}

// Returns whether what the client had explains a refusal.
bool RewindOracle::is_justified(const std::string& reason, server::World& world, std::uint32_t player,
                                const server::CommandContext& context, const DrawnWorld& drawn) const {
  const auto last = last_views_.find(player);
  if (reason == "view in the future") return drawn.view > drawn.newest;
  if (reason == "view before joining") return drawn.view < drawn.first;
  if (reason == "view too old")
    return context.tick - drawn.view > view_age_ticks || drawn.view < world.rewind().bounds().since();
  if (reason == "view goes back") return last != last_views_.end() && drawn.view < last->second;
  if (reason == "view beyond the path") return world.tick() - drawn.newest > besides_path_ticks + slack_ticks;
  if (reason == "unusual view") return drawn.newest - drawn.view > slack_ticks;
  if (reason == "unknown deltas") return !is_lossless_ || context.seen.newest == 0;
  if (reason == "outdated deltas") return !is_lossless_;
  return reason == "no view";  // its connection has ended
}

std::optional<std::string> RewindOracle::check_at_last() const {
  std::uint64_t refused = 0;
  for (const auto& [reason, count] : refusals_) refused += count;
  if (!is_lossless_ || views_ < 100) return std::nullopt;
  if (refused * 10 > views_) return "many views are refused: " + summary();
  return unknown_ * 20 > poses_ ? std::optional("many rewound poses are not known: " + summary()) : std::nullopt;
}

std::string RewindOracle::summary() const {
  std::string text =
      std::to_string(views_) + " views, " + std::to_string(poses_) + " poses, " + std::to_string(unknown_) + " unknown";
  for (const auto& [reason, count] : refusals_) text += ", " + std::to_string(count) + " " + reason;
  return text;
}

void RewindOracle::compare(server::Rewound& past, const server::World& world, ecs::Entity own,
                           const DrawnWorld& drawn) {
  for (const auto& [entity, each] : drawn.entities)
    if (entity != own) compare(past, entity, &each);
  world.registry().entities().each([&](ecs::Entity entity) {
    if (entity != own && !drawn.entities.contains(entity)) compare(past, entity, nullptr);
  });
}

void RewindOracle::compare(server::Rewound& past, ecs::Entity entity, const DrawnWorld::Entity* drawn) {
  using server::Seen;
  const Seen seen = past.seen(entity);
  if (seen == Seen::unknown) return void(++unknown_);
  const auto differs = [&](const std::string& what) {
    fail("entity " + to_string(entity) + " as drawn at " + at(past.moment()) + " " + what + ", " +
         std::to_string(static_cast<int>(seen)) + " by the server");
  };
  if (drawn == nullptr || drawn->stale) {
    const bool is_out = seen == Seen::out_of_view || (drawn == nullptr && seen == Seen::absent);
    if (!is_out) differs(drawn == nullptr ? "is not there" : "is stale");
    return;
  }
  if (seen != (drawn->spawned ? Seen::alive : Seen::not_spawned))
    return differs(drawn->spawned ? "is there" : "is not spawned yet");
  if (seen != Seen::alive) return;
  const std::optional<hierarchy::WorldTransform> pose = past.world(entity);
  if (!pose && drawn->pose) return void(++unknown_);
  ++poses_;
  if (pose != drawn->pose) differs("has another pose");
}

}  // namespace mobula::sim
