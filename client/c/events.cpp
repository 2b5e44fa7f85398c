#include <c/handles.hpp>
#include <c/written.hpp>

using namespace mobula;
using namespace mobula::c;

namespace {

static_assert(static_cast<int>(client::Presence::in_view) == MOBULA_IN_VIEW);
static_assert(static_cast<int>(client::Presence::removed) == MOBULA_REMOVED);
static_assert(static_cast<int>(client::Presence::unknown) == MOBULA_UNKNOWN);

}  // namespace

mobula_result mobula_client_read_events(mobula_client client, mobula_event* events, uint32_t capacity,
                                        uint32_t* count) {
  return with_client(client, [&](const Client& c) -> mobula_result {
    ArrayOut<mobula_event> out(events, capacity, count);
    if (const mobula_result checked = out.check(); checked != MOBULA_OK) return checked;
    for (const client::ReceivedEvent& event : c.connection->events())
      out.add({to_c(event.about), event.tick, static_cast<std::uint32_t>(event.presence), event.bytes.data(),
               static_cast<std::uint32_t>(event.bytes.size()), 0});
    return out.end();
  });
}
