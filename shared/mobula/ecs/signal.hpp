// Signal: listeners connected to one kind of change. They receive the entities concerned as a span: a bulk change is
// one call, not one per entity.
//
// A listener may connect and disconnect listeners, itself included. A disconnected listener is not called any more; a
// new one is called from the next emission on. It may make the change that it is called for, which calls it again, but
// not without end: beyond nested_max a check fails.
#pragma once

#include <cstdint>
#include <mobula/core/owned.hpp>
#include <mobula/ecs/entity.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace mobula::ecs {

/// Listeners of one kind of change.
class Signal {
 public:
  using Connection = std::uint32_t;
  static constexpr std::uint32_t nested_max = 256;  // emissions of one signal within each other

  Signal() = default;
  /// Names the change and its component for messages. Keeps both views.
  explicit Signal(std::string_view change, std::string_view component = {}) : change_(change), component_(component) {}

  /// Connects function(std::span<const Entity>), which is stored in the signal.
  template <class Function>
  Connection connect(Function function) {
    return add(core::Owned<Listener>(new ListenerOf<Function>(std::move(function))));
  }
  /// Disconnects a listener. Does nothing if it is disconnected already.
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
    virtual void on_entities(std::span<const Entity> entities) = 0;
  };
  template <class Function>
  struct ListenerOf final : Listener {
    explicit ListenerOf(Function&& given) : function(std::move(given)) {}
    void on_entities(std::span<const Entity> entities) override { function(entities); }
    Function function;
  };
  struct Slot {
    Connection connection;
    bool connected;
    core::Owned<Listener> listener;  // not in the slot: slots move if a listener connects during a call
  };

  Connection add(core::Owned<Listener> listener);
  void call_all(std::span<const Entity> entities);

  std::string_view change_;
  std::string_view component_;
  std::vector<Slot> slots_;  // in order of connecting
  Connection last_connection_ = 0;
  std::uint32_t emissions_ = 0;  // nested emissions in progress
};

}  // namespace mobula::ecs
