// Deferred structural changes: recorded during iteration, executed by apply() in recording order.
//
// create() returns a living entity at once: without components no iteration meets it. Other changes wait, their
// component values in an arena. apply() skips commands whose target is missing: commands for a dead entity, and
// removals of an absent component. Adding a component that is present overwrites its value, marks it as changed and
// emits `update`.
//
// Commands that listeners record during apply() are appended and executed by the same apply(). It fails a check if
// commands still cause commands after rounds_max rounds.
//
// If apply() throws, earlier commands are done and the rest stay queued in order; another apply() continues. A command
// whose listener throws counts as done once its change is made. Listeners of remove and destroy run before the change,
// so such a command stays queued. If a component's constructor throws, nothing is recorded.
//
// Invariant: each value in the arena belongs to one queued command. Owned by the code that runs the systems; must not
// outlive its registry; used by the registry's thread.
#pragma once

#include <memory>
#include <mobula/core/undo.hpp>
#include <mobula/ecs/registry.hpp>
#include <utility>
#include <vector>

namespace mobula::ecs {

/// Arena: pieces are allocated one by one and released all at once. A piece never moves. Memory is kept for reuse, so a
/// steady load allocates nothing.
class ValueArena {
 public:
  static constexpr std::size_t chunk_bytes = 16 * 1024;
  static constexpr std::size_t alignment_max = 64;

  /// Returns uninitialised memory. A value larger than a chunk gets memory of its own. Checks that the alignment is at
  /// most alignment_max.
  void* allocate(std::size_t size, std::size_t alignment);
  /// Releases all pieces and keeps the memory. Calls no destructors.
  void release_all() noexcept;

 private:
  struct Free {
    void operator()(std::byte* bytes) const;
  };
  using Memory = std::unique_ptr<std::byte, Free>;
  struct Large {
    Memory memory;
    std::size_t size;
    bool in_use;
  };

  static Memory new_memory(std::size_t size);
  void* allocate_large(std::size_t size);

  std::vector<Memory> chunks_;
  std::size_t chunk_ = 0;  // allocated from
  std::size_t used_ = 0;   // bytes used of it
  std::vector<Large> large_;
};

/// Queue of deferred structural changes.
class Commands {
 public:
  /// Rounds of commands that one apply() executes at most.
  static constexpr std::uint32_t rounds_max = 256;

  /// Makes an empty queue. The registry must outlive it.
  explicit Commands(Registry& registry) : registry_(&registry) {}
  /// Discards the queued commands, as clear() does.
  ~Commands();
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;

  /// Creates an entity at once. null_entity if the index space is used up; commands for it are skipped.
  Entity create() { return registry_->create(); }

  /// Creates an entity at once and records the adds of its components. null_entity if the index space is used up.
  template <class First, class... Rest>
  Entity create(First first, Rest... rest);

  /// Records an add. The caller may change the returned value until apply() or clear().
  template <class T>
  T& add(Entity entity, T value = T{}) {
    return emplace_in<T>(entity, registry_->pool_of<T>(), std::move(value));
  }
  /// Records an add to a named instance. Fails a check if the pool holds components of another type.
  template <class T>
  T& add(Entity entity, T value, PoolId pool) {
    return emplace_in<T>(entity, pool, std::move(value));
  }
  /// Records an add of a component constructed in place.
  template <class T, class... Arguments>
  T& emplace(Entity entity, Arguments&&... arguments) {
    return emplace_in<T>(entity, registry_->pool_of<T>(), std::forward<Arguments>(arguments)...);
  }
  /// Records an add of a schema component. `value`: type().size bytes; empty for the default value.
  /// Fails a check for a server-only component, and for another size.
  void add_bytes(Entity entity, PoolId pool, core::ByteView value = {});
  /// Records a removal.
  template <class T>
  void remove(Entity entity) {
    remove(entity, registry_->pool_of<T>());
  }
  /// Records a removal by pool. Checks that the registry has the pool.
  void remove(Entity entity, PoolId pool);
  /// Records a destruction.
  void destroy(Entity entity);

  /// Executes the queued commands in order. Fails a check if a listener calls it during an apply().
  void apply();
  /// Discards the queued commands. Entities from create() stay alive. Fails a check during an apply().
  void clear() noexcept;
  /// Returns the number of queued commands.
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

  // Discards the commands from one on.
  void drop_from(std::size_t first) noexcept;
  // Allocates room for a value of the pool and for its command.
  void* make_room(PoolId pool, core::StringId32 type, std::size_t size, std::size_t alignment);
  void make_command_room();
  void drop_value(const Command& command) noexcept;

  // Each advances next_ as soon as its change is made, before listeners run.
  void apply(Command command);
  void apply_remove(Entity entity, const Pool& pool);
  void overwrite(Pool& pool, const Command& command);
  void add(const Pool& pool, const Command& command);

  Registry* registry_;
  ValueArena values_;
  std::vector<Command> commands_;
  std::size_t next_ = 0;  // commands before it are done; 0 outside apply()
  bool applying_ = false;
};

// If an allocation fails, no command is recorded and no entity created.
template <class First, class... Rest>
Entity Commands::create(First first, Rest... rest) {
  const Entity entity = create();
  if (!entity) return entity;
  const std::size_t recorded = commands_.size();
  core::Undo undo([&] {
    drop_from(recorded);
    registry_->destroy(entity);
  });
  add<First>(entity, std::move(first));
  (add<Rest>(entity, std::move(rest)), ...);
  undo.dismiss();
  return entity;
}

}  // namespace mobula::ecs
