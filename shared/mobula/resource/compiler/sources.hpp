// JSON files of one level: the compiled file and all that it includes, each once.
#pragma once

#include <functional>
#include <memory>
#include <mobula/core/result.hpp>
#include <mobula/resource/compiler/json.hpp>
#include <string>
#include <vector>

namespace mobula::resource {

/// Returns the text of a file. Editors and tests replace it to compile text in memory.
using ReadSource = std::function<core::Result<std::string>(const std::string& path)>;

struct Sources {
  std::vector<std::unique_ptr<JsonValue>> documents;  // objects; includes before the files that include them
  std::vector<std::string> paths;                     // all requested files, in order of first request
};

/// Loads a file and its includes. Reports errors, and returns the sources that could be read.
Sources load_sources(const std::string& path, const ReadSource& read, Diagnostics& diagnostics);

/// Reports every member of an object that is not among the known names.
void refuse_unknown_members(const JsonValue& object, std::span<const std::string_view> known, Diagnostics& diagnostics);

/// Checks the kind of a value. Reports "'what' is …; expected …" if it differs.
bool expect(const JsonValue& value, JsonValue::Kind kind, std::string_view what, Diagnostics& diagnostics);

}  // namespace mobula::resource
