#include <bit>
#include <mobula/core/assert.hpp>
#include <mobula/core/hash.hpp>
#include <mobula/transport/address_table.hpp>

namespace mobula::transport {

static_assert(sizeof(Address) == 20, "addresses are hashed as they lie in memory");

// At most half full: probes stay short.
AddressTable::AddressTable(std::uint32_t entries_max, std::uint64_t seed)
    : seed_(seed), mask_(std::bit_ceil(2 * entries_max) - 1), entries_max_(entries_max), entries_(mask_ + 1) {}

std::uint32_t AddressTable::home(const Address& address) const {
  return static_cast<std::uint32_t>(core::hash64(core::as_bytes(&address, 1), seed_)) & mask_;
}

// Where the address is, or the hole where it would go.
std::uint32_t AddressTable::place(const Address& address) const {
  std::uint32_t at = home(address);
  while (entries_[at].slot != none && !(entries_[at].address == address)) at = (at + 1) & mask_;
  return at;
}

std::uint32_t AddressTable::find(const Address& address) const { return entries_[place(address)].slot; }

void AddressTable::insert(const Address& address, std::uint32_t slot) {
  MOBULA_ASSERT(size_ < entries_max_, "the address table is full");
  Entry& entry = entries_[place(address)];
  MOBULA_ASSERT(entry.slot == none, "the address is already in the table");
  entry = {address, slot};
  ++size_;
}

void AddressTable::erase(const Address& address) {
  std::uint32_t hole = place(address);
  MOBULA_ASSERT(entries_[hole].slot != none, "the address is not in the table");
  --size_;
  // Entries that probed past the hole move back into it, or they would be lost.
  for (std::uint32_t at = (hole + 1) & mask_; entries_[at].slot != none; at = (at + 1) & mask_) {
    const std::uint32_t probed = (at - home(entries_[at].address)) & mask_;
    if (probed >= ((at - hole) & mask_)) {
      entries_[hole] = entries_[at];
      hole = at;
    }
  }
  entries_[hole] = {};
}

}  // namespace mobula::transport
