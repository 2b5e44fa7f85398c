#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <mobula/client/mirror/world_pose.hpp>
#include <mobula/core/log.hpp>
#include <mobula/server/replication/publisher.hpp>
#include <mobula/server/rewind/past_bounds.hpp>

#include "rewind/rewind_bench.hpp"
#include "rewind/shooting.hpp"

namespace mobula::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Poses = std::map<ecs::Entity, hierarchy::WorldTransform>;

constexpr std::uint32_t drawn_kept = 256;  // commands

double us_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

// Other programs disturb the mean.
double median(std::vector<double>& times) {
  if (times.empty()) return 0;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

// Poses that the client drew, by number of the command.
class DrawnPoses {
 public:
  void note(client::Connection& connection, const Shooting& game) {
    if (connection.mirror() == nullptr) return;
    const client::CommandLog& log = connection.commands();
    if (log.size() == 0 || log.at(log.size() - 1).number <= newest_) return;
    const client::CommandLog::Entry& given = log.at(log.size() - 1);
    newest_ = given.number;
    const double view = given.view_tick + given.view_fraction / 256.0;
    client::Mirror& mirror = *connection.mirror();
    mirror.set_view_tick(view);
    Poses& poses = drawn_[given.number];
    const client::Interpolation pictures(mirror);
    for (const ecs::Entity target : game.targets())
      if (pictures.is_there(target, view) && !mirror.is_stale(target))
        if (const auto pose = client::sample_world(mirror, target, view)) poses.emplace(target, *pose);
    while (drawn_.size() > drawn_kept) drawn_.erase(drawn_.begin());
  }
  [[nodiscard]] const Poses& of(std::uint32_t command) { return drawn_[command]; }

 private:
  std::map<std::uint32_t, Poses> drawn_;
  std::uint32_t newest_ = 0;
};

void compare(server::Rewound& past, const Shooting& game, const Poses& drawn, RewindReport& report) {
  for (const ecs::Entity target : game.targets()) {
    const auto then = drawn.find(target);
    const server::Seen seen = past.seen(target);
    if (seen == server::Seen::unknown) {
      ++report.unknown;
      continue;
    }
    const bool shown = seen == server::Seen::alive;
    const auto pose = shown ? past.world(target) : std::nullopt;
    ++report.poses;
    if (shown != (then != drawn.end()) || (shown && (!pose || *pose != then->second))) ++report.unequal;
  }
}

std::optional<server::HitShape> shape(ecs::Entity /*entity*/) {
  return server::HitShape{.centre = {.x = 0, .y = 0.9f, .z = 0}, .half = {.x = 0.3f, .y = 0.9f, .z = 0.3f}};
}

}  // namespace

core::Status run_shots(const RewindOptions& options, RewindReport& report) {
  core::set_log_level(core::LogLevel::error);
  DrawnPoses drawn;
  Shooting* shooting = nullptr;
  Shooting game(
      options.targets,
      [&](server::World& world, const server::Player& player, const server::CommandContext& context) -> core::Status {
        core::Result<server::Rewound> past = world.rewind().view(player.id, context);
        if (!past) {
          ++report.refused;
          return core::Done{};
        }
        ++report.shots;
        compare(*past, *shooting, drawn.of(context.number), report);
        return core::Done{};
      });
  shooting = &game;
  core::Result<std::unique_ptr<ShootingWorld>> world =
      ShootingWorld::make(game, {.ticks_per_second = options.ticks_per_second}, options.seed);
  if (!world) return world.error();
  if (!(*world)->join()) return core::Error{"not complete", "the client does not get all that it sees"};
  for (std::uint64_t tick = 0; report.shots < options.shots && tick < 10ull * options.shots + 1000; ++tick) {
    (*world)->tick(true);
    drawn.note((*world)->client(), game);
  }
  return core::Done{};
}

core::Status run_rays(const RewindOptions& options, RewindReport& report) {
  core::set_log_level(core::LogLevel::error);
  std::uint64_t rays = 0;
  std::vector<double> view_us;
  std::vector<double> ray_us;
  core::Random random(options.seed);
  Shooting game(
      options.entities,
      [&](server::World& world, const server::Player& player, const server::CommandContext& context) -> core::Status {
        const Clock::time_point begin = Clock::now();
        core::Result<server::Rewound> past = world.rewind().view(player.id, context);
        if (!past) return core::Done{};
        view_us.push_back(us_since(begin));
        constexpr int at_once = 20;
        for (int i = 0; i < at_once; ++i, ++rays) {
          const float angle = random.uniform(0, 6.28f);
          const server::Ray ray{.origin = {.x = random.uniform(-100, 100), .y = 0.5f, .z = random.uniform(-100, 100)},
                                .direction = {.x = std::cos(angle), .y = 0, .z = std::sin(angle)},
                                .length = 100};
          const Clock::time_point before = Clock::now();
          static_cast<void>(past->ray(ray, 2, shape));
          ray_us.push_back(us_since(before));
          report.candidates += static_cast<double>(past->tested());
        }
        return core::Done{};
      });
  core::Result<std::unique_ptr<ShootingWorld>> world =
      ShootingWorld::make(game, {.ticks_per_second = options.ticks_per_second}, options.seed);
  if (!world) return world.error();
  if (!(*world)->join()) return core::Error{"not complete", "the client does not get all that it sees"};
  for (std::uint32_t tick = 0; rays < options.rays && tick < 1000 + options.rays; ++tick) {
    (*world)->tick(true);
    const client::CommandLog& log = (*world)->client().commands();
    if (log.size() > 0) (*world)->client().mirror()->set_view_tick(log.at(log.size() - 1).view_tick);
  }
  report.view_us = median(view_us);
  report.ray_us = median(ray_us);
  report.candidates /= static_cast<double>(std::max<std::uint64_t>(rays, 1));
  return core::Done{};
}

void run_recording(const RewindOptions& options, RewindReport& report) {
  constexpr ecs::Tick ticks = 600;
  const auto schema = *reflect::Schema::load(engine::schema_bytes());
  ecs::Registry registry;
  static_cast<void>(reflect::register_components(registry, *schema).value());
  server::Publisher publisher(registry, *schema);
  const core::StringId32 kept[] = {core::StringId32("Transform"), core::StringId32("Parent")};
  publisher.published().keep_past(kept, 10);
  server::PastBounds bounds(publisher.published(), 10);
  std::vector<ecs::Entity> entities(options.entities);
  registry.create(std::span(entities), engine::Transform{.rotation = {.w = 1}});
  double us = 0;
  std::vector<double> some_us;  // sums over some ticks each, since some work is not done in each tick
  for (ecs::Tick tick = 1; tick <= ticks; ++tick) {
    for (const ecs::Entity entity : entities) {
      const float angle = 0.03f * static_cast<float>(tick + 7 * entity.index);
      auto& transform = registry.get<engine::Transform>(entity);
      transform.position.x += 0.15f * std::cos(angle);
      transform.position.z += 0.15f * std::sin(angle);
    }
    const std::span<const std::uint32_t> changed = publisher.publish();
    const Clock::time_point begin = Clock::now();
    bounds.update(changed, registry.tick());
    publisher.published().forget_past(registry.tick());
    us += us_since(begin);
    if (tick % 30 == 0) some_us.push_back(std::exchange(us, 0));
    registry.clear_journal();
    registry.set_tick(registry.tick() + 1);
  }
  report.record_ns = median(some_us) * 1000 / 30 / options.entities;
  report.entity_bytes = server::PastBounds::entity_bytes;
  report.client_entity_bytes = sizeof(server::ShadowMirror::Known) + 8 + sizeof(server::PictureTicks);
}

}  // namespace mobula::bench
