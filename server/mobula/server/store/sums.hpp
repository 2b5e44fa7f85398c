// Checksums that reveal damage: each row of the file has a hash, and a checksum adds them up, independent of their
// order. A changed row changes the checksum by the difference of its hashes.
//
// Entities and their components have a checksum of their own. Worlds with equal entities have equal checksums.
#pragma once

#include <mobula/core/hash.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/reflect/schema.hpp>
#include <span>
#include <string_view>

namespace mobula::store {

/// Table of a hashed row: rows of different tables have different hashes.
enum class RowKind : std::uint64_t { entity = 1, composition, range, player, level, fact, table };

/// Hash of a row, built field by field.
class RowSum {
 public:
  explicit RowSum(RowKind kind) : hash_(static_cast<std::uint64_t>(kind)) {}

  RowSum& add(std::uint64_t number) {
    hash_ = core::hash64(core::as_bytes(&number, 1), hash_);
    return *this;
  }
  RowSum& add(core::ByteView bytes) {
    add(bytes.size());
    hash_ = core::hash64(bytes, hash_);
    return *this;
  }
  RowSum& add(std::string_view text) { return add(core::as_bytes(text.data(), text.size())); }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_;
};

inline std::uint64_t schema_sum(core::ByteView bfbs) { return RowSum(RowKind::fact).add(bfbs).value(); }

/// Returns the id of a composition: a hash of its tables' ids in any order, 63 bits.
std::int64_t composition_id(std::span<const std::int64_t> tables);

/// Instead of a composition: another world has the entity.
inline constexpr std::int64_t elsewhere = -1;

std::uint64_t entity_sum(std::uint32_t index, std::uint32_t generation, std::int64_t composition);

/// Returns the checksum of all saved entities and components of a registry.
std::uint64_t entities_sum(const ecs::Registry& registry, const reflect::Schema& schema);

}  // namespace mobula::store
