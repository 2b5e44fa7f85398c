// Saved worlds that targets edit, the same on every run, and the folder for them.
#pragma once

#include <fuzz/fuzz.hpp>
#include <mobula/server/store/database.hpp>
#include <server/store/test_folder.hpp>
#include <string>
#include <vector>

namespace mobula::fuzz {

// A folder for one world at a time.
class WorldFolder {
 public:
  [[nodiscard]] std::string path() const { return folder_.file(); }
  // Writes the world's file and log.
  void put(core::ByteView file, core::ByteView log) const;

 private:
  store::TestFolder folder_;
};

// A saved world's file and the columns of its tables.
class SavedWorldFile {
 public:
  struct Column {
    std::string table;
    std::string name;
  };

  explicit SavedWorldFile(core::Bytes file);
  // Returns a copy whose tables have no keys and types: they accept any value in any column, and duplicate rows.
  [[nodiscard]] SavedWorldFile loosened() const;
  [[nodiscard]] core::ByteView file() const { return file_; }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }

 private:
  core::Bytes file_;
  std::vector<Column> columns_;
};

core::Bytes read_file(const std::string& path);

// A copy of a saved world in a folder, with edits of its tables.
class EditedWorld {
 public:
  EditedWorld(const WorldFolder& folder, const SavedWorldFile& world);

  // Reads u16 column, u8 row, u8 kind, and for each kind:
  //   0 deletes the row     1 duplicates it          2 i64 integer      3 i8 is added
  //   4 u8 size, text       5 u8 size, blob          6 NULL             7 f64 real number
  // Ignores edits that the table refuses.
  void edit(Input& input);
  // Corrects the checksums, so that the rows are interpreted.
  void correct_checksums();

 private:
  void try_to(const std::string& sql);
  void set(const std::string& sql, std::uint8_t kind, Input& input);
  void put_sum(const std::string& key, std::uint64_t sum);

  const std::vector<SavedWorldFile::Column>& columns_;
  store::Database database_;
};

}  // namespace mobula::fuzz
