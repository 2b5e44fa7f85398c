// Map of the live feed: positions of entities, sent as differences.
// A frame continues where the last one ended. It visits a limited number of WorldTransforms, only in blocks that
// changed since its last visit, and sends a limited number of entities. So each frame is short, and every difference is
// sent eventually.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mobula/hierarchy/members.hpp>
#include <mobula/hierarchy/world_transform.hpp>
#include <mobula/server/api/query_impl.hpp>
#include <mobula/server/interest/relevance.hpp>

namespace mobula::server::api {
namespace {

using Centimetres = std::int32_t;

constexpr std::uint64_t entities_default = 5000;
constexpr std::uint64_t entities_max = 20'000;
constexpr std::uint32_t positions_visited_max = 32'768;  // per frame
constexpr std::uint32_t sent_max = 2'000;                // entities per frame

Centimetres centimetres(float metres) {
  constexpr float bound = 2e7f;
  return static_cast<Centimetres>(std::lround(100 * std::clamp(std::isfinite(metres) ? metres : 0.0f, -bound, bound)));
}

struct Area {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();

  [[nodiscard]] bool contains(float value) const { return value >= low && value <= high; }
};

struct MapRequest {
  std::string world;
  Area x = {};
  Area z = {};
  std::uint32_t entities_max = 0;
  bool ghosts = true;  // entities of other zones too
};

// State of an entity as sent to the client.
struct Shown {
  std::uint32_t generation = 0;  // 0 if not sent
  ecs::PrototypeId prototype = 0;
  std::uint32_t owner = 0;
  Centimetres x = 0;
  Centimetres y = 0;
  Centimetres z = 0;
  std::uint32_t cuts = 0;  // cut_mark() when it was sent

  bool operator==(const Shown&) const = default;
};

struct MapFrame {
  ecs::Tick tick = 0;
  bool reset = false;
  bool complete = false;
  bool truncated = false;
  std::size_t shown = 0;
  std::vector<std::int64_t> gained;
  std::vector<std::int64_t> moved;
  std::vector<std::uint32_t> cut;  // indices in `moved` of entities that jumped
  std::vector<std::int64_t> lost;
  std::uint32_t entries = 0;
};

std::string frame_text(const MapFrame& frame, const std::string& world) {
  return text_of({{"world", world},
                  {"tick", frame.tick},
                  {"reset", frame.reset},
                  {"complete", frame.complete},
                  {"truncated", frame.truncated},
                  {"shown", frame.shown},
                  {"came", frame.gained},
                  {"moved", frame.moved},
                  {"cut", frame.cut},
                  {"went", frame.lost}});
}

class MapFeed final : public admin::Feed {
 public:
  MapFeed(ApiPtr api, MapRequest request) : api_(std::move(api)), request_(std::move(request)) {}

  Frame next() override {
    const core::Result<Inspection*> world = find_world(*api_, request_.world);
    if (!world) return [error = world.error()]() -> core::Result<std::string> { return error; };
    const auto frame = std::make_shared<MapFrame>();
    read(**world, *frame);
    return [frame, name = (*world)->name()]() -> core::Result<std::string> { return frame_text(*frame, name); };
  }

 private:
  void read(Inspection& world, MapFrame& frame);
  void follow_shown(const ecs::Registry& registry, const ecs::Pool& places, MapFrame& frame);
  void update_entity(Inspection& world, const ecs::Pool& places, std::uint32_t position, MapFrame& frame);
  void send(std::uint32_t index, const Shown& now, MapFrame& frame);
  void drop(std::uint32_t index, MapFrame& frame);
  void note_arrivals(const Server& server);
  [[nodiscard]] bool wanted(const ecs::Registry& registry, ecs::Entity entity) const {
    return request_.ghosts || !registry.entities().is_ghost(entity);
  }

  ApiPtr api_;
  MapRequest request_;
  const void* registry_ = nullptr;    // registry that the other members refer to
  std::vector<Shown> known_;          // by entity index
  std::vector<std::uint32_t> shown_;  // indices that were sent
  std::uint32_t cursor_ = 0;          // position to continue from
  ecs::Tick round_began_ = 0;         // blocks changed since this tick are visited again in the next round
  ecs::Tick changed_since_ = 0;       // blocks with older change ticks are skipped in this round
  std::uint64_t crossed_in_ = 0;      // crossings of the zone at the last frame
  bool full_ = false;                 // an entity did not fit in this round
  bool was_full_ = false;
};

std::uint32_t owner_of(const ecs::Registry& registry, ecs::Entity entity) {
  const auto* relevance = registry.try_get<const Relevance>(entity);
  return relevance == nullptr ? 0 : relevance->owner;
}

// Returns a number that is another one after each cut of an entity's motion, or of the motion of an entity above it.
std::uint32_t cut_mark(Inspection& world, ecs::Entity entity) {
  const ecs::Registry& registry = world.registry();
  const Published& published = world.server().published();
  std::uint32_t mark = 0;
  for (std::uint32_t depth = 0; depth < hierarchy::max_depth && registry.valid(entity); ++depth) {
    for (const ecs::PoolId pool : registry.prototypes().pools(registry.prototype(entity))) {
      const PublishedRow row = published.row(entity, pool);
      if (row.words == nullptr) continue;
      for (const wire::WordRange& cut : row.codec->cuts())
        for (std::uint32_t word = cut.first; word < cut.first + cut.count; ++word)
          mark = mark * 0x9e3779b1u + row.words[word] + pool + 1;
    }
    entity = parent_of(registry, entity);
  }
  return mark;
}

void MapFeed::drop(std::uint32_t index, MapFrame& frame) {
  known_[index] = {};
  frame.lost.push_back(index);
  ++frame.entries;
}

// Entities destroyed or without a position, and entities with other components or
// another owner, which no change tick of their position shows.
void MapFeed::follow_shown(const ecs::Registry& registry, const ecs::Pool& places, MapFrame& frame) {
  std::erase_if(shown_, [&](std::uint32_t index) {
    const ecs::Entity entity{index, known_[index].generation};
    const bool stays = registry.valid(entity) && places.contains(index) && wanted(registry, entity);
    if (!stays) {
      drop(index, frame);
    } else {
      Shown now = known_[index];
      now.prototype = registry.prototype(entity);
      now.owner = owner_of(registry, entity);
      send(index, now, frame);  // does nothing if it is unchanged
    }
    return !stays;
  });
}

void MapFeed::send(std::uint32_t index, const Shown& now, MapFrame& frame) {
  if (index >= known_.size()) known_.resize(index + 1);
  Shown& before = known_[index];
  if (before == now) return;
  ++frame.entries;
  const bool same =
      before.generation == now.generation && before.prototype == now.prototype && before.owner == now.owner;
  if (before.generation == 0) shown_.push_back(index);
  const bool jumped = before.cuts != now.cuts;
  before = now;
  if (same && jumped) frame.cut.push_back(index);
  if (same) return void(frame.moved.insert(frame.moved.end(), {index, now.x, now.y, now.z}));
  frame.gained.insert(frame.gained.end(), {index, now.generation, now.prototype, now.owner, now.x, now.y, now.z});
}

void MapFeed::update_entity(Inspection& world, const ecs::Pool& places, std::uint32_t position, MapFrame& frame) {
  const std::uint32_t index = places.indices()[position];
  const bool is_known = index < known_.size() && known_[index].generation != 0;
  const auto& at = *places.typed_address<hierarchy::WorldTransform>(position);
  const ecs::Entity entity = world.registry().entities().at(index);
  if (!request_.x.contains(at.position.x) || !request_.z.contains(at.position.z) || !wanted(world.registry(), entity)) {
    if (!is_known) return;
    drop(index, frame);
    std::erase(shown_, index);
    return;
  }
  if (!is_known && shown_.size() >= request_.entities_max) {
    full_ = true;
    return;
  }
  Shown now{.generation = entity.generation,
            .prototype = world.registry().prototype(entity),
            .owner = owner_of(world.registry(), entity),
            .x = centimetres(at.position.x),
            .y = centimetres(at.position.y),
            .z = centimetres(at.position.z),
            .cuts = is_known ? known_[index].cuts : 0};
  if (is_known && now == known_[index]) return;
  now.cuts = cut_mark(world, entity);
  send(index, now, frame);
}

// An entity that arrives was a ghost, whose position need not change.
void MapFeed::note_arrivals(const Server& server) {
  const std::optional<ZoneStats>& zone = server.stats().zone;
  const std::uint64_t crossed = zone ? zone->crossings_in : 0;
  if (crossed != crossed_in_ && !request_.ghosts) changed_since_ = 0;
  crossed_in_ = crossed;
}

void MapFeed::read(Inspection& world, MapFrame& frame) {
  ecs::Registry& registry = world.registry();
  if (registry_ != &registry) {
    registry_ = &registry;
    known_.clear();
    shown_.clear();
    cursor_ = 0;
    changed_since_ = 0;
    frame.reset = true;
  }
  const ecs::Pool& places = registry.pool<hierarchy::WorldTransform>();
  follow_shown(registry, places, frame);
  frame.tick = registry.tick() - 1;
  if (cursor_ == 0) {
    note_arrivals(world.server());
    round_began_ = registry.tick();
    full_ = false;
  }
  const std::span<const ecs::Tick> change_ticks = places.change_ticks();
  std::uint32_t visited = 0;
  while (cursor_ < places.size() && visited < positions_visited_max && frame.entries < sent_max) {
    const std::uint32_t block = cursor_ >> ecs::Pool::block_shift;
    const std::uint32_t end = std::min((block + 1) << ecs::Pool::block_shift, places.size());
    if (change_ticks[block] >= changed_since_)
      for (visited += end - cursor_; cursor_ < end; ++cursor_) update_entity(world, places, cursor_, frame);
    cursor_ = end;
  }
  frame.complete = cursor_ >= places.size();
  if (frame.complete) {
    // Entities that did not fit may fit now, so all are visited again.
    changed_since_ = full_ ? 0 : round_began_;
    was_full_ = full_;
    cursor_ = 0;
  }
  // An index that another entity has taken is sent as the new entity, not as a removal.
  std::erase_if(frame.lost,
                [&](std::int64_t index) { return known_[static_cast<std::size_t>(index)].generation != 0; });
  frame.truncated = full_ || was_full_;
  frame.shown = shown_.size();
}

core::Status read_area(const json& request, const char* name, Area& area) {
  const auto found = request.find(name);
  if (found == request.end()) return core::Done{};
  const bool good = found->is_array() && found->size() == 2 && (*found)[0].is_number() && (*found)[1].is_number();
  if (good) area = {(*found)[0].get<float>(), (*found)[1].get<float>()};
  if (!good || !(area.low <= area.high))
    return core::Error{"bad request", core::format("{}: expected [low, high], two numbers", name)};
  return core::Done{};
}

constexpr std::array<std::string_view, 4> members{"x", "z", "entities_max", "ghosts"};

core::Result<std::shared_ptr<admin::Feed>> subscribe(const ApiPtr& api, const json& body) {
  core::Result<std::string> world = world_in(body, members);
  if (!world) return world.error();
  MapRequest request{.world = std::move(*world)};
  if (const core::Status read = read_area(body, "x", request.x); !read) return read.error();
  if (const core::Status read = read_area(body, "z", request.z); !read) return read.error();
  const core::Result<std::uint64_t> count = number_in(body, "entities_max", 1, entities_max, entities_default);
  if (!count) return count.error();
  request.entities_max = static_cast<std::uint32_t>(*count);
  if (const auto ghosts = body.find("ghosts"); ghosts != body.end()) {
    if (!ghosts->is_boolean()) return core::Error{"bad request", "ghosts: expected true or false"};
    request.ghosts = ghosts->get<bool>();
  }
  return std::shared_ptr<admin::Feed>(std::make_shared<MapFeed>(api, std::move(request)));
}

}  // namespace

admin::Topic map_topic(const ApiPtr& api) {
  return {"map", 5, [api](std::string_view body) { return subscribe(api, json::parse(body)); }};
}

}  // namespace mobula::server::api
