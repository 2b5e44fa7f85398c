// Writes a draft as the bytes of a resource file (layout: resource.hpp).
#include <mobula/schema/entity_resource_generated.h>

#include <cstring>
#include <mobula/core/content_hash.hpp>
#include <mobula/resource/draft.hpp>
#include <mobula/resource/header.hpp>

namespace mobula::resource {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

Offset<flatbuffers::Vector<std::uint8_t>> aligned_bytes(FlatBufferBuilder& builder, core::ByteView bytes) {
  builder.ForceVectorAlignment(bytes.size(), 1, 16);
  return builder.CreateVector(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

Offset<fbs::EntityResource> write_entities(FlatBufferBuilder& builder, const Draft& draft, Audience audience) {
  std::vector<Offset<fbs::Column>> columns;
  std::vector<fbs::Reference> references;
  for (const auto& [key, column] : draft.columns) {
    for (const Reference& reference : column.references)
      references.emplace_back(static_cast<std::uint32_t>(columns.size()), reference.offset, reference.target);
    const auto entity_index = builder.CreateVector(column.entity_index);
    const auto data = aligned_bytes(builder, column.data);
    columns.push_back(fbs::CreateColumn(builder, key.second.type.value, key.second.instance.value, key.first,
                                        static_cast<std::uint32_t>(column.entity_index.size()), entity_index, data));
  }
  std::vector<Offset<fbs::Prototype>> prototypes;
  for (const std::vector<ComponentKey>& keys : draft.prototypes) {
    std::vector<fbs::ComponentKey> written;
    for (const ComponentKey& key : keys) written.emplace_back(key.type.value, key.instance.value);
    prototypes.push_back(fbs::CreatePrototype(builder, builder.CreateVectorOfStructs(written)));
  }
  // Both parts have the same structure; only the server part has entity names.
  const bool clients = audience == Audience::everyone;
  std::vector<fbs::EntityName> names;
  for (const EntityName& name : draft.names) names.emplace_back(name.name.value, name.number);
  const auto parents = clients ? builder.CreateVector(draft.parent_index) : 0;
  const auto entity_names = clients ? 0 : builder.CreateVectorOfStructs(names);
  const auto attached = clients ? 0 : builder.CreateVector(draft.attached);
  const auto prototype_table = builder.CreateVector(prototypes);
  const auto prototype_of = builder.CreateVector(draft.prototype_of);
  const auto column_table = builder.CreateVector(columns);
  const auto reference_table = builder.CreateVectorOfStructs(references);
  return fbs::CreateEntityResource(builder, draft.num_entities(), parents, prototype_table, prototype_of, column_table,
                                   reference_table, entity_names, attached);
}

// Returns one part of the file with its header.
core::Bytes write_part(const DraftPart& part, Audience audience, core::ByteView schema, core::ByteView completes) {
  FlatBufferBuilder builder(1u << 16);
  const auto schema_bytes = schema.empty() ? 0 : aligned_bytes(builder, schema);
  std::vector<Offset<fbs::Name>> names;
  for (const auto& [id, text] : part.names)
    names.push_back(fbs::CreateName(builder, id.value, builder.CreateString(text)));
  std::vector<Offset<fbs::Static>> statics;
  for (const auto& [id, each] : part.statics)
    statics.push_back(fbs::CreateStatic(builder, id, each.type.value, aligned_bytes(builder, each.data)));
  const auto level = write_entities(builder, part.level, audience);
  std::vector<Offset<fbs::Prefab>> prefabs;
  for (const auto& [name, draft] : part.prefabs) {
    const auto content = write_entities(builder, draft, audience);
    prefabs.push_back(fbs::CreatePrefab(builder, name.value, content));
  }
  const auto name_table = builder.CreateVector(names);
  const auto prefab_table = builder.CreateVector(prefabs);
  const auto static_table = builder.CreateVector(statics);
  const auto identity = completes.empty() ? 0 : aligned_bytes(builder, completes);
  builder.Finish(
      fbs::CreateResourceFile(builder, schema_bytes, name_table, level, prefab_table, static_table, identity));

  const core::ByteView payload = core::as_bytes(builder.GetBufferPointer(), builder.GetSize());
  MOBULA_ASSERT(payload.size() % 16 == 0, "the next part is aligned too");
  core::Bytes bytes(header::size);
  std::memcpy(bytes.data(), header::magic.data(), header::magic.size());
  core::store(bytes.data() + header::version_offset, format_version);
  core::store(bytes.data() + header::payload_size_offset, std::uint64_t{payload.size()});
  core::store(bytes.data() + header::hash_offset, core::content_hash(payload));
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

}  // namespace

core::Bytes write_clients_part(core::ByteView schema, const DraftPart& part) {
  return write_part(part, Audience::everyone, schema, {});
}

core::Bytes write_resource(const DraftFile& file) {
  core::Bytes bytes = write_clients_part(file.schema, file.clients);
  const core::ByteView identity = core::ByteView(bytes).subspan(header::hash_offset, sizeof(core::ContentHash));
  const core::Bytes server = write_part(file.server, Audience::server, {}, identity);
  bytes.insert(bytes.end(), server.begin(), server.end());
  return bytes;
}

}  // namespace mobula::resource
