#include <algorithm>
#include <cstring>
#include <mobula/client/prediction/tracked_pool.hpp>
#include <utility>

namespace mobula::client {
namespace {

// Adds a range behind all others, which it may continue.
void add_range(std::vector<wire::ByteRange>& ranges, std::uint32_t offset, std::uint32_t size) {
  if (!ranges.empty() && ranges.back().offset + ranges.back().size == offset) {
    ranges.back().size += size;
  } else {
    ranges.push_back({offset, size});
  }
}

ecs::PoolId mirror_pool(const Mirror& mirror, const ecs::Pool& own) {
  const ecs::PoolId found = mirror.registry().find_pool(own.type().id, own.instance());
  MOBULA_CHECK(found != ecs::no_pool, "the mirror has no component " + own.instance_name());
  return found;
}

}  // namespace

TrackedPool::TrackedPool(const Mirror& mirror, ecs::Registry& registry, ecs::PoolId own, const wire::RowCodec* codec)
    : mirror_(&mirror),
      own_(&registry.pool(own)),
      mirror_id_(mirror_pool(mirror, *own_)),
      type_(mirror.schema().find(own_->type().id)),
      codec_(codec),
      owners_alone_(std::ranges::any_of(
          type_->fields, [](const reflect::Field& field) { return field.predicted && field.owner_only; })) {
  mirror_pool_ = &mirror.registry().pool(mirror_id_);
  for (const bool owner : {false, true}) {
    compared_[owner ? 1 : 0] = ranges_of(owner, true);
    copied_[owner ? 1 : 0] = ranges_of(owner, false);
  }
  const auto same = [](const wire::ByteRange& a, const wire::ByteRange& b) {
    return a.offset == b.offset && a.size == b.size;
  };
  uniform_ = compared_[1].size() == 1 && std::ranges::equal(compared_[0], compared_[1], same);
}

TrackedPool::Ranges TrackedPool::ranges_of(bool owner, bool compared) const {
  std::vector<wire::ByteRange> all;
  for (const reflect::Field& field : type_->fields) {
    if (field.not_sent || (field.owner_only && !owner)) continue;
    if (compared && codec_ != nullptr && !field.predicted) continue;
    for (std::uint32_t i = 0; i < field.count; ++i) all.push_back({field.offset + i * field.stride, field.size});
  }
  std::ranges::sort(all, {}, &wire::ByteRange::offset);
  Ranges merged;
  for (const wire::ByteRange& each : all) add_range(merged, each.offset, each.size);
  return merged;
}

bool TrackedPool::equal(const Ranges& ranges, const std::byte* a, const std::byte* b) {
  for (const wire::ByteRange& range : ranges)
    if (std::memcmp(a + range.offset, b + range.offset, range.size) != 0) return false;
  return true;
}

bool TrackedPool::is_equal(const std::byte* predicted, const std::byte* mirrored, bool owner) const {
  return equal(compared_[owner ? 1 : 0], predicted, mirrored);
}

// A block of a pool never moves, so places hold until the mirror's pool changes its structure.
void TrackedPool::find_places() {
  const std::uint64_t version = mirror_pool_->version() + 1;
  if (std::exchange(version_, version) == version) return;
  places_.clear();
  for (std::uint32_t position = 0; position < members_; ++position) {
    const ecs::Entity entity = mirror_->registry().entities().at(own_->indices()[position]);
    places_.push_back({entity ? mirrored(entity) : nullptr, mirror_->is_owner(entity)});
  }
}

std::uint32_t TrackedPool::first_difference(const std::byte* rows, std::uint32_t count) {
  MOBULA_ASSERT(count <= members_, "the mirror has these positions");
  find_places();
  const std::size_t row = row_size();
  const wire::ByteRange whole = compared_[0].empty() ? wire::ByteRange{} : compared_[0][0];
  for (std::uint32_t i = 0; i < count; ++i, rows += row) {
    const Place place = places_[i];
    if (place.component == nullptr) return i;
    const bool same = uniform_ ? std::memcmp(rows + whole.offset, place.component + whole.offset, whole.size) == 0
                               : is_equal(rows, place.component, place.owner);
    if (!same) return i;
  }
  return count;
}

void TrackedPool::copy_row(const std::byte* mirrored, bool owner, std::byte* component) const {
  for (const wire::ByteRange& range : copied_[owner ? 1 : 0])
    std::memcpy(component + range.offset, mirrored + range.offset, range.size);
}

}  // namespace mobula::client
