#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/resource/compiler/diagnostics.hpp>
#include <mobula/resource/limits.hpp>
#include <tuple>

namespace mobula::resource {
namespace {}  // namespace

std::string to_string(const CompileError& error) {
  if (error.line == 0) return core::format("{}: {}", error.file, error.message);
  return core::format("{}:{}:{}: {}", error.file, error.line, error.column, error.message);
}

std::uint32_t Diagnostics::add_file(std::string name, std::string text) {
  files_.push_back({std::move(name), std::move(text)});
  return static_cast<std::uint32_t>(files_.size() - 1);
}

void Diagnostics::error(Place place, std::string message) {
  if (count(place)) keep(place, std::move(message));
}

bool Diagnostics::count(Place place) {
  const bool fresh = places_.insert(static_cast<std::uint64_t>(place.file) << 32 | place.offset).second;
  return fresh && found_.size() < limits::errors;
}

void Diagnostics::keep(Place place, std::string message) {
  // Keeps an error on one line, whatever names the source has.
  std::replace_if(message.begin(), message.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
  found_.push_back({place, std::move(message)});
}

void Diagnostics::file_error(std::string name, std::string message) {
  file_errors_.push_back({std::move(name), 0, 0, std::move(message)});
}

std::string Diagnostics::describe(Place place) const {
  const core::LineColumn at = core::locate(files_[place.file].text, place.offset);
  return core::format("{}:{}:{}", files_[place.file].name, at.line, at.column);
}

std::vector<CompileError> Diagnostics::errors() const {
  std::vector<CompileError> all = file_errors_;
  std::vector<Found> sorted = found_;
  std::sort(sorted.begin(), sorted.end(), [](const Found& a, const Found& b) {
    return std::tie(a.place.file, a.place.offset) < std::tie(b.place.file, b.place.offset);
  });
  for (const Found& found : sorted) {
    const core::LineColumn at = core::locate(files_[found.place.file].text, found.place.offset);
    all.push_back({files_[found.place.file].name, at.line, at.column, found.message});
  }
  if (places_.size() > found_.size())
    all.push_back({all.back().file, 0, 0, core::format("and {} more errors", places_.size() - found_.size())});
  return all;
}

}  // namespace mobula::resource
