// Keeps a world in an SQLite file: every so often what has changed since the last time, cut at the end of a tick, in
// one transaction. Whatever ends the process, the file has the world as it was at one of these moments.
//
//   open ─► incarnation() ─► World::make ─► restore(), or a level is spawned ─► begin() ─► each tick: note()
//                                                                      every N seconds: checkpoint() … finish()
//
// Called by the simulation thread, which copies what has changed and goes on; one thread writes. While it is busy no
// other checkpoint begins: the next one has it all. What cannot be written is told, and tried again when retry() says
// so. The registry outlives it.
#pragma once

#include <memory>
#include <mobula/core/clock.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/server/store/facts.hpp>
#include <span>
#include <string>

namespace mobula::store {

struct StoreConfig {
  std::string path;
  std::shared_ptr<const reflect::Schema> schema;
  // Of the write-ahead log. Beyond it, while somebody's long reading keeps it from being moved into the file, nothing
  // is saved.
  std::uint64_t log_bytes_max = 64u << 20;
  // How often finish() tries what cannot be written, a second apart, before it gives up.
  std::uint32_t finish_tries = 4;
};

// As of now. For logs, metrics and people.
struct StoreStatus {
  std::uint32_t incarnation = 0;
  ecs::Tick tick = 0;                // of the last checkpoint that is on the disk; 0: none of this run
  std::uint64_t unix_time = 0;       // of it
  core::Nanoseconds write_time = 0;  // that it took the writer
  std::uint32_t rows = 0;            // that it wrote or deleted
  std::uint64_t state = 0;           // sum of its entities (sums.hpp)
  std::uint64_t checkpoints = 0;     // written
  std::uint64_t failures = 0;        // to write: each is tried again
  std::uint64_t file_bytes = 0;
  std::uint64_t log_bytes = 0;
  std::string error;  // why nothing can be written just now; empty: all is well
};

class Store {
 public:
  static constexpr std::uint32_t starts_max = 4095;  // of one world: incarnations have 12 bits of a generation

  // Makes the file if there is none; else reads all of it, and what is damaged is refused and left as it is. Reasons:
  // "in use", "not writable", "damaged", "foreign", "newer", "worn out", "busy", "disk full", "file error"; the
  // messages say what to do.
  static core::Result<std::unique_ptr<Store>> open(StoreConfig config);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Of the registry's entities: never the same for two runs, and on the disk before anybody hears of it. A run whose
  // store goes before the first note() has not had it.
  [[nodiscard]] std::uint32_t incarnation() const;
  [[nodiscard]] bool has_world() const;
  // Of a world that is there; until begin().
  [[nodiscard]] const Facts& saved_facts() const;
  // The sum of its entities, as StoreStatus::state.
  [[nodiscard]] std::uint64_t saved_state() const;
  // The entities of a world that is there, with the very handles that they had, into a registry without any, in tick
  // saved_facts().tick + 1. Gives what is not as it was saved, as the schema has moved on or another program has
  // changed tables, in sentences. Reasons: "too many entities", "too many pools", "name collision", "damaged snapshot",
  // "damaged".
  core::Result<std::vector<std::string>> restore(ecs::Registry& registry);

  // From here on. What is in the registry is what the file shall have: of a saved world that was not restored nothing
  // is left. Reason: "no thread", where the system has none to give.
  core::Status begin(const ecs::Registry& registry);
  // Once per tick, when all its changes are in the journal.
  void note();
  // Whether the checkpoint before is done.
  [[nodiscard]] bool ready() const;
  // Once per tick: what could not be written is tried again, a second after.
  void retry(core::Nanoseconds now);
  // Until the writer has begun, and written what it has, or failed to. For tests and simulations.
  void wait_for_writer();
  // At the end of a tick, after note(). False if it is not ready: then nothing happens.
  bool checkpoint(const Facts& facts);
  // The last checkpoint, waited for; then the file is closed, and all that is left is status(). Reasons: those of
  // writing; "moved", where the file is not at its path any more.
  core::Status finish(const Facts& facts);

  [[nodiscard]] StoreStatus status() const;

 private:
  struct Parts;
  explicit Store(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace mobula::store
