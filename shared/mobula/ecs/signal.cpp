#include <mobula/ecs/misuse.hpp>
#include <mobula/ecs/signal.hpp>

namespace mobula::ecs {

Signal::Connection Signal::add(core::Owned<Listener> listener) {
  slots_.push_back({last_connection_ + 1, true, std::move(listener)});
  return ++last_connection_;
}

void Signal::disconnect(Connection connection) {
  for (Slot& slot : slots_)
    if (slot.connection == connection) slot.connected = false;
  if (emissions_ == 0) std::erase_if(slots_, [](const Slot& slot) { return !slot.connected; });
}

void Signal::call_all(std::span<const Entity> entities) {
  if (emissions_ == nested_max) [[unlikely]]
    misuse::endless_listeners(change_, component_, entities[0]);
  // Also restores the count if a listener throws; the exception reaches the caller.
  struct Emission {
    explicit Emission(Signal& signal) : signal_(signal) { ++signal_.emissions_; }
    ~Emission() {
      if (--signal_.emissions_ == 0) std::erase_if(signal_.slots_, [](const Slot& slot) { return !slot.connected; });
    }
    Signal& signal_;
  } const emission(*this);
  const std::size_t connected_before = slots_.size();
  for (std::size_t i = 0; i < connected_before; ++i)
    if (slots_[i].connected) slots_[i].listener->on_entities(entities);
}

}  // namespace mobula::ecs
