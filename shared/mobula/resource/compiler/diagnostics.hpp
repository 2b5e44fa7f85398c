// Errors in a level's sources, collected over a whole run: file:line:column and a sentence. One error per place,
// because a mistake in a prefab recurs for each of its instances. Only the first limits::errors are kept; of the others
// only the places, so that the time does not depend on the number of mistakes. Owns the text of the sources. Lives as
// long as the compilation.
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

// Values that the compiler makes carry the place of their origin.
using reflect::Place;

/// An error in a level's sources, with its place.
struct CompileError {
  std::string file;
  std::uint32_t line = 0;    // from 1; 0 means the file as a whole
  std::uint32_t column = 0;  // from 1, in characters
  std::string message;
};

/// Returns "file:line:column: message".
std::string to_string(const CompileError& error);

class Diagnostics {
 public:
  /// Adds a file. Returns the number that its Places carry.
  std::uint32_t add_file(std::string name, std::string text);
  [[nodiscard]] const std::string& text(std::uint32_t file) const { return files_[file].text; }
  [[nodiscard]] const std::string& name(std::uint32_t file) const { return files_[file].name; }

  /// Reports an error, unless its place has one already.
  void error(Place place, std::string message);
  /// Reports an error whose message is costly to make, such as a search for similar names. Calls `word` only if it is
  /// kept.
  template <std::invocable Word>
  void error(Place place, const Word& word) {
    if (count(place)) keep(place, word());
  }
  /// Reports a file that could not be read.
  void file_error(std::string name, std::string message);
  /// Returns whether an error was reported.
  [[nodiscard]] bool failed() const { return !found_.empty() || !file_errors_.empty(); }

  /// Returns a place as "level.json:12:3", for "first at …".
  [[nodiscard]] std::string describe(Place place) const;
  /// Returns the kept errors, sorted by file and place, then a line with the number of the others.
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

  /// Counts an error. Returns whether to keep it.
  bool count(Place place);
  void keep(Place place, std::string message);

  std::vector<File> files_;
  std::vector<Found> found_;  // at most limits::errors
  std::vector<CompileError> file_errors_;
  std::unordered_set<std::uint64_t> places_;  // places of all errors: file << 32 | offset
};

}  // namespace mobula::resource
