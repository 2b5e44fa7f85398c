// The schema in the packs of crossings. A pack contains the schema of its components, which is most of a small one. The
// cluster has each schema once, under schemas/HASH, and records refer to it. A world of a later schema migrates such a
// pack as any other.
#pragma once

#include <mobula/server/cluster/records.hpp>

namespace mobula::cluster {

/// Cuts the bytes of a schema out of a record's pack. Leaves a pack without them as it is.
void cut_schema(CrossingRecord& record, const std::string& hash, core::ByteView schema);

/// Returns the whole pack of a record, given the bytes of its schema. They are not needed if `record.schema` is empty.
core::Bytes whole_pack(const CrossingRecord& record, core::ByteView schema);

}  // namespace mobula::cluster
