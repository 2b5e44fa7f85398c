#include <mobula/wire/entity_hash.hpp>

#include <gtest/gtest.h>

#include <wire/codec_world.hpp>

namespace mobula::wire::entity_hash_test {
namespace {

using test::Words;

constexpr std::uint64_t seed = 1234567;

// Returns a row of arbitrary words, and the same with another word at a place.
struct Rows {
  Words row;
  Words other;
};
Rows rows_with(const RowCodec& codec, std::uint32_t place) {
  Rows rows{Words(codec.words()), {}};
  for (std::uint32_t i = 0; i < codec.words(); ++i) rows.row[i] = 17 * i + 3;
  rows.other = rows.row;
  rows.other[place] ^= 1;
  return rows;
}

std::uint64_t hash(const RowCodec& codec, const Words& row, bool owner) {
  return public_hash(codec, row.data(), seed) + (owner ? owner_hash(codec, row.data(), seed) : 0);
}

TEST(EntityHash, DependsOnAllWordsThatTheClientReceives) {
  for (const std::string_view source : {test::piloted_schema, test::units_schema}) {
    const auto schema = mobula::test::load_schema(source);
    for (const reflect::Component& component : schema->components()) {
      const RowCodec codec(component);
      for (std::uint32_t place = 0; place < codec.words(); ++place) {
        const Rows rows = rows_with(codec, place);
        for (const bool owner : {false, true}) {
          const bool received =
              place < codec.common_words() || (owner ? place >= codec.public_words() : place < codec.public_words());
          EXPECT_EQ(hash(codec, rows.row, owner) != hash(codec, rows.other, owner), received)
              << component.name << ", word " << place << (owner ? ", owner" : ", others");
        }
      }
    }
  }
}

TEST(EntityHash, IsTheSameForTheOwnerIfAllReceiveTheSame) {
  const auto schema = mobula::test::load_schema(test::units_schema);
  const RowCodec codec(*schema->find("Moving"));
  EXPECT_EQ(owner_hash(codec, rows_with(codec, 0).row.data(), seed), 0u);
}

// The definition of docs/protocol.md.
TEST(EntityHash, AddsTwoPartsOfARowForTheOwner) {
  const auto schema = mobula::test::load_schema(test::piloted_schema);
  const RowCodec codec(*schema->find("Piloted"));
  const Words row = rows_with(codec, 0).row;
  const std::uint32_t own = codec.words() - codec.public_words();
  EXPECT_EQ(hash(codec, row, true), core::hash64(core::as_bytes(row.data(), codec.common_words()), seed) +
                                        core::hash64(core::as_bytes(row.data() + codec.public_words(), own), seed + 1));
  EXPECT_EQ(hash(codec, row, false), core::hash64(core::as_bytes(row.data(), codec.public_words()), seed));
}

}  // namespace
}  // namespace mobula::wire::entity_hash_test
