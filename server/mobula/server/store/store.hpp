// Saves a world in an SQLite file. A checkpoint writes all changes since the last one, as of the end of a tick, in one
// transaction. However the process ends, the file holds the world of a checkpoint.
//
//   open ─► incarnation() ─► World::make ─► restore(), or a level is spawned ─► begin() ─► each tick: note()
//                                                                      every N seconds: checkpoint() … finish()
//
// The simulation thread copies the changes; a writer thread writes them. While it is busy no checkpoint begins, and the
// next one covers all changes. A failed write is logged and repeated by retry().
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
  std::string path;  // the SQLite file
  std::shared_ptr<const reflect::Schema> schema;
  /// Limit of the write-ahead log. Above it nothing is saved until the log can be moved into the file, which a program
  /// that keeps reading prevents.
  std::uint64_t log_bytes_max = 64u << 20;
  /// Attempts of finish(), a second apart, before it gives up.
  std::uint32_t finish_tries = 4;
};

/// Progress of a store, for logs, metrics and people.
struct StoreStatus {
  std::uint32_t incarnation = 0;
  ecs::Tick tick = 0;                // tick of the last checkpoint on the disk; 0 before the first of this run
  std::uint64_t unix_time = 0;       // its time
  core::Nanoseconds write_time = 0;  // duration of its write
  std::uint32_t rows = 0;            // rows that it wrote or deleted
  std::uint64_t state = 0;           // checksum of its entities (sums.hpp)
  std::uint64_t checkpoints = 0;     // number written in this run
  std::uint64_t failures = 0;        // failed writes, each of which is repeated
  std::uint64_t file_bytes = 0;
  std::uint64_t log_bytes = 0;
  std::string error;  // why the last write failed; empty if it succeeded
};

/// Checkpoints of one world in one file. All calls belong to the simulation thread.
class Store {
 public:
  static constexpr std::uint32_t starts_max = 4095;  // per world: an incarnation has 12 bits of a generation

  /// Creates the file, or reads and checks all of it. A file that is refused stays unchanged. Errors: "in use", "not
  /// writable", "damaged", "foreign", "newer", "worn out", "busy", "disk full", "file error"; each message names the
  /// remedy.
  static core::Result<std::unique_ptr<Store>> open(StoreConfig config);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Returns the incarnation for the registry's handles. Unique per run, and on the disk before open() returns. If the
  /// store is destroyed before the first note(), the next run reuses it.
  [[nodiscard]] std::uint32_t incarnation() const;
  /// Returns how the last run ended, a sentence. Empty if it ended in good order.
  [[nodiscard]] const std::string& last_end() const;
  /// Notes a line about a failure that ends this run, for last_end() of the next one. Failed checks note themselves.
  void note_failure(std::string_view line);
  [[nodiscard]] bool has_world() const;
  /// Returns the facts of the saved world. Requires has_world(); valid until begin().
  [[nodiscard]] const Facts& saved_facts() const;
  /// Returns the checksum of the saved entities, as StoreStatus::state. Requires has_world().
  [[nodiscard]] std::uint64_t saved_state() const;
  /// Restores the saved entities with their handles into an empty registry, in tick saved_facts().tick + 1.
  /// Returns sentences about what differs from the save, because the schema or another program has changed it. Errors:
  /// "too many entities", "too many pools", "name collision", "damaged snapshot", "damaged".
  core::Result<std::vector<std::string>> restore(ecs::Registry& registry);

  /// Starts the writer thread. The registry, which must outlive the store, becomes the content of the file: the first
  /// checkpoint replaces a saved world that was not restored. Error "no thread" if the system cannot start one.
  core::Status begin(const ecs::Registry& registry);
  /// Records the tick's structural changes. Call it once per tick, when the change log is complete.
  void note();
  /// Returns true if the last checkpoint is written.
  [[nodiscard]] bool ready() const;
  /// Repeats a failed write after one second. Call it once per tick.
  void retry(core::Nanoseconds now);
  /// Waits until the writer thread has written its batch, or has failed to. For tests and simulations.
  void wait_for_writer();
  /// Begins a checkpoint. Call it at the end of a tick, after note(). Does nothing and returns false if not ready().
  bool checkpoint(const Facts& facts);
  /// Writes the last checkpoint, waits for it and closes the file. Only status() may follow. Errors: those of a write,
  /// and "moved" if the file is no longer at its path.
  core::Status finish(const Facts& facts);

  [[nodiscard]] StoreStatus status() const;

 private:
  struct Parts;
  explicit Store(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace mobula::store
