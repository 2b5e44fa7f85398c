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
#include <memory>
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

  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::span<const std::uint32_t> indices() const { return {packed_.data(), size_}; }

  // Position of an entity's component, or `none`.
  [[nodiscard]] std::uint32_t find(std::uint32_t index) const {
    const std::uint32_t page = index >> config_.sparse_page_shift;
    return page < sparse_.size() ? sparse_[page][index & sparse_mask_] : none;
  }
  [[nodiscard]] bool contains(std::uint32_t index) const { return find(index) != none; }

  [[nodiscard]] const std::byte* at(std::uint32_t position) const { return address(position); }
  // Stamps the position's block with the current tick.
  [[nodiscard]] std::byte* at_mutable(std::uint32_t position) {
    stamp(position);
    return address(position);
  }
  void stamp(std::uint32_t position) { stamps_[position >> block_shift] = now_; }
  // Tick stamps of the blocks: block b holds positions 64 b … 64 b + 63.
  [[nodiscard]] std::uint32_t page_positions() const { return data_mask_ + 1; }
  [[nodiscard]] std::span<const Tick> stamps() const { return {stamps_.data(), (size_ + block_mask) >> block_shift}; }

  // Makes room at the end and returns it, uninitialised: the caller constructs there at once.
  // The entity must have no component in this pool.
  std::byte* append(std::uint32_t index) {
    MOBULA_ASSERT(!contains(index), "index " + std::to_string(index) + " already has component " + instance_name_);
    if (size_ == capacity_) add_data_page();
    const std::uint32_t page = index >> config_.sparse_page_shift;
    if (page >= sparse_.size() || sparse_used_[page] == 0) add_sparse_page(page);
    const std::uint32_t position = size_++;
    ++version_;
    packed_[position] = index;
    sparse_[page][index & sparse_mask_] = position;
    ++sparse_used_[page];
    return at_mutable(position);
  }
  // Many at once from `rows`, packed components of a schema type. Entity indices are first + offsets[i].
  void append_rows(std::uint32_t first, std::span<const std::uint32_t> offsets, const std::byte* rows);
  // The entity must have a component here.
  void remove(std::uint32_t index);

  // Grows with every change of which entities are where.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  // For views: a bit for each block of 64 positions of `lead`, set where this pool holds the same entities at the same
  // positions. Kept until one of the pools changes in structure. Valid until then.
  [[nodiscard]] const std::uint64_t* blocks_aligned_with(const Pool& lead);
  void stamp_blocks(std::uint32_t first_block, std::uint32_t end_block) {
    for (std::uint32_t block = first_block; block < end_block; ++block) stamps_[block] = now_;
  }
  // Without a stamp: the caller has seen to it.
  [[nodiscard]] std::byte* address(std::uint32_t position) const {
    return pages_[position >> config_.data_page_shift] +
           static_cast<std::size_t>(position & data_mask_) * element_size_;
  }

  // Asserts the invariant above by walking everything.
  void check() const;

 private:
  static constexpr std::uint32_t block_mask = (1u << block_shift) - 1;

  // What blocks_aligned_with found, and when.
  struct Alignment {
    const Pool* lead;
    std::uint64_t lead_version;
    std::uint64_t own_version;
    std::vector<std::uint64_t> blocks;
  };

  void compare_blocks(const Pool& lead, Alignment& alignment) const;
  void add_data_page();
  void add_sparse_page(std::uint32_t page);
  void clear_sparse(std::uint32_t index);
  void move_into(std::uint32_t position, std::uint32_t from);

  const ComponentType& type_;
  core::StringId32 instance_;
  std::string instance_name_;
  const Tick& now_;
  PoolConfig config_;
  std::uint32_t sparse_mask_;
  std::uint32_t data_mask_;
  std::uint32_t element_size_;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;              // positions there is room for in packed_, pages_ and stamps_
  std::vector<std::uint32_t*> sparse_;      // never null: where nothing is, empty_page_
  std::vector<std::uint32_t> sparse_used_;  // entries of each page
  std::unique_ptr<std::uint32_t[]> empty_page_;
  std::vector<std::uint32_t> packed_;
  std::vector<std::byte*> pages_;
  std::vector<Tick> stamps_;
  std::uint64_t version_ = 1;
  std::vector<Alignment> alignments_;
};

}  // namespace mobula::ecs
