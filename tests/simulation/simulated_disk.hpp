// Simulated disk with faults, below the real store: an SQLite VFS on top of the system's. On power loss, unsynced data
// is lost or survives in pieces. A failed sync loses its data for good. The disk may be full or have errors with short
// writes; memory allocations of SQLite may fail.
//
// Files are real, as the store also accesses them directly; names appear and vanish at once and for good. One such
// disk per process at a time, and SQLite must not be used before it. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>

namespace mobula::sim {

class SimulatedDisk {
 public:
  enum class Trouble : std::uint8_t {
    none,
    full,    // no file grows
    errors,  // at random
    memory,  // allocations of SQLite fail at random
  };

  explicit SimulatedDisk(std::uint64_t seed);
  ~SimulatedDisk();
  SimulatedDisk(const SimulatedDisk&) = delete;
  SimulatedDisk& operator=(const SimulatedDisk&) = delete;

  void set_trouble(Trouble trouble);
  // Fails in the middle of the operation after `operations` writes, truncations and syncs; 0 fails at once.
  void lose_power_after(std::uint32_t operations);
  // Replaces the files by what survived.
  void restore_power();
  // Ends the trouble and cancels a pending power loss.
  void repair();

  [[nodiscard]] bool has_power() const;
  // Returns whether there is no trouble and no pending power loss.
  [[nodiscard]] bool is_healthy() const;

 private:
  struct Vfs;
  std::unique_ptr<Vfs> vfs_;
};

}  // namespace mobula::sim
