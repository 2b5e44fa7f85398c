// The checks by hand of one level or prefab, after FlatBuffers' own verifier has passed the file: every
// index in range, parents before children, prototypes equal to columns, values that their fields may hold.
// Fills the view that the rest of the folder reads.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/resource/resource.hpp>

namespace mobula::resource::fbs {
struct EntityResource;
}

namespace mobula::resource {

// Reason of both: "invalid". Views point into the table's memory and into the schema. `bytes_left`: what the file
// has for this and all that is still to come; what is used is taken off.
core::Result<EntityResource> verify_clients_part(const fbs::EntityResource& table, const reflect::Schema& schema,
                                                 std::size_t& bytes_left);
// Completes what the clients' part has given.
core::Status verify_server_part(const fbs::EntityResource& table, const reflect::Schema& schema,
                                std::size_t& bytes_left, EntityResource& view);

}  // namespace mobula::resource
