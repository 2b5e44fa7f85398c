// A world's file, as it is found, made, and kept for one server alone.
//
//   world.db        the SQLite file, which begins with our application id
//   world.db-wal    what was committed and is not yet moved into it: belongs to it
//   world.db.lock   held by the server that has the world, for as long as its process lives
//   world.db.new    a file that is being made
//
// What is damaged or foreign is refused and stays as it was, to the last byte.
#pragma once

#include <mobula/server/store/file_lock.hpp>
#include <mobula/server/store/world_reader.hpp>

namespace mobula::store {

// Where a link leads. SQLite follows it, and has its log there: so must lock and log. Refused: "not writable", a link
// that leads nowhere.
core::Result<std::string> real_path(const std::string& path);

struct WorldFile {
  // Makes the file if there is none. Begins a new incarnation, which is on the disk when this returns. Reasons: "in
  // use", "not writable", "damaged", "foreign", "newer", "worn out", "busy", "disk full", "file error"; their messages
  // say what to do.
  static core::Result<WorldFile> open(const std::string& path);
  // Of a run that ends before anybody has heard of its incarnation: it does not count. What cannot be written stays.
  void take_back_start();

  FileLock lock;
  Database database;
  SavedFile content;  // its incarnation is this run's
};

// How many bytes there are; 0 if there is no such file.
std::uint64_t file_bytes(const std::string& path);

}  // namespace mobula::store
