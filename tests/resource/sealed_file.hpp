// Resource files with any payload and a matching header, for tests of the checks behind the hashes.
#pragma once

#include <mobula/schema/entity_resource_generated.h>

#include <mobula/core/content_hash.hpp>
#include <mobula/resource/header.hpp>
#include <mobula/resource/resource.hpp>

namespace mobula::test {

struct Payloads {
  core::Bytes clients;
  core::Bytes server;  // empty for a client's copy
};

inline Payloads payloads_of(core::ByteView file) {
  namespace header = resource::header;
  const auto size = core::load<std::uint64_t>(file.data() + header::payload_size_offset);
  const core::ByteView clients = file.subspan(header::size, size);
  const core::ByteView rest = file.subspan(header::size + size);
  const core::ByteView server = rest.empty() ? rest : rest.subspan(header::size);
  return {{clients.begin(), clients.end()}, {server.begin(), server.end()}};
}

inline core::Bytes sealed(core::ByteView payload) {
  namespace header = resource::header;
  core::Bytes part(header::size);
  std::copy(header::magic.begin(), header::magic.end(), reinterpret_cast<char*>(part.data()));
  core::store(part.data() + header::version_offset, resource::format_version);
  core::store(part.data() + header::payload_size_offset, std::uint64_t{payload.size()});
  core::store(part.data() + header::hash_offset, core::content_hash(payload));
  part.insert(part.end(), payload.begin(), payload.end());
  return part;
}

// Makes the server's part complete the clients' part, if it is well formed enough to name that.
inline core::Bytes sealed(Payloads payloads) {
  core::Bytes file = sealed(payloads.clients);
  if (payloads.server.empty()) return file;
  auto* const data = reinterpret_cast<std::uint8_t*>(payloads.server.data());
  flatbuffers::Verifier verifier(data, payloads.server.size(), 16, 10'000);
  if (resource::fbs::VerifyResourceFileBuffer(verifier)) {
    auto* const completes = flatbuffers::GetMutableRoot<resource::fbs::ResourceFile>(data)->completes();
    if (completes != nullptr && completes->size() == sizeof(core::ContentHash))
      std::memcpy(const_cast<std::uint8_t*>(completes->data()), file.data() + resource::header::hash_offset,
                  sizeof(core::ContentHash));
  }
  const core::Bytes server = sealed(payloads.server);
  file.insert(file.end(), server.begin(), server.end());
  return file;
}

}  // namespace mobula::test
