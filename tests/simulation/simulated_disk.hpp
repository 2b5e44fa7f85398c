// A disk on which everything goes wrong that can, under the store as it is: an SQLite VFS over the one of the system.
// What is not synced is lost when the power goes, or survives in pieces; a sync that fails loses for good what it was
// to keep; there may be no room, and errors that leave writes short; and SQLite may be refused memory.
//
// Files are real ones, as the store also looks at them by itself; names appear and vanish at once and for good. The
// process has one such disk at a time, and SQLite is not used before it. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>

namespace mobula::sim {

class SimulatedDisk {
 public:
  enum class Trouble : std::uint8_t {
    none,
    full,    // no file grows
    errors,  // now and then
    memory,  // SQLite gets none, now and then
  };

  explicit SimulatedDisk(std::uint64_t seed);
  ~SimulatedDisk();
  SimulatedDisk(const SimulatedDisk&) = delete;
  SimulatedDisk& operator=(const SimulatedDisk&) = delete;

  void set_trouble(Trouble trouble);
  // In the middle of what comes after so many writes, truncations and syncs; 0: now.
  void lose_power_after(std::uint32_t operations);
  // Files are what survived.
  void restore_power();
  // No trouble, no loss of power to come.
  void mend();

  [[nodiscard]] bool has_power() const;
  // Nothing is wrong, nor will be.
  [[nodiscard]] bool is_well() const;

 private:
  struct Vfs;
  std::unique_ptr<Vfs> vfs_;
};

}  // namespace mobula::sim
