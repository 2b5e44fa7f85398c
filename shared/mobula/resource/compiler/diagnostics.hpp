// What is wrong with a level's sources, collected over a whole run: file:line:column and a sentence.
// One error per place, since a mistake in a prefab is met once for each of its instances. The first limits::errors that
// are found are kept, of the others only their places, so a source of nothing but mistakes takes no longer than others.
// Owns the sources' text; lives as long as the compilation.
#pragma once

#include <concepts>
#include <cstdint>
#include <mobula/core/did_you_mean.hpp>
#include <mobula/reflect/json_value.hpp>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace mobula::resource {

using core::did_you_mean;

// Values that the compiler makes carry the place they were made for.
using reflect::Place;

struct CompileError {
  std::string file;
  std::uint32_t line = 0;    // from 1; 0: the file as a whole
  std::uint32_t column = 0;  // from 1, in characters
  std::string message;
};

// "file:line:column: message".
std::string to_string(const CompileError& error);

class Diagnostics {
 public:
  // The number that Places of the file carry.
  std::uint32_t add_file(std::string name, std::string text);
  [[nodiscard]] const std::string& text(std::uint32_t file) const { return files_[file].text; }
  [[nodiscard]] const std::string& name(std::uint32_t file) const { return files_[file].name; }

  void error(Place place, std::string message);
  // Worded only if it is kept, for what takes long to word: a search through all names for one that was meant.
  template <std::invocable Word>
  void error(Place place, const Word& word) {
    if (count(place)) keep(place, word());
  }
  // About a file that could not be read.
  void file_error(std::string name, std::string message);
  [[nodiscard]] bool failed() const { return !found_.empty() || !file_errors_.empty(); }

  // "level.json:12", for "first at …".
  [[nodiscard]] std::string describe(Place place) const;
  // Those that were kept, sorted by file and place, and a last line about the rest.
  [[nodiscard]] std::vector<CompileError> errors() const;

 private:
  struct File {
    std::string name;
    std::string text;
  };
  struct Found {
    Place place;
    std::string message;
  };

  // Whether it is to be kept.
  bool count(Place place);
  void keep(Place place, std::string message);

  std::vector<File> files_;
  std::vector<Found> found_;  // at most limits::errors
  std::vector<CompileError> file_errors_;
  std::unordered_set<std::uint64_t> places_;  // of all that were found: file << 32 | offset
};

}  // namespace mobula::resource
