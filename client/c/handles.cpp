#include <atomic>
#include <c/handles.hpp>
#include <c/process.hpp>
#include <mobula/core/format.hpp>
#include <utility>

namespace mobula::c {
namespace {

enum class SlotState : std::uint32_t { free, idle, busy };

constexpr std::uint64_t word(std::uint32_t generation, SlotState state) {
  return std::uint64_t{generation} << 32 | static_cast<std::uint32_t>(state);
}
constexpr std::uint32_t generation_of(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

// A free slot has the generation of its last client. After the last generation it is never used again.
struct Slot {
  std::atomic<std::uint64_t> word{0};
  std::atomic<std::uint32_t> process{0};  // that has created the client
  Client* client = nullptr;
};
Slot slots[MOBULA_CLIENTS_MAX];
std::atomic<std::uint32_t> next_slot{0};

// Changes a free slot to the next generation, busy.
bool take(Slot& slot) {
  std::uint64_t seen = slot.word.load(std::memory_order_relaxed);
  const std::uint32_t generation = generation_of(seen);
  if (seen != word(generation, SlotState::free) || generation == ~0u) return false;
  return slot.word.compare_exchange_strong(seen, word(generation + 1, SlotState::busy), std::memory_order_acquire);
}

mobula_result invalid(mobula_client handle) {
  return fail(MOBULA_ERROR_INVALID_CLIENT, core::format("there is no client {}.{}: it was destroyed, or never created",
                                                        handle.index, handle.generation));
}

// Returns whether the client is of the process that has forked this one.
bool is_copy(mobula_client handle) {
  if (handle.index >= MOBULA_CLIENTS_MAX || handle.generation == 0) return false;
  const Slot& slot = slots[handle.index];
  const std::uint64_t seen = slot.word.load(std::memory_order_acquire);
  return generation_of(seen) == handle.generation && seen != word(handle.generation, SlotState::free) &&
         slot.process.load(std::memory_order_relaxed) != process_number();
}

// Changes an idle slot of this generation to busy.
mobula_result enter(mobula_client handle) {
  if (handle.index >= MOBULA_CLIENTS_MAX || handle.generation == 0) return invalid(handle);
  std::uint64_t seen = word(handle.generation, SlotState::idle);
  if (slots[handle.index].word.compare_exchange_strong(seen, word(handle.generation, SlotState::busy),
                                                       std::memory_order_acquire))
    return MOBULA_OK;
  if (seen != word(handle.generation, SlotState::busy)) return invalid(handle);
  MOBULA_ASSERT(false, "two threads use one Mobula client at the same time");
  return fail(MOBULA_ERROR_BUSY, "another thread is in a call for this client");
}

// Does the same, unless the client is of the process that has forked this one.
mobula_result enter_own(mobula_client handle) {
  if (is_copy(handle)) {
    return fail(MOBULA_ERROR_WRONG_STATE,
                "the client belongs to the process that has forked this one; create another, or destroy the copy");
  }
  return enter(handle);
}

void leave(mobula_client handle, SlotState state) {
  slots[handle.index].word.store(word(handle.generation, state), std::memory_order_release);
}

}  // namespace

mobula_client add_client(std::unique_ptr<Client> client) {
  for (std::uint32_t tried = 0; tried < MOBULA_CLIENTS_MAX; ++tried) {
    const std::uint32_t index = next_slot.fetch_add(1, std::memory_order_relaxed) % MOBULA_CLIENTS_MAX;
    Slot& slot = slots[index];
    if (!take(slot)) continue;
    const mobula_client handle{index, generation_of(slot.word.load(std::memory_order_relaxed))};
    slot.client = client.release();
    slot.process.store(process_number(), std::memory_order_relaxed);
    leave(handle, SlotState::idle);
    return handle;
  }
  return {0, 0};
}

Removed remove_client(mobula_client handle) {
  const bool copy = is_copy(handle);
  if (copy && slots[handle.index].word.load(std::memory_order_relaxed) == word(handle.generation, SlotState::busy)) {
    // The call of another thread ended with the fork. Its half-changed memory cannot be freed.
    leave(handle, SlotState::free);
    return {nullptr, MOBULA_OK, copy};
  }
  const mobula_result entered = enter(handle);
  if (entered != MOBULA_OK) return {nullptr, entered, copy};
  std::unique_ptr<Client> client(std::exchange(slots[handle.index].client, nullptr));
  leave(handle, SlotState::free);
  return {std::move(client), MOBULA_OK, copy};
}

Visit::Visit(mobula_client handle) : handle_(handle), result_(enter_own(handle)) {
  if (result_ == MOBULA_OK) client_ = slots[handle.index].client;
}

Visit::~Visit() {
  if (client_ != nullptr) leave(handle_, SlotState::idle);
}

}  // namespace mobula::c
