// All components of one (component type, instance name): a sparse set.
//
//   sparse:   pages of positions by entity index, made on need
//   packed:   entity index by position, without gaps
//   data:     pages of components by position; a page never moves
//   stamps:   per block of 64 positions the tick of the last mutable access or move
//
// Removal swaps the last component into the gap. A reference into a pool lives until the
// pool's next structural change.
// Invariant: for each position p < size, sparse[packed[p]] == p; every other sparse entry is `none`.
#pragma once

#include <cstdint>
#include <mobula/core/assert.hpp>
#include <mobula/core/bytes.hpp>
#include <mobula/ecs/component_type.hpp>
#include <span>
#include <vector>

namespace mobula::ecs {

using PoolId = std::uint32_t;
using Tick = std::uint32_t;

struct PoolConfig {
  std::uint32_t sparse_page_shift = 10;  // 2^10 indices, 4 KiB
  std::uint32_t data_page_shift = 9;     // 2^9 components; at least 6: a block lies in one page
};

class Pool {
 public:
  static constexpr std::uint32_t none = ~0u;
  static constexpr std::uint32_t block_shift = 6;

  Pool(const ComponentType& type, core::StringId32 instance, std::string instance_name, const Tick& now,
       PoolConfig config);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  [[nodiscard]] const ComponentType& type() const { return type_; }
  [[nodiscard]] core::StringId32 instance() const { return instance_; }
  [[nodiscard]] const std::string& instance_name() const { return instance_name_; }

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(packed_.size()); }
  [[nodiscard]] std::span<const std::uint32_t> indices() const { return packed_; }

  // Position of an entity's component, or `none`.
  [[nodiscard]] std::uint32_t find(std::uint32_t index) const {
    const std::uint32_t page = index >> config_.sparse_page_shift;
    if (page >= sparse_.size() || sparse_[page].positions == nullptr) return none;
    return sparse_[page].positions[index & sparse_mask_];
  }
  [[nodiscard]] bool contains(std::uint32_t index) const { return find(index) != none; }

  [[nodiscard]] const std::byte* at(std::uint32_t position) const { return address(position); }
  // Stamps the position's block with the current tick.
  [[nodiscard]] std::byte* at_mutable(std::uint32_t position) {
    stamp(position);
    return address(position);
  }
  void stamp(std::uint32_t position) { stamps_[position >> block_shift] = now_; }
  // Tick stamps of the blocks, oldest position first: block b holds positions 64 b … 64 b + 63.
  [[nodiscard]] std::span<const Tick> stamps() const { return stamps_; }

  // Makes room at the end and returns it, uninitialised: the caller constructs there at once.
  // The entity must have no component in this pool.
  std::byte* append(std::uint32_t index);
  // Many at once from `rows`, packed components of a schema type. Entity indices are first + offsets[i].
  void append_rows(std::uint32_t first, std::span<const std::uint32_t> offsets, const std::byte* rows);
  // The entity must have a component here.
  void remove(std::uint32_t index);

  // Asserts the invariant above by walking everything.
  void check() const;

 private:
  struct SparsePage {
    std::uint32_t* positions = nullptr;
    std::uint32_t used = 0;
  };

  [[nodiscard]] std::byte* address(std::uint32_t position) const {
    return pages_[position >> config_.data_page_shift] + static_cast<std::size_t>(position & data_mask_) * type_.size;
  }
  void set_sparse(std::uint32_t index, std::uint32_t position);
  void clear_sparse(std::uint32_t index);
  void reserve(std::uint32_t size);

  const ComponentType& type_;
  core::StringId32 instance_;
  std::string instance_name_;
  const Tick& now_;
  PoolConfig config_;
  std::uint32_t sparse_mask_;
  std::uint32_t data_mask_;
  std::vector<SparsePage> sparse_;
  std::vector<std::uint32_t> packed_;
  std::vector<std::byte*> pages_;
  std::vector<Tick> stamps_;
};

}  // namespace mobula::ecs
