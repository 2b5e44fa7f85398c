// Saved worlds that targets change, the same on every run, and the folder in memory where they lie.
#pragma once

#include <fuzz/fuzz.hpp>
#include <mobula/server/store/database.hpp>
#include <server/store/test_folder.hpp>
#include <string>
#include <vector>

namespace mobula::fuzz {

// Has one world at a time.
class WorldFolder {
 public:
  [[nodiscard]] std::string path() const { return folder_.file(); }
  void put(core::ByteView file, core::ByteView log) const;

 private:
  store::TestFolder folder_;
};

// As it was saved.
class OldWorld {
 public:
  struct Column {
    std::string table;
    std::string name;
  };

  explicit OldWorld(core::Bytes file);
  // With tables that have no keys and no types: they take any value in any column, and rows twice.
  [[nodiscard]] OldWorld loosened() const;
  [[nodiscard]] core::ByteView file() const { return file_; }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }

 private:
  core::Bytes file_;
  std::vector<Column> columns_;
};

core::Bytes read_file(const std::string& path);

// An old world, put into a folder and open to whatever is done with its tables.
class EditedWorld {
 public:
  EditedWorld(const WorldFolder& folder, const OldWorld& world);

  // Takes u16 column, u8 row, u8 what, and for
  //   0 the row is gone     1 it is there twice      2 i64 a number     3 i8 so much more
  //   4 u8 size, a text     5 u8 size, bytes         6 NULL             7 f64 a real number
  // What the table does not let happen does not happen.
  void edit(Input& input);
  // Then only what the rows mean can be wrong.
  void make_sums_right();

 private:
  void try_to(const std::string& sql);
  void set(const std::string& sql, std::uint8_t what, Input& input);
  void put_sum(const std::string& key, std::uint64_t sum);

  const std::vector<OldWorld::Column>& columns_;
  store::Database database_;
};

}  // namespace mobula::fuzz
