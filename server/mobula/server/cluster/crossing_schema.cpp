#include <algorithm>
#include <mobula/server/cluster/crossing_schema.hpp>

namespace mobula::cluster {

void cut_schema(CrossingRecord& record, const std::string& hash, core::ByteView schema) {
  const auto cut = std::ranges::search(record.pack, schema);
  if (cut.empty() || !record.schema.empty()) return;
  record.schema = hash;
  record.schema_at = static_cast<std::uint32_t>(cut.begin() - record.pack.begin());
  record.pack.erase(cut.begin(), cut.end());
}

core::Bytes whole_pack(const CrossingRecord& record, core::ByteView schema) {
  core::Bytes pack = record.pack;
  if (record.schema.empty()) return pack;
  const auto at = pack.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(record.schema_at, pack.size()));
  pack.insert(at, schema.begin(), schema.end());
  return pack;
}

}  // namespace mobula::cluster
