// Layout of a snapshot as a hostile writer knows it: makes any bytes well-formed.
#pragma once

#include <algorithm>
#include <mobula/core/hash.hpp>
#include <mobula/ecs/snapshot_layout.hpp>
#include <vector>

namespace mobula::ecs::test {

struct Layout {
  enum Column : std::size_t { counts, records, names, prototype_sizes, prototype_pools, slots, ranges, lists, pools };

  std::vector<std::size_t> offsets;  // columns, then per pool indices and components
  std::size_t end = sizeof(SnapshotHeader);
  std::uint64_t checksum = 0;
  bool fits = true;

  explicit Layout(const core::Bytes& bytes) {
    add(bytes, sizeof(SnapshotCounts), 1);
    if (!fits) return;
    const auto found = core::load<SnapshotCounts>(&bytes[offsets[counts]]);
    add(bytes, sizeof(PoolRecord), found.pools);
    add(bytes, 1, found.name_bytes);
    add(bytes, 4, found.prototypes);
    add(bytes, 4, found.prototype_pools);
    add(bytes, 8, found.slots);
    add(bytes, 20, found.ranges);
    add(bytes, 12, found.free_range_lists);
    for (std::uint32_t i = 0; fits && i < found.pools; ++i) {
      const auto record = core::load<PoolRecord>(&bytes[offsets[records] + i * sizeof(PoolRecord)]);
      add(bytes, 4, record.count);
      add(bytes, record.component_size, record.count);
    }
  }

  void add(const core::Bytes& bytes, std::uint64_t item_size, std::uint64_t count) {
    offsets.push_back(end);
    fits = fits && (item_size * count + 7) / 8 * 8 <= bytes.size() - end;
    if (!fits) return;
    for (std::uint64_t first = 0; first < count; first += 512) {
      const std::uint64_t taken = std::min<std::uint64_t>(512, count - first);
      checksum = core::hash64(core::ByteView(bytes).subspan(end + first * item_size, taken * item_size), checksum);
    }
    end += (item_size * count + 7) / 8 * 8;
  }
};

// Sets the length and checksum, if there is a header.
inline void reseal(core::Bytes& bytes) {
  if (bytes.size() < sizeof(SnapshotHeader)) return;
  auto header = core::load<SnapshotHeader>(bytes.data());
  header.length = bytes.size();
  header.checksum = Layout(bytes).checksum;
  core::store(bytes.data(), header);
}

}  // namespace mobula::ecs::test
