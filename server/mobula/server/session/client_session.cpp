#include <algorithm>
#include <mobula/server/session/client_session.hpp>
#include <mobula/wire/messages.hpp>

namespace mobula::server {

void ClientSession::disconnect(core::Nanoseconds now) {
  if (state != State::greeting) disconnected_since = now;
  state = State::disconnected;
}

void ClientSession::resume(transport::SessionId id, core::Nanoseconds now) {
  if (state == State::joining || state == State::playing) disconnected_since = now;
  transport_id = id;
  state = State::greeting;
  connected_at = now;
  next_rejoin_tokens = now;  // the connection has used up one of the tokens
  transfer = {};
  differences_expected = 0;
  announcements_.clear();
}

bool ClientSession::resume_replication(bool mirror_kept) {
  named_pools_.clear();
  if (mirror_kept && was_playing) {
    view->prototypes().announce_again();
    return true;
  }
  was_playing = false;
  view.reset();
  acks.reset();
  commands = {};
  return false;
}

core::Status ClientSession::apply_acks() {
  if (!acks) return core::Done{};
  core::Status applied = view->acknowledge(*acks);
  acks.reset();
  return applied;
}

bool ClientSession::rejoin_tokens_due(core::Nanoseconds now) const {
  if (!joined || now < next_rejoin_tokens) return false;
  const bool has_all = state == State::playing && !view->has_pending();
  return has_all || now - connected_at > tokens_wait_max;
}

void ClientSession::note_delivered(const transport::Session& lanes) {
  std::erase_if(announcements_, [&](const Announcement& announcement) {
    if (!lanes.reliable_delivered(announcement.message)) return false;
    for (const std::uint32_t id : announcement.prototypes) view->prototypes().delivered(id);
    return true;
  });
}

core::Status ClientSession::send_new_names(const ecs::Registry& registry, transport::Session& lanes) {
  wire::Names names;
  for (const auto& [prototype, id] : view->prototypes().wanted())
    for (const ecs::PoolId pool : registry.prototypes().pools(prototype))
      if (named_pools_.insert(pool).second) names.texts.push_back(registry.pool(pool).instance_name());
  if (names.texts.empty()) return core::Done{};
  const core::Result<transport::ReliableId> sent = lanes.send_reliable(wire::encode(names));
  if (!sent) return sent.error();
  return core::Done{};
}

core::Status ClientSession::announce_prototypes(const ecs::Registry& registry, transport::Session& lanes) {
  note_delivered(lanes);
  std::span<const AnnouncedPrototypes::Announcement> wanted = view->prototypes().wanted();
  if (wanted.empty()) return core::Done{};
  if (core::Status named = send_new_names(registry, lanes); !named) return named;
  for (; !wanted.empty(); wanted = wanted.subspan(std::min(wanted.size(), wire::max_prototypes_per_message))) {
    const auto part = wanted.first(std::min(wanted.size(), wire::max_prototypes_per_message));
    wire::Prototypes message;
    std::vector<std::uint32_t> ids;
    for (const auto& [prototype, id] : part) {
      std::vector<index::ComponentRef> components = index::components(registry, prototype);
      message.prototypes.push_back({id, index::prototype_hash(components), std::move(components)});
      ids.push_back(id);
    }
    const core::Result<transport::ReliableId> sent = lanes.send_reliable(wire::encode(message));
    if (!sent) return sent.error();
    announcements_.push_back({*sent, std::move(ids)});
  }
  view->prototypes().clear_wanted();
  return core::Done{};
}

}  // namespace mobula::server
