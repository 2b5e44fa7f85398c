#include <c/handles.hpp>
#include <c/written.hpp>

using namespace mobula;
using namespace mobula::c;

namespace {

static_assert(static_cast<int>(client::ChangeKind::spawned) == MOBULA_SPAWNED);
static_assert(static_cast<int>(client::ChangeKind::composed) == MOBULA_COMPOSED);
static_assert(static_cast<int>(client::ChangeKind::changed) == MOBULA_CHANGED);
static_assert(static_cast<int>(client::ChangeKind::lost) == MOBULA_LOST);
static_assert(static_cast<int>(client::ChangeKind::destroyed) == MOBULA_DESTROYED);
static_assert(ecs::no_pool == MOBULA_NO_COMPONENT);

}  // namespace

mobula_result mobula_client_read_changes(mobula_client client, mobula_change* changes, uint32_t capacity,
                                         uint32_t* count) {
  return with_client(client, [&](const Client& c) -> mobula_result {
    ArrayOut<mobula_change> out(changes, capacity, count);
    if (const mobula_result checked = out.check(); checked != MOBULA_OK) return checked;
    const client::Mirror* const mirror = c.connection->mirror();
    if (mirror == nullptr) return out.end();
    for (const client::Change& change : mirror->changes())
      out.add({to_c(change.entity), static_cast<std::uint32_t>(change.kind), change.pool});
    return out.end();
  });
}
