// Files of a world whose owner changes: each owner has a file of its own, named after the epoch of its ownership.
//
//   NAME.7.db, NAME.7.db-wal    of the owner with epoch 7, SQLite
//   NAME.8.db                   of the next owner: begins as a copy
//
// So an owner that was paused and writes late changes a file that nobody reads any more. File locks could not do this:
// a paused process keeps its own, and network volumes may ignore them.
#pragma once

#include <cstdint>
#include <mobula/core/result.hpp>
#include <string>
#include <string_view>

namespace mobula::store {

/// The greatest epoch that a file's name may have.
inline constexpr std::uint64_t epoch_max = std::uint64_t{1} << 53;

struct EpochFile {
  std::string path{};
  bool is_new = false;   // this owner has not saved the world yet: the file is a copy, or there is none
  std::string former{};  // that it is a copy of; empty for none
};

/// Returns an owner's file. The newest file of an earlier epoch is copied to it, if there is one and this epoch has
/// none. Empty files count as missing: their owner ended before its first save. Waits up to a second while the earlier
/// file changes. The copy is durable. `world` is a core::is_good_name(), and 1 <= `epoch` <= epoch_max.
/// Errors; no file of this epoch is left behind:
///   "superseded"   a later epoch has a file
///   "busy"         the earlier file still changes
///   "disk full", "not writable", "file error"
core::Result<EpochFile> take_over(const std::string& folder, std::string_view world, std::uint64_t epoch);

/// Returns the greatest epoch of a world's files. 0 if there is none, or the folder cannot be read.
std::uint64_t last_epoch(const std::string& folder, std::string_view world);

/// Removes an owner's files, which hold nothing of its own: its EpochFile is new, and it could not begin. Ignores
/// errors.
void discard(const std::string& folder, std::string_view world, std::uint64_t epoch);

/// Removes the files of epochs before `epoch`, but the newest of them, which is kept as a backup. Copies that were cut
/// short are removed too. Ignores errors.
void remove_former(const std::string& folder, std::string_view world, std::uint64_t epoch);

}  // namespace mobula::store
