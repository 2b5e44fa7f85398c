// Levels in memory: the host gives those that it has kept, and takes those that were received.
#include <c/handles.hpp>
#include <mobula/core/format.hpp>

using namespace mobula;
using namespace mobula::c;

namespace {

static_assert(sizeof(core::ContentHash) == MOBULA_HASH_BYTES);

// Calls function(Client&) for a client that has levels.
template <class Function>
mobula_result with_levels(mobula_client handle, Function&& function) {
  return with_client(handle, [&](Client& client) -> mobula_result {
    if (client.levels == nullptr) return fail(MOBULA_ERROR_WRONG_STATE, "the client was created without MOBULA_LEVELS");
    return function(client);
  });
}

}  // namespace

mobula_result mobula_client_add_level(mobula_client client, const void* bytes, uint64_t size) {
  return with_levels(client, [&](Client& c) -> mobula_result {
    if (bytes == nullptr) return refuse_null("the level");
    if (size > client::resource_bytes_max)
      return fail(MOBULA_ERROR_TOO_LARGE,
                  core::format("the level has {} bytes; at most {} are allowed", size, client::resource_bytes_max));
    const core::Status added = c.levels->add({static_cast<const std::byte*>(bytes), static_cast<std::size_t>(size)});
    return added ? MOBULA_OK : fail(MOBULA_ERROR_BAD_LEVEL, added.error());
  });
}

mobula_result mobula_client_next_level(mobula_client client, uint8_t hash[MOBULA_HASH_BYTES], const void** bytes,
                                       uint64_t* size) {
  return with_levels(client, [&](Client& c) -> mobula_result {
    if (hash == nullptr) return refuse_null("the hash");
    if (bytes == nullptr) return refuse_null("the bytes");
    if (size == nullptr) return refuse_null("the size");
    c.received_level = c.levels->next_received();
    if (c.received_level == nullptr) return MOBULA_NOTHING;
    const core::ContentHash identity = c.received_level->identity();
    std::memcpy(hash, &identity, MOBULA_HASH_BYTES);
    *bytes = c.received_level->bytes().data();
    *size = c.received_level->bytes().size();
    return MOBULA_OK;
  });
}
