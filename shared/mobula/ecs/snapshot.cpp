// Writes a registry as columns of bytes and parses them: snapshot_layout.hpp.
#include <algorithm>
#include <cstring>
#include <mobula/core/hash.hpp>
#include <mobula/ecs/snapshot.hpp>
#include <mobula/ecs/snapshot_layout.hpp>

namespace mobula::ecs {
namespace {

constexpr std::uint64_t padded(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

// Saving ---------------------------------------------------------------------------------

struct Column {
  const std::byte* items;  // null if the items are the components of `pool`
  std::size_t item_size;
  std::size_t count;
  const Pool* pool = nullptr;

  [[nodiscard]] std::size_t bytes() const { return item_size * count; }
};

template <class T>
Column column(std::span<const T> items) {
  return {reinterpret_cast<const std::byte*>(items.data()), sizeof(T), items.size()};
}

// The small tables at the front, which exist in this form only in a snapshot.
struct SnapshotTables {
  explicit SnapshotTables(const Registry& registry);

  std::vector<const Pool*> pools;
  std::vector<PoolRecord> records;
  std::string names;
  std::vector<std::uint32_t> prototype_sizes;
  std::vector<std::uint32_t> prototype_pools;
};

SnapshotTables::SnapshotTables(const Registry& registry) {
  std::vector<std::uint32_t> numbers(registry.pool_count());
  for (PoolId id = 0; id < registry.pool_count(); ++id) {
    const Pool& pool = registry.pool(id);
    if (!pool.type().schema) continue;
    numbers[id] = static_cast<std::uint32_t>(pools.size());
    pools.push_back(&pool);
    records.push_back({pool.type().id.value, static_cast<std::uint32_t>(pool.type().name.size()),
                       static_cast<std::uint32_t>(pool.instance_name().size()), pool.type().size, pool.size()});
    names += pool.type().name;
    names += pool.instance_name();
  }
  const PrototypeTable& prototypes = registry.prototypes();
  for (PrototypeId prototype = 0; prototype < prototypes.size(); ++prototype) {
    const std::span<const PoolId> chain = prototypes.pools(prototype);
    prototype_sizes.push_back(static_cast<std::uint32_t>(chain.size()));
    for (const PoolId id : chain) prototype_pools.push_back(numbers[id]);
  }
}

class SnapshotWriter {
 public:
  explicit SnapshotWriter(std::byte* at) : at_(at) {}

  void write(const Column& column) {
    for (std::size_t first = 0; first < column.count; first += piece_items)
      write_piece(column, first, std::min(piece_items, column.count - first));
    const std::size_t padding = padded(column.bytes()) - column.bytes();
    std::memset(at_, 0, padding);
    at_ += padding;
  }
  [[nodiscard]] std::uint64_t checksum() const { return checksum_; }

 private:
  // Hashes the source, which brings it into the cache for copying. The other order is slower.
  void write_piece(const Column& column, std::size_t first, std::size_t count) {
    const std::size_t bytes = count * column.item_size;
    if (column.pool != nullptr && !lies_in_one_slab(*column.pool, first, count)) {
      gather_slabs(*column.pool, first, count);
      checksum_ = core::hash64({at_, bytes}, checksum_);
    } else {
      const std::byte* from = column.pool != nullptr ? column.pool->at(static_cast<std::uint32_t>(first))
                                                     : column.items + first * column.item_size;
      checksum_ = core::hash64({from, bytes}, checksum_);
      std::memcpy(at_, from, bytes);
    }
    at_ += bytes;
  }

  static bool lies_in_one_slab(const Pool& pool, std::size_t first, std::size_t count) {
    const auto end = static_cast<std::uint32_t>(first + count);
    return pool.slab_end(static_cast<std::uint32_t>(first), end) == end;
  }

  void gather_slabs(const Pool& pool, std::size_t first, std::size_t count) {
    std::byte* to = at_;
    const auto end = static_cast<std::uint32_t>(first + count);
    for (auto position = static_cast<std::uint32_t>(first); position < end;) {
      const std::uint32_t next = pool.slab_end(position, end);
      std::memcpy(to, pool.at(position), (next - position) * static_cast<std::size_t>(pool.type().size));
      to += (next - position) * static_cast<std::size_t>(pool.type().size);
      position = next;
    }
  }

  std::byte* at_;
  std::uint64_t checksum_ = 0;
};

// Resizes without copying the old content, and without zeroing memory that is in use already.
void make_size(core::Bytes& out, std::size_t length) {
  if (out.capacity() < length) {
    out.clear();
    out.reserve(length + length / 8);
  }
  out.resize(length);
}

// Loading: parsing -------------------------------------------------------------------------

class SnapshotReader {
 public:
  explicit SnapshotReader(core::ByteView bytes) : left_(bytes) {}

  // Returns the next column; null if it is truncated or its padding is not zero.
  const std::byte* read(std::size_t item_size, std::size_t count) {
    const std::uint64_t bytes = std::uint64_t{item_size} * count;  // both below 2^32
    if (!good_ || padded(bytes) > left_.size()) return fail();
    const std::byte* const column = left_.data();
    for (std::size_t first = 0; first < count; first += piece_items)
      checksum_ =
          core::hash64({column + first * item_size, std::min(piece_items, count - first) * item_size}, checksum_);
    const core::ByteView padding = left_.subspan(bytes, padded(bytes) - bytes);
    if (std::any_of(padding.begin(), padding.end(), [](std::byte byte) { return byte != std::byte{0}; })) return fail();
    left_ = left_.subspan(padded(bytes));
    return column;
  }
  template <class T>
  std::span<const T> read(std::size_t count) {
    const std::byte* const column = read(sizeof(T), count);
    return {reinterpret_cast<const T*>(column), column != nullptr ? count : 0};
  }
  [[nodiscard]] bool is_at_end() const { return good_ && left_.empty(); }
  [[nodiscard]] std::uint64_t checksum() const { return checksum_; }

 private:
  const std::byte* fail() {
    good_ = false;
    return nullptr;
  }

  core::ByteView left_;
  std::uint64_t checksum_ = 0;
  bool good_ = true;
};

bool cut_names(std::vector<SavedPool>& pools, std::string_view names) {
  const auto cut = [&](std::size_t bytes) {
    const std::string_view name = names.substr(0, bytes);
    names.remove_prefix(name.size());
    return name;
  };
  for (SavedPool& pool : pools) {
    pool.type_name = cut(pool.record.type_name_bytes);
    pool.instance_name = cut(pool.record.instance_name_bytes);
    if (pool.instance_name.size() != pool.record.instance_name_bytes ||
        pool.type_name.size() != pool.record.type_name_bytes)
      return false;
  }
  return names.empty();
}

bool cut_prototypes(std::vector<SavedPrototype>& prototypes, std::span<const std::uint32_t> sizes,
                    std::span<const std::uint32_t> pools) {
  prototypes.reserve(sizes.size());
  for (const std::uint32_t size : sizes) {
    if (size > pools.size()) return false;
    prototypes.push_back({pools.first(size)});
    pools = pools.subspan(size);
  }
  return pools.empty();
}

}  // namespace

void save_snapshot(const Registry& registry, core::Bytes& out) {
  const SnapshotTables tables(registry);
  std::vector<EntitySlot> room;
  const EntityPoolImage entities = registry.entities().image(room);
  const auto count = [](const auto& items) { return static_cast<std::uint32_t>(items.size()); };
  const SnapshotCounts counts{registry.tick(),
                              count(tables.pools),
                              count(tables.names),
                              count(tables.prototype_sizes),
                              count(tables.prototype_pools),
                              count(entities.slots),
                              count(entities.ranges),
                              count(entities.free_range_lists),
                              entities.recycling,
                              entities.incarnation,
                              entities.reuse_bits,
                              entities.free_head,
                              entities.free_tail,
                              entities.own_first,
                              entities.fresh};
  std::vector<Column> columns{column(std::span(&counts, 1)),
                              column<PoolRecord>(tables.records),
                              column<char>(tables.names),
                              column<std::uint32_t>(tables.prototype_sizes),
                              column<std::uint32_t>(tables.prototype_pools),
                              column(entities.slots),
                              column(entities.ranges),
                              column(entities.free_range_lists)};
  for (const Pool* pool : tables.pools) {
    columns.push_back(column(pool->indices()));
    columns.push_back({nullptr, pool->type().size, pool->size(), pool});
  }

  SnapshotHeader header{snapshot_magic, snapshot_version, sizeof(SnapshotHeader), 0};
  for (const Column& each : columns) header.length += padded(each.bytes());
  make_size(out, header.length);
  SnapshotWriter writer(out.data() + sizeof(SnapshotHeader));
  for (const Column& each : columns) writer.write(each);
  header.checksum = writer.checksum();
  core::store(out.data(), header);
}

core::Result<SavedRegistry> parse_snapshot(core::ByteView bytes) {
  if (bytes.size() < sizeof(SnapshotHeader)) return damaged("it is shorter than a header");
  const auto header = core::load<SnapshotHeader>(bytes.data());
  if (header.magic != snapshot_magic) return damaged("it does not begin with the magic number of a snapshot");
  if (header.version != snapshot_version) return damaged("its version is unknown");
  if (header.length != bytes.size()) return damaged("its length differs from its header");

  SnapshotReader reader(bytes.subspan(sizeof(SnapshotHeader)));
  const std::span<const SnapshotCounts> counted = reader.read<SnapshotCounts>(1);
  if (counted.empty()) return damaged("its counts are truncated");
  const SnapshotCounts& counts = counted[0];
  const std::span<const PoolRecord> records = reader.read<PoolRecord>(counts.pools);
  const std::span<const char> names = reader.read<char>(counts.name_bytes);
  const std::span<const std::uint32_t> prototype_sizes = reader.read<std::uint32_t>(counts.prototypes);
  const std::span<const std::uint32_t> prototype_pools = reader.read<std::uint32_t>(counts.prototype_pools);

  SavedRegistry saved{counts.tick, {}, {}, {}};
  saved.entities = {counts.recycling,
                    counts.incarnation,
                    counts.reuse_bits,
                    counts.free_head,
                    counts.free_tail,
                    counts.own_first,
                    counts.fresh,
                    reader.read<EntitySlot>(counts.slots),
                    reader.read<EntityRangeSlot>(counts.ranges),
                    reader.read<EntityRangeList>(counts.free_range_lists)};
  for (const PoolRecord& record : records) {
    const std::span<const std::uint32_t> indices = reader.read<std::uint32_t>(record.count);
    saved.pools.push_back({record, {}, {}, indices, reader.read(record.component_size, indices.size())});
  }
  if (!reader.is_at_end()) return damaged("its arrays differ from its counts in length");
  if (reader.checksum() != header.checksum) return damaged("its checksum does not match its bytes");
  if (!cut_names(saved.pools, {names.data(), names.size()}))
    return damaged("its names differ from its pool records in length");
  if (!cut_prototypes(saved.prototypes, prototype_sizes, prototype_pools))
    return damaged("its prototypes differ from their sizes in length");
  return saved;
}

}  // namespace mobula::ecs
