// Sums by which damage is found: of each row of the file a hash, and all of them added up, in whatever order. So a row
// that changes changes the sum by the difference.
//
// Entities and their components have a sum of their own: two worlds with the same entities have the same, wherever it
// is computed.
#pragma once

#include <mobula/core/hash.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/reflect/schema.hpp>
#include <span>
#include <string_view>

namespace mobula::store {

// What a hash is of: two rows of different tables are never the same row.
enum class RowKind : std::uint64_t { entity = 1, composition, range, player, level, fact, table };

// Field after field.
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

// Of a set of tables, by their ids in any order: 63 bits.
std::int64_t composition_id(std::span<const std::int64_t> tables);

std::uint64_t entity_sum(std::uint32_t index, std::uint32_t generation, std::int64_t composition);

// Of all that a save has of the entities in the registry.
std::uint64_t entities_sum(const ecs::Registry& registry, const reflect::Schema& schema);

}  // namespace mobula::store
