// Who wants to hear of a kind of change is connected to its signal, and is handed the entities
// concerned as a span: bulk work is one call, never one per entity.
//
// A listener may connect and disconnect listeners, itself included: who is disconnected hears nothing more, who is
// connected hears the next emission.
#pragma once

#include <cstdint>
#include <mobula/core/owned.hpp>
#include <mobula/ecs/entity.hpp>
#include <span>
#include <vector>

namespace mobula::ecs {

class Signal {
 public:
  using Connection = std::uint32_t;

  // function(std::span<const Entity>), which lives in the signal.
  template <class Function>
  Connection connect(Function function) {
    return add(core::Owned<Listener>(new ListenerOf<Function>(std::move(function))));
  }
  // Nothing happens if it is disconnected already.
  void disconnect(Connection connection);
  void emit(std::span<const Entity> entities) {
    if (!slots_.empty() && !entities.empty()) call_all(entities);
  }
  [[nodiscard]] bool empty() const { return slots_.empty(); }

 private:
  struct Listener {
    Listener() = default;
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    virtual ~Listener() = default;
    virtual void hear(std::span<const Entity> entities) = 0;
  };
  template <class Function>
  struct ListenerOf final : Listener {
    explicit ListenerOf(Function&& given) : function(std::move(given)) {}
    void hear(std::span<const Entity> entities) override { function(entities); }
    Function function;
  };
  struct Slot {
    Connection connection;
    bool connected;
    core::Owned<Listener> listener;  // not in the slot: slots move when one is connected during a call
  };

  Connection add(core::Owned<Listener> listener);
  void call_all(std::span<const Entity> entities);

  std::vector<Slot> slots_;  // in the order of connecting
  Connection last_connection_ = 0;
  std::uint32_t emissions_ = 0;  // under way, one inside the other
};

}  // namespace mobula::ecs
