#include <mobula/server/cluster/crossing_schema.hpp>

#include <gtest/gtest.h>

namespace mobula::cluster {
namespace {

core::Bytes bytes(std::string_view text) {
  const core::ByteView view = core::as_bytes(text.data(), text.size());
  return {view.begin(), view.end()};
}

TEST(CrossingSchema, APackIsWholeAgain) {
  const core::Bytes schema = bytes("schema");
  for (const char* const text : {"schema", "schema and", "a schema", "a schema and another schema"}) {
    CrossingRecord record{.pack = bytes(text)};
    cut_schema(record, "hash", schema);
    EXPECT_EQ(record.schema, "hash");
    EXPECT_EQ(record.pack.size(), std::string_view(text).size() - schema.size());
    EXPECT_EQ(whole_pack(record, schema), bytes(text));
    const CrossingRecord once = record;
    cut_schema(record, "other", schema);
    EXPECT_EQ(record, once) << "it is cut once";
  }
}

TEST(CrossingSchema, APackWithoutTheSchemaStays) {
  for (const char* const text : {"", "schem", "another"}) {
    CrossingRecord record{.pack = bytes(text)};
    cut_schema(record, "hash", bytes("schema"));
    EXPECT_EQ(record.schema, "");
    EXPECT_EQ(whole_pack(record, bytes("schema")), bytes(text));
  }
}

// Records of etcd may have any offset.
TEST(CrossingSchema, ACutBeyondThePackIsAtItsEnd) {
  EXPECT_EQ(whole_pack({.pack = bytes("pack"), .schema = "hash", .schema_at = ~0u}, bytes("!")), bytes("pack!"));
}

}  // namespace
}  // namespace mobula::cluster
