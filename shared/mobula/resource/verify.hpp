// Checks one level or prefab after FlatBuffers' verifier has passed the file: indices in range, parents before
// children, prototypes equal to columns, valid values. Fills the views that the rest of the folder uses.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/resource/resource.hpp>

namespace mobula::resource::fbs {
struct EntityResource;
}

namespace mobula::resource {

/// Checks the clients' part. Views point into the table's memory and the schema. `bytes_left` is the file's remaining
/// memory budget, from which the used bytes are subtracted. Errors: "invalid".
core::Result<EntityResource> verify_clients_part(const fbs::EntityResource& table, const reflect::Schema& schema,
                                                 std::size_t& bytes_left);
/// Checks the server's part and completes the result of the clients' part. Errors: "invalid".
core::Status verify_server_part(const fbs::EntityResource& table, const reflect::Schema& schema,
                                std::size_t& bytes_left, EntityResource& view);

}  // namespace mobula::resource
