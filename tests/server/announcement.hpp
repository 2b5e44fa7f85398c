// Announcements of the prototypes that a client's view wants, without transport.
#pragma once

#include <mobula/client/mirror/mirror.hpp>
#include <mobula/server/replication/client_view.hpp>
#include <utility>
#include <vector>

namespace mobula::test {

struct Announcement {
  wire::Names names;
  wire::Prototypes prototypes;
  std::vector<std::uint32_t> ids;

  // Returns whether the mirror took all of it.
  [[nodiscard]] bool apply(client::Mirror& mirror) const {
    return mirror.add_names(names).ok() && mirror.add_prototypes(prototypes).ok();
  }
};

// Takes what the view wants. The caller reports the delivery of each id.
inline Announcement take_wanted(server::ClientView& view, const ecs::Registry& registry) {
  Announcement made;
  for (const auto& [prototype, id] : view.prototypes().wanted()) {
    for (const ecs::PoolId pool : registry.prototypes().pools(prototype))
      made.names.texts.push_back(registry.pool(pool).instance_name());
    std::vector<index::ComponentRef> components = index::components(registry, prototype);
    made.prototypes.prototypes.push_back({id, index::prototype_hash(components), components});
    made.ids.push_back(id);
  }
  view.prototypes().clear_wanted();
  return made;
}

}  // namespace mobula::test
