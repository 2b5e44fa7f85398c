#include <algorithm>
#include <mobula/server/replication/client_replication.hpp>

namespace mobula::server {

core::Status ClientReplication::apply_acks() {
  if (!acks) return core::Done{};
  core::Status applied = view->acknowledge(*acks);
  acks.reset();
  return applied;
}

void ClientReplication::reset_connection() {
  differences_expected = 0;
  announcements_.clear();
  named_pools_.clear();
}

void ClientReplication::drop_view() {
  view.reset();
  acks.reset();
}

void ClientReplication::note_delivered(const transport::Session& connection) {
  std::erase_if(announcements_, [&](const Announcement& announcement) {
    if (!connection.reliable_delivered(announcement.message)) return false;
    for (const std::uint32_t id : announcement.prototypes) view->prototypes().delivered(id);
    return true;
  });
}

core::Status ClientReplication::send_new_names(const ecs::Registry& registry, transport::Session& connection) {
  wire::Names names;
  for (const auto& [prototype, id] : view->prototypes().wanted())
    for (const ecs::PoolId pool : registry.prototypes().pools(prototype))
      if (named_pools_.insert(pool).second) names.texts.push_back(registry.pool(pool).instance_name());
  if (names.texts.empty()) return core::Done{};
  const core::Result<transport::ReliableId> sent = connection.send_reliable(wire::encode(names));
  if (!sent) return sent.error();
  return core::Done{};
}

core::Status ClientReplication::announce_prototypes(const ecs::Registry& registry, transport::Session& connection) {
  note_delivered(connection);
  std::span<const AnnouncedPrototypes::Announcement> wanted = view->prototypes().wanted();
  if (wanted.empty()) return core::Done{};
  if (core::Status named = send_new_names(registry, connection); !named) return named;
  for (; !wanted.empty(); wanted = wanted.subspan(std::min(wanted.size(), wire::max_prototypes_per_message))) {
    const auto part = wanted.first(std::min(wanted.size(), wire::max_prototypes_per_message));
    wire::Prototypes message;
    std::vector<std::uint32_t> ids;
    for (const auto& [prototype, id] : part) {
      std::vector<index::ComponentRef> components = index::components(registry, prototype);
      message.prototypes.push_back({id, index::prototype_hash(components), std::move(components)});
      ids.push_back(id);
    }
    const core::Result<transport::ReliableId> sent = connection.send_reliable(wire::encode(message));
    if (!sent) return sent.error();
    announcements_.push_back({*sent, std::move(ids)});
  }
  view->prototypes().clear_wanted();
  return core::Done{};
}

}  // namespace mobula::server
