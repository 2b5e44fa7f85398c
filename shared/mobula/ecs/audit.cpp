#include <algorithm>
#include <mobula/core/hash.hpp>
#include <mobula/ecs/audit.hpp>

namespace mobula::ecs {
namespace {

constexpr std::uint32_t block_positions = 1u << Pool::block_shift;

std::uint32_t positions_in(std::uint32_t block, std::uint32_t size) {
  return std::min(block_positions, size - std::min(size, block * block_positions));
}

// Hashes indices and components. A block lies within one slab.
std::uint64_t hash_block(const Pool& pool, std::uint32_t block) {
  const std::uint32_t first = block * block_positions;
  const std::uint32_t count = positions_in(block, pool.size());
  const std::uint64_t hash = core::hash64(core::as_bytes(pool.indices().data() + first, count));
  return core::hash64({pool.at(first), static_cast<std::size_t>(count) * pool.type().size}, hash);
}

}  // namespace

std::vector<UnmarkedBlock> ChangeTickAudit::run() {
  std::vector<UnmarkedBlock> found;
  remembered_.resize(registry_.pool_count());
  for (PoolId id = 0; id < registry_.pool_count(); ++id)
    if (registry_.pool(id).type().schema) audit(registry_.pool(id), remembered_[id], found);
  last_ = registry_.tick();
  return found;
}

void ChangeTickAudit::audit(const Pool& pool, Remembered& before, std::vector<UnmarkedBlock>& found) const {
  const std::span<const Tick> change_ticks = pool.change_ticks();
  const std::size_t known = std::min(before.hashes.size(), change_ticks.size());
  before.hashes.resize(change_ticks.size());
  for (std::uint32_t block = 0; block < change_ticks.size(); ++block) {
    const std::uint64_t hash = hash_block(pool, block);
    const bool shrunk = positions_in(block, pool.size()) < positions_in(block, before.size);
    if (block < known && change_ticks[block] <= last_ && !shrunk && before.hashes[block] != hash)
      found.push_back({pool.id(), block, registry_.entities().at(pool.indices()[block * block_positions])});
    before.hashes[block] = hash;
  }
  before.size = pool.size();
}

std::string to_string(const UnmarkedBlock& block, const Registry& registry) {
  return "block " + std::to_string(block.block) + " of pool " + registry.pool(block.pool).instance_name() +
         ", from entity " + to_string(block.first) + " on, has changed without a change tick";
}

}  // namespace mobula::ecs
