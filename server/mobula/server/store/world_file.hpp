// A world's file, as it is found, made, and kept for one server alone.
//
//   world.db        the SQLite file, which begins with our application id
//   world.db-wal    what was committed and is not yet moved into it: belongs to it
//   world.db.lock   locked by the server that has the world, as long as its process lives
//   world.db.new    a file that is being made
//
// The file itself is locked too, as it may have other names. What is damaged or foreign is refused and stays as it was,
// to the last byte.
#pragma once

#include <mobula/server/store/file_lock.hpp>
#include <mobula/server/store/world_reader.hpp>

namespace mobula::store {

struct WorldFile {
  // Makes the file if there is none. Begins a new incarnation, which is on the disk when this returns. Reasons: "in
  // use", "not writable", "damaged", "foreign", "newer", "worn out", "busy", "disk full", "file error"; their messages
  // say what to do.
  static core::Result<WorldFile> open(const std::string& name);
  // Of a run that ends before anybody has heard of its incarnation: it does not count. What cannot be written stays.
  void take_back_start();
  // Whether file and log are where its name leads: who looks there would not find what is written to others, and other
  // programs would begin a second log. Reasons: "moved", "file error".
  [[nodiscard]] core::Status check_place() const;

  std::string name;  // as it was called, which may be a link
  std::string path;  // where that leads: SQLite has its log there
  FileLock lock;
  FileLock file_lock;         // outlives the database: SQLite's own locks end with any descriptor of the file
  std::optional<FileId> log;  // SQLite has it open, and makes no other
  Database database;
  SavedFile content;  // its incarnation is this run's
};

// How many bytes there are; 0 if there is no such file.
std::uint64_t file_bytes(const std::string& path);

}  // namespace mobula::store
