#include <algorithm>
#include <mobula/ecs/commands.hpp>
#include <new>

namespace mobula::ecs {
// Values ---------------------------------------------------------------------------------

ValueArena::Memory ValueArena::new_memory(std::size_t size) {
  return Memory(static_cast<std::byte*>(::operator new(size, std::align_val_t{alignment_max})));
}

void ValueArena::Free::operator()(std::byte* bytes) const { ::operator delete(bytes, std::align_val_t{alignment_max}); }

void* ValueArena::allocate(std::size_t size, std::size_t alignment) {
  MOBULA_CHECK(alignment <= alignment_max, "values are aligned to at most 64 bytes");
  if (size > chunk_bytes) return allocate_large(size);
  used_ = (used_ + alignment - 1) & ~(alignment - 1);
  if (used_ + size > chunk_bytes) {
    ++chunk_;
    used_ = 0;
  }
  if (chunk_ == chunks_.size()) chunks_.push_back(new_memory(chunk_bytes));
  void* const result = chunks_[chunk_].get() + used_;
  used_ += size;
  return result;
}

// Picks the best fit, so that a repeated set of sizes finds its memory whatever the order.
void* ValueArena::allocate_large(std::size_t size) {
  Large* best = nullptr;
  for (Large& large : large_)
    if (!large.in_use && large.size >= size && (best == nullptr || large.size < best->size)) best = &large;
  if (best == nullptr) best = &large_.emplace_back(Large{new_memory(size), size, false});
  best->in_use = true;
  return best->memory.get();
}

void ValueArena::release_all() noexcept {
  chunk_ = 0;
  used_ = 0;
  for (Large& large : large_) large.in_use = false;
}

// Recording ------------------------------------------------------------------------------

Commands::~Commands() { clear(); }

void* Commands::make_room(PoolId pool, core::StringId32 type, std::size_t size, std::size_t alignment) {
  MOBULA_CHECK(registry_->pool(pool).type().id == type,
               "pool " + registry_->pool(pool).instance_name() + " holds components of another type");
  make_command_room();
  return values_.allocate(size, alignment);
}

void Commands::make_command_room() {
  if (commands_.size() == commands_.capacity()) commands_.reserve(std::max<std::size_t>(64, 2 * commands_.size()));
}

void Commands::add_bytes(Entity entity, PoolId pool, core::ByteView value) {
  const ComponentType& type = registry_->pool(pool).type();
  MOBULA_CHECK(type.schema, "component " + type.name + " is server-only: it has no byte form");
  MOBULA_CHECK(value.empty() || value.size() == type.size, "a value of " + type.name + " has its size");
  void* room = nullptr;
  if (!value.empty()) {
    room = make_room(pool, type.id, type.size, type.alignment);
    std::memcpy(room, value.data(), value.size());
  }
  commands_.push_back({entity, room, pool, Kind::add});
}

void Commands::remove(Entity entity, PoolId pool) {
  MOBULA_CHECK(pool < registry_->pool_count(), "a command names a pool of the registry");
  commands_.push_back({entity, nullptr, pool, Kind::remove});
}

void Commands::destroy(Entity entity) { commands_.push_back({entity, nullptr, Registry::no_pool, Kind::destroy}); }

void Commands::drop_value(const Command& command) noexcept {
  if (command.value == nullptr) return;
  const ComponentType& type = registry_->pool(command.pool).type();
  if (type.destroy != nullptr) type.destroy(command.value);
}

void Commands::clear() noexcept {
  MOBULA_CHECK(!applying_, "commands are cleared while they are applied");
  drop_from(0);
  values_.release_all();
}

void Commands::drop_from(std::size_t first) noexcept {
  for (std::size_t i = first; i < commands_.size(); ++i) drop_value(commands_[i]);
  commands_.erase(commands_.begin() + static_cast<std::ptrdiff_t>(first), commands_.end());
}

// Applying -------------------------------------------------------------------------------

// Scope of one apply(). On exit, also by an exception, it erases the commands that are done.
class Commands::Application {
 public:
  explicit Application(Commands& commands) : commands_(commands) { commands_.applying_ = true; }
  ~Application() {
    std::vector<Command>& all = commands_.commands_;
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(commands_.next_));
    commands_.next_ = 0;
    commands_.applying_ = false;
    if (all.empty()) commands_.values_.release_all();
  }
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

 private:
  Commands& commands_;
};

void Commands::apply() {
  MOBULA_CHECK(!applying_, "a listener applies commands during apply(): it may only record them");
  const Application application(*this);
  std::size_t round_end = commands_.size();
  [[maybe_unused]] std::uint32_t rounds = 1;
  while (next_ < commands_.size()) {
    if (next_ == round_end) {
      round_end = commands_.size();
      ++rounds;
      MOBULA_CHECK(rounds <= rounds_max, "listeners keep recording commands in response to commands, without end");
    }
    apply(commands_[next_]);
  }
}

// Takes the command by value: listeners record, which may move the queue.
void Commands::apply(Command command) {
  if (!registry_->valid(command.entity)) {
    drop_value(command);
    ++next_;
    return;
  }
  if (command.kind == Kind::destroy) {
    registry_->destroy(command.entity);
    ++next_;
    return;
  }
  Pool& pool = registry_->pool(command.pool);
  if (command.kind == Kind::remove) return apply_remove(command.entity, pool);
  if (pool.contains(command.entity.index)) return overwrite(pool, command);
  add(pool, command);
}

void Commands::apply_remove(Entity entity, const Pool& pool) {
  if (pool.contains(entity.index)) registry_->remove(entity, pool.id());
  ++next_;
}

void Commands::overwrite(Pool& pool, const Command& command) {
  const ComponentType& type = pool.type();
  const std::uint32_t position = pool.find(command.entity.index);
  ++next_;
  if (command.value != nullptr) {
    pool.replace(position, static_cast<std::byte*>(command.value));
  } else {
    std::memcpy(pool.at_mutable(position), type.default_value.data(), type.size);
  }
  const bool stays = registry_->valid(command.entity) && pool.contains(command.entity.index);  // else by a destructor
  if (stays && pool.watch() != nullptr) pool.watch()->signals.update.emit({&command.entity, 1});
}

void Commands::add(const Pool& pool, const Command& command) {
  registry_->make_room(command.entity, pool.id());
  ++next_;  // from here on only listeners can throw
  if (!pool.is_schema()) return registry_->add_moved(command.entity, pool.id(), command.value);
  const auto* bytes = static_cast<const std::byte*>(command.value);
  registry_->add_bytes(command.entity, pool.id(), {bytes, bytes == nullptr ? 0 : pool.type().size});
}

}  // namespace mobula::ecs
