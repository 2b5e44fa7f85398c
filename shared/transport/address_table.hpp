// Which slot belongs to an address: a hash table of fixed size with linear probing.
// Hashed with a secret seed, so that nobody can choose addresses that all land in one place.
// Invariant: between an entry's home place and its place there is no hole.
#pragma once

#include <mobula/transport/address.hpp>
#include <vector>

namespace mobula::transport {

class AddressTable {
 public:
  static constexpr std::uint32_t none = ~0u;

  // Never more than `entries_max` at a time.
  AddressTable(std::uint32_t entries_max, std::uint64_t seed);

  [[nodiscard]] std::uint32_t find(const Address& address) const;
  // The address must not be there.
  void insert(const Address& address, std::uint32_t slot);
  // The address must be there.
  void erase(const Address& address);
  [[nodiscard]] std::uint32_t size() const { return size_; }

 private:
  struct Entry {
    Address address;
    std::uint32_t slot = none;
  };
  [[nodiscard]] std::uint32_t home(const Address& address) const;
  [[nodiscard]] std::uint32_t place(const Address& address) const;

  std::uint64_t seed_;
  std::uint32_t mask_;
  [[maybe_unused]] std::uint32_t entries_max_;  // asserted alone
  std::uint32_t size_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace mobula::transport
