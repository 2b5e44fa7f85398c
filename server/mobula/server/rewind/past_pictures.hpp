// Pictures that a client drew. ShadowMirror knows the states that it had, and Published the words of their ticks. The
// code that draws them is the client's (wire/picture.hpp).
#pragma once

#include <mobula/hierarchy/chain.hpp>
#include <mobula/server/replication/published.hpp>
#include <mobula/server/replication/shadow_mirror.hpp>
#include <mobula/server/rewind/seen.hpp>
#include <mobula/wire/picture.hpp>
#include <optional>
#include <vector>

namespace mobula::server {

/// Whether a component was drawn.
enum class Drawn : std::uint8_t { yes, no, unknown };

/// Memory that pictures are drawn in. One for all; its contents belong to the last user.
struct PictureWorkspace {
  const void* user = nullptr;
  std::vector<std::uint32_t> earlier;
  std::vector<std::uint32_t> later;
  std::vector<std::uint32_t> newest;
};

class PastPictures {
 public:
  /// All outlive this.
  PastPictures(Published& published, const ShadowMirror& shadow, PictureWorkspace& work)
      : published_(published), shadow_(shadow), work_(work) {}

  /// Returns what the client had of an entity at a moment.
  [[nodiscard]] Seen seen(ecs::Entity entity, double moment);
  /// Writes a component as the client drew it to `component`, which has the size of its type.
  Drawn draw(ecs::Entity entity, ecs::PoolId pool, double moment, std::byte* component);
  /// Returns place and rotation in the world as the client drew them. Nothing if they are not known, or if the entity
  /// had no Transform.
  std::optional<hierarchy::WorldTransform> world(ecs::Entity entity, double moment);

 private:
  class Chain;
  struct State {
    wire::PictureState picture;
    Published::Past past;
  };

  bool open(ecs::Entity entity, double moment);
  bool open_state(ecs::Entity entity, const PictureTicks::State& state, std::vector<std::uint32_t>& words, State& to);
  Drawn draw_open(ecs::PoolId pool, std::byte* component);
  void begin_component(const reflect::Component& type, const wire::RowCodec& codec, std::byte* component);

  Published& published_;
  const ShadowMirror& shadow_;
  PictureWorkspace& work_;
  // The entity and the moment that are open.
  ecs::Entity entity_;
  double moment_ = 0;
  bool known_ = false;
  PictureTicks::Around around_;
  wire::Picture picture_;
};

}  // namespace mobula::server
