#include <algorithm>
#include <cstring>
#include <mobula/server/rewind/past_pictures.hpp>

namespace mobula::server {

// Finds the words of a state. False if they are not known.
bool PastPictures::open_state(ecs::Entity entity, const PictureTicks::State& state, std::vector<std::uint32_t>& words,
                              State& to) {
  to.past = published_.past(entity.index, state.tick);
  if (to.past.entity != entity) return false;
  const wire::EntityLayout& layout = published_.codecs().entity(to.past.prototype);
  words.resize(std::max<std::size_t>(words.size(), layout.words));
  if (state.of_level) {
    shadow_.level()->copy().words(entity.index, words.data());
  } else if (!published_.words_of(to.past, state.tick, words.data())) {
    return false;
  }
  to.picture = {&layout, words.data(), state.owner, state.tick};
  return true;
}

// Finds the states of a shown entity around a moment. False if they are not known.
bool PastPictures::open(ecs::Entity entity, double moment) {
  if (entity == entity_ && moment == moment_ && work_.user == this) return known_;
  work_.user = this;
  entity_ = entity;
  moment_ = moment;
  known_ = false;
  around_ = shadow_.around(entity, moment);
  State earlier;
  State later;
  if (!around_.certain) return false;
  if (around_.bare) return known_ = true;
  if (around_.earlier.tick == 0) return false;
  if (!open_state(entity, around_.earlier, work_.earlier, earlier)) return false;
  if (around_.later.tick != 0 && !open_state(entity, around_.later, work_.later, later)) return false;
  picture_ = {earlier.picture, later.picture, moment, shadow_.newest_tick()};
  known_ = true;
  return true;
}

Seen PastPictures::seen(ecs::Entity entity, double moment) {
  switch (shadow_.sight(entity)) {
    case Sight::absent: return Seen::absent;
    case Sight::out_of_view: return Seen::out_of_view;
    case Sight::unknown: return Seen::unknown;
    case Sight::shown: break;
  }
  const ShadowMirror::Known* const known = shadow_.find(entity);
  if (known != nullptr && static_cast<double>(known->first_tick) > moment) return Seen::not_spawned;
  return open(entity, moment) ? Seen::alive : Seen::unknown;
}

Drawn PastPictures::draw(ecs::Entity entity, ecs::PoolId pool, double moment, std::byte* component) {
  const Sight sight = shadow_.sight(entity);
  if (sight != Sight::shown) return sight == Sight::absent ? Drawn::no : Drawn::unknown;
  return open(entity, moment) ? draw_open(pool, component) : Drawn::unknown;
}

// Draws a component of the entity that is open.
Drawn PastPictures::draw_open(ecs::PoolId pool, std::byte* component) {
  const wire::RowCodec* const codec = published_.is_kept_pool(pool) ? published_.codecs().row(pool) : nullptr;
  if (codec == nullptr) return Drawn::no;
  if (around_.bare) return published_.has_marks() ? Drawn::unknown : Drawn::no;
  const wire::EntityLayout::Row* const row = picture_.earlier.layout->find(codec);
  if (row == nullptr) return Drawn::no;
  const reflect::Component& type = *published_.codecs().schema().find(published_.registry().pool(pool).type().id);
  begin_component(type, *codec, component);
  wire::draw_component(picture_, type, *row, component);
  return Drawn::yes;
}

// Writes the values of fields that the earlier state does not have. A mirror draws onto its newest values, in which an
// owner has more.
void PastPictures::begin_component(const reflect::Component& type, const wire::RowCodec& codec, std::byte* component) {
  std::memcpy(component, type.default_value.data(), type.size);
  if (around_.earlier.owner || !around_.newest.owner || codec.words() == codec.public_words()) return;
  State newest;
  if (!open_state(entity_, around_.newest, work_.newest, newest)) return;
  const wire::EntityLayout::Row* const row = newest.picture.layout->find(&codec);
  if (row != nullptr) codec.to_component(newest.picture.words + row->first, true, shadow_.newest_tick(), component);
}

// Links of what the client drew, for hierarchy::compose_chain.
class PastPictures::Chain {
 public:
  explicit Chain(PastPictures& pictures)
      : pictures_(pictures), transforms_(pool("Transform")), parents_(pool("Parent")) {}

  [[nodiscard]] std::optional<hierarchy::Link> link_at(ecs::Entity entity, double tick) const {
    hierarchy::Link link;
    engine::Parent parent;
    if (!draw(entity, transforms_, tick, link.local)) return std::nullopt;
    if (draw(entity, parents_, tick, parent)) link.parent = parent.entity;
    return link;
  }
  // An entity out of view is there; what it looks like is not known.
  [[nodiscard]] bool has(ecs::Entity entity) const { return pictures_.shadow_.sight(entity) != Sight::absent; }
  [[nodiscard]] ecs::Tick next_state(ecs::Entity entity, double tick) const {
    return pictures_.shadow_.find(entity) == nullptr ? 0 : pictures_.shadow_.around(entity, tick).later.tick;
  }
  [[nodiscard]] bool known() const { return known_; }

 private:
  [[nodiscard]] ecs::PoolId pool(std::string_view component) const {
    return pictures_.published_.registry().find_pool(core::StringId32(component), core::StringId32(component));
  }
  template <class Component>
  bool draw(ecs::Entity entity, ecs::PoolId pool, double tick, Component& component) const {
    if (pool == ecs::no_pool) return false;
    const Drawn drawn = pictures_.draw(entity, pool, tick, reinterpret_cast<std::byte*>(&component));
    known_ = known_ && drawn != Drawn::unknown;
    return drawn == Drawn::yes;
  }

  PastPictures& pictures_;
  ecs::PoolId transforms_;
  ecs::PoolId parents_;
  mutable bool known_ = true;
};

std::optional<hierarchy::WorldTransform> PastPictures::world(ecs::Entity entity, double moment) {
  const Chain chain(*this);
  std::optional<hierarchy::WorldTransform> pose = hierarchy::compose_chain(chain, entity, moment);
  return chain.known() ? pose : std::nullopt;
}

}  // namespace mobula::server
