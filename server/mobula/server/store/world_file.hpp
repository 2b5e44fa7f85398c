// A world's file: opened, checked, created, and locked for one server.
//
//   world.db        the SQLite file, whose header has Mobula's application id
//   world.db-wal    its write-ahead log: committed, but not yet moved into the file
//   world.db.lock   locked by the server that uses the world, as long as its process lives
//   world.db.new    a new file until it is complete
//
// The file itself is locked too, as it may have other names. A damaged or foreign file is refused and keeps every byte.
#pragma once

#include <mobula/server/store/file_lock.hpp>
#include <mobula/server/store/world_reader.hpp>

namespace mobula::store {

/// An open world file with its locks and its content.
struct WorldFile {
  /// Opens the file, or creates it. Begins a new incarnation, which is on the disk when this returns. Errors: "in use",
  /// "not writable", "damaged", "foreign", "newer", "worn out", "busy", "disk full", "file error"; each message names
  /// the remedy.
  static core::Result<WorldFile> open(const std::string& name);
  /// Gives the incarnation back, for a run that never used it. Ignores errors.
  void undo_start();
  /// Checks that the file and the log are still where the name leads. Writes to moved files would not be found by the
  /// next start, and other programs would begin a second log. Errors: "moved", "file error".
  [[nodiscard]] core::Status check_place() const;

  std::string name;           // as configured, may be a link
  std::string path;           // target of the link; the log is beside it
  FileLock lock;              // on world.db.lock; RunMark takes it over
  FileLock file_lock;         // outlives `database`: SQLite's locks end with any descriptor of the file
  std::optional<FileId> log;  // SQLite keeps it open
  Database database;
  SavedFile content;  // with this run's incarnation
};

/// Returns the size of a file. 0 if there is none.
std::uint64_t file_bytes(const std::string& path);

}  // namespace mobula::store
