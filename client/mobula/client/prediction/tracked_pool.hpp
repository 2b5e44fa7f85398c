// One component type of a prediction: its pools in the prediction's registry and in the mirror, and the bytes of it
// that count. Steps write predicted fields. The mirror decides about all other fields, except those that are not sent,
// which only the prediction has.
#pragma once

#include <array>
#include <mobula/client/mirror/mirror.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/wire/row_codec.hpp>
#include <vector>

namespace mobula::client {

class TrackedPool {
 public:
  /// `codec` is null for a component that steps only read.
  TrackedPool(const Mirror& mirror, ecs::Registry& registry, ecs::PoolId own, const wire::RowCodec* codec);

  [[nodiscard]] ecs::Pool& own() const { return *own_; }
  [[nodiscard]] ecs::PoolId mirror_id() const { return mirror_id_; }
  [[nodiscard]] const reflect::Component& type() const { return *type_; }
  /// Returns the codec; null for a component that steps only read.
  [[nodiscard]] const wire::RowCodec* codec() const { return codec_; }
  [[nodiscard]] std::uint32_t row_size() const { return type_->size; }  // bytes

  /// Returns whether a predicted field is sent to the entity's owner alone.
  [[nodiscard]] bool is_owners_alone() const { return owners_alone_; }
  /// Returns the mirror's component of an entity; null if it has none.
  [[nodiscard]] const std::byte* mirrored(ecs::Entity entity) const {
    const std::uint32_t position = mirror_pool_->find(entity.index);
    return position == ecs::Pool::none ? nullptr : mirror_pool_->at(position);
  }
  /// Returns whether a component equals the mirror's, as far as this client predicts it, or only reads it.
  [[nodiscard]] bool is_equal(const std::byte* predicted, const std::byte* mirrored, bool owner) const;
  /// Returns the first of `count` rows that differs from the mirror's, or `count`. The rows are those of the first
  /// positions, whose entities the mirror has.
  [[nodiscard]] std::uint32_t first_difference(const std::byte* rows, std::uint32_t count);
  /// Copies what the server sends from the mirror's component. Other bytes stay.
  void copy_row(const std::byte* mirrored, bool owner, std::byte* component) const;
  /// Notes that the own pool has these entities at its first positions, until the next call.
  void set_members() { members_ = own_->size(), version_ = 0; }
  [[nodiscard]] std::uint32_t members() const { return members_; }

 private:
  using Ranges = std::vector<wire::ByteRange>;

  [[nodiscard]] Ranges ranges_of(bool owner, bool compared) const;
  void find_places();
  static bool equal(const Ranges& ranges, const std::byte* a, const std::byte* b);

  // Where the mirror has the component of a position.
  struct Place {
    const std::byte* component;
    bool owner;
  };

  const Mirror* mirror_;
  ecs::Pool* own_;
  const ecs::Pool* mirror_pool_;
  ecs::PoolId mirror_id_;
  const reflect::Component* type_;
  const wire::RowCodec* codec_;
  std::array<Ranges, 2> compared_;  // by owner
  std::array<Ranges, 2> copied_;    // by owner
  bool owners_alone_;
  bool uniform_;               // compared_ is the same for both, and one range
  std::uint32_t members_ = 0;  // positions of entities that the mirror has
  std::vector<Place> places_;  // by position below members_
  std::uint64_t version_ = 0;  // 1 + that of the mirror's pool when they were found
};

}  // namespace mobula::client
