// The JSON files of one level: the one that is compiled and all that it includes, each once.
#pragma once

#include <functional>
#include <memory>
#include <mobula/core/result.hpp>
#include <mobula/resource/compiler/json.hpp>
#include <string>
#include <vector>

namespace mobula::resource {

// The text of a file. Replaceable, so that editors and tests can compile what is on no disc.
using ReadSource = std::function<core::Result<std::string>(const std::string& path)>;

struct Sources {
  std::vector<std::unique_ptr<JsonValue>> documents;  // objects; included ones before those that include them
  std::vector<std::string> paths;                     // of all files that were asked for, in order of first need
};

// Errors are told, and the sources hold what could be read.
Sources load_sources(const std::string& path, const ReadSource& read, Diagnostics& diagnostics);

// Tells every member of an object that is not among the known names.
void refuse_unknown_members(const JsonValue& object, std::span<const std::string_view> known, Diagnostics& diagnostics);

// Whether the value is of the kind; if not, that is told as "'what' is …; expected …".
bool expect(const JsonValue& value, JsonValue::Kind kind, std::string_view what, Diagnostics& diagnostics);

}  // namespace mobula::resource
