#include <algorithm>
#include <array>
#include <filesystem>
#include <mobula/core/format.hpp>
#include <mobula/resource/compiler/sources.hpp>
#include <mobula/resource/limits.hpp>

namespace mobula::resource {
namespace {

using Kind = JsonValue::Kind;

// Removes a byte order mark. Refuses other encodings than UTF-8: JSON starts with two ASCII characters, so a zero byte
// among the first two bytes belongs to wider characters.
core::Result<std::string> decode(std::string text) {
  if (text.starts_with("\xef\xbb\xbf")) return text.substr(3);
  const std::string_view start = std::string_view(text).substr(0, 2);
  if (start == "\xff\xfe" || start == "\xfe\xff" || start.find('\0') != std::string_view::npos)
    return core::Error{"encoding", "the text is UTF-16 or UTF-32; expected UTF-8, so save the file as UTF-8"};
  return text;
}

core::Result<std::string> read_text(const ReadSource& read, const std::string& path) {
  core::Result<std::string> text = read(path);
  return text ? decode(std::move(*text)) : std::move(text);
}

class SourceLoader {
 public:
  SourceLoader(const ReadSource& read, Diagnostics& diagnostics) : read_(read), diagnostics_(diagnostics) {}

  // Loads a file. `asked_at` is the include that requests it, null for the first file.
  void load(const std::string& path, const Place* asked_at) {
    if (const auto open = std::find(open_.begin(), open_.end(), path); open != open_.end()) {
      std::vector<std::string> circle(open, open_.end());
      circle.push_back(path);
      return diagnostics_.error(*asked_at, core::format("includes form a cycle: {}", fmt::join(circle, " -> ")));
    }
    if (std::find(sources_.paths.begin(), sources_.paths.end(), path) != sources_.paths.end()) return;
    if (sources_.paths.size() == limits::source_files)
      return diagnostics_.error(*asked_at, core::format("more than {} files", limits::source_files));
    sources_.paths.push_back(path);
    core::Result<std::string> text = read_text(read_, path);
    if (!text) return refuse(path, asked_at, text.error().message);
    const std::uint32_t file = diagnostics_.add_file(path, std::move(*text));
    std::optional<JsonValue> document = parse_json(file, diagnostics_);
    if (!document || !expect(*document, Kind::object, "a level", diagnostics_)) return;
    auto kept = std::make_unique<JsonValue>(std::move(*document));
    open_.push_back(path);
    load_includes(path, *kept);
    open_.pop_back();
    check_members(*kept);
    sources_.documents.push_back(std::move(kept));
  }

  Sources take() { return std::move(sources_); }

 private:
  void refuse(const std::string& path, const Place* asked_at, const std::string& why) {
    asked_at == nullptr ? diagnostics_.file_error(path, "cannot be read: " + why)
                        : diagnostics_.error(*asked_at, core::format("{} cannot be included: {}", path, why));
  }

  void load_includes(const std::string& path, const JsonValue& document) {
    const JsonValue* includes = document.find("include");
    if (includes == nullptr || !expect(*includes, Kind::array, "include", diagnostics_)) return;
    for (const JsonValue& include : includes->items) {
      if (!expect(include, Kind::string, "an include", diagnostics_)) continue;
      const std::filesystem::path full = std::filesystem::path(path).parent_path() / include.text;
      load(full.lexically_normal().generic_string(), &include.place);
    }
  }

  void check_members(const JsonValue& document) {
    static constexpr std::array<std::string_view, 7> known{"include", "prefabs", "entities", "placements",
                                                           "columns", "statics", "names"};
    refuse_unknown_members(document, known, diagnostics_);
    for (const std::string_view name : {"prefabs", "entities"})
      if (const JsonValue* value = document.find(name)) expect(*value, Kind::object, name, diagnostics_);
    if (const JsonValue* value = document.find("placements")) expect(*value, Kind::array, "placements", diagnostics_);
  }

  const ReadSource& read_;
  Diagnostics& diagnostics_;
  Sources sources_;
  std::vector<std::string> open_;  // files whose includes are being read
};

}  // namespace

Sources load_sources(const std::string& path, const ReadSource& read, Diagnostics& diagnostics) {
  SourceLoader loader(read, diagnostics);
  loader.load(std::filesystem::path(path).lexically_normal().generic_string(), nullptr);
  return loader.take();
}

void refuse_unknown_members(const JsonValue& object, std::span<const std::string_view> known,
                            Diagnostics& diagnostics) {
  for (const JsonMember& member : object.members) {
    if (std::find(known.begin(), known.end(), member.name) != known.end()) continue;
    diagnostics.error(member.place, core::format("'{}' is not known here{}; expected one of {}", member.name,
                                                 did_you_mean(member.name, known), fmt::join(known, ", ")));
  }
}

bool expect(const JsonValue& value, JsonValue::Kind kind, std::string_view what, Diagnostics& diagnostics) {
  if (value.kind == kind) return true;
  diagnostics.error(value.place, core::format("'{}' is {}; expected {}", what, describe(value.kind), describe(kind)));
  return false;
}

}  // namespace mobula::resource
