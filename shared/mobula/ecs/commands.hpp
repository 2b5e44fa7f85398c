// Structural changes put off while something is walked: recorded now, done by apply() in the order of recording.
//
// create() gives a living entity at once: it has no components yet, so no walk meets it. All else waits, the
// components' values in an arena. What has lost its object by the time it is applied is skipped: any command for an
// entity that is dead by then, the remove of a component that is not there. The add of a component that is there
// overwrites its value: that is a write, stamped, and `update` is signalled.
//
// What listeners record during apply() is done by the same apply(), behind what waits already. Commands that answer
// commands end after rounds_max rounds: then it asserts.
//
// If apply() throws, what was before is done, and what is not done waits on, in its order: apply() may be called
// again and goes on. A command whose listener throws counts as done once the change itself is; a remove or destroy,
// whose listeners come first, does not. If the constructor of a component throws, nothing has been recorded.
//
// Invariant: each value in the arena belongs to one waiting command. Belongs to whoever runs the systems and must not
// outlive its registry; used by the registry's thread.
#pragma once

#include <memory>
#include <mobula/ecs/registry.hpp>
#include <utility>
#include <vector>

namespace mobula::ecs {

// Memory that is handed out piece by piece and taken back all at once. A piece never moves; the memory is kept and
// reused, so that a steady load allocates nothing.
class ValueArena {
 public:
  static constexpr std::size_t chunk_bytes = 16 * 1024;
  static constexpr std::size_t alignment_max = 64;

  // A value larger than a chunk gets memory of its own.
  void* take(std::size_t size, std::size_t alignment);
  void take_back() noexcept;

 private:
  struct Free {
    void operator()(std::byte* bytes) const;
  };
  using Memory = std::unique_ptr<std::byte, Free>;
  struct Large {
    Memory memory;
    std::size_t size;
    bool taken;
  };

  static Memory allocate(std::size_t size);
  void* take_large(std::size_t size);

  std::vector<Memory> chunks_;
  std::size_t chunk_ = 0;  // the one being handed out
  std::size_t used_ = 0;   // of it, in bytes
  std::vector<Large> large_;
};

class Commands {
 public:
  static constexpr std::uint32_t rounds_max = 256;

  explicit Commands(Registry& registry) : registry_(&registry) {}
  ~Commands();
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;

  // null_entity when the index space is used up; commands for it are skipped.
  Entity create() { return registry_->create(); }

  // The value is the caller's to change until apply() or clear().
  template <class T>
  T& add(Entity entity, T value = T{}) {
    return emplace_in<T>(entity, registry_->pool_of<T>(), std::move(value));
  }
  // Named instances: the pool must be of that type.
  template <class T>
  T& add(Entity entity, T value, PoolId pool) {
    return emplace_in<T>(entity, pool, std::move(value));
  }
  // Constructs in place.
  template <class T, class... Arguments>
  T& emplace(Entity entity, Arguments&&... arguments) {
    return emplace_in<T>(entity, registry_->pool_of<T>(), std::forward<Arguments>(arguments)...);
  }
  // Schema components. `value`: type().size bytes, or empty for the default value.
  void add_bytes(Entity entity, PoolId pool, core::ByteView value = {});
  template <class T>
  void remove(Entity entity) {
    remove(entity, registry_->pool_of<T>());
  }
  void remove(Entity entity, PoolId pool);
  void destroy(Entity entity);

  void apply();
  // Forgets what waits. Entities that create() made live on.
  void clear() noexcept;
  // How many commands wait.
  [[nodiscard]] std::size_t size() const { return commands_.size() - next_; }
  [[nodiscard]] bool empty() const { return size() == 0; }

 private:
  enum class Kind : std::uint8_t { add, remove, destroy };
  struct Command {
    Entity entity;
    void* value;  // add: in the arena; null for the default value
    PoolId pool;
    Kind kind;
  };
  class Application;

  template <class T, class... Arguments>
  T& emplace_in(Entity entity, PoolId pool, Arguments&&... arguments) {
    static_assert(alignof(T) <= ValueArena::alignment_max);
    constexpr core::StringId32 type(component_name<T>());
    void* const room = make_room(pool, type, sizeof(T), alignof(T));
    T* const made = construct_component<T>(room, std::forward<Arguments>(arguments)...);
    commands_.push_back({entity, made, pool, Kind::add});
    return *made;
  }

  // For a value of the pool and the command that is to carry it.
  void* make_room(PoolId pool, core::StringId32 type, std::size_t size, std::size_t alignment);
  void make_command_room();
  void drop_value(const Command& command) noexcept;

  // Each steps on as soon as its change is done, before listeners hear of it.
  void apply(Command command);
  void apply_remove(Entity entity, const Pool& pool);
  void overwrite(Pool& pool, const Command& command);
  void add(const Pool& pool, const Command& command);

  Registry* registry_;
  ValueArena values_;
  std::vector<Command> commands_;
  std::size_t next_ = 0;  // those before it are done; 0 outside of apply()
  bool applying_ = false;
};

}  // namespace mobula::ecs
