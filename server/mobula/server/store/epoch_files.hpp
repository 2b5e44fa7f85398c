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

/// Returns the path of a world's file for an epoch. The newest file of an earlier epoch is copied to it, if there is
/// one and this epoch has none. Waits up to a second while that file changes. `world` is a core::is_good_name().
/// Errors:
///   "superseded"   a later epoch has a file
///   "busy"         the earlier file still changes
///   "disk full", "not writable", "file error"
core::Result<std::string> take_over(const std::string& folder, std::string_view world, std::uint64_t epoch);

/// Removes the files of epochs before `epoch`, but the newest of them, which is kept as a backup. Ignores errors.
void remove_former(const std::string& folder, std::string_view world, std::uint64_t epoch);

}  // namespace mobula::store
