// A recording holds the values of one component of every entity, frame by frame.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace mobula::bench {

template <class Component>
class Recording {
 public:
  // `values` are those of all frames, of `entities` entities each.
  Recording(std::size_t entities, std::vector<Component> values) : entities_(entities), values_(std::move(values)) {}

  [[nodiscard]] std::size_t entities() const { return entities_; }
  [[nodiscard]] std::size_t frames() const { return values_.size() / entities_; }
  [[nodiscard]] std::span<const Component> frame(std::size_t which) const {
    return std::span(values_).subspan(which * entities_, entities_);
  }

 private:
  std::size_t entities_;
  std::vector<Component> values_;
};

// Returns the number of frames in a file's bytes. Errors: "empty recording", "truncated recording".
core::Result<std::size_t> count_frames(core::ByteView bytes, std::size_t frame_bytes);

// Reads a complete file of at most 1 GiB. Errors: "cannot be read", "too large".
core::Result<core::Bytes> read_recording(const std::string& path);

// Loads a file by a function that parses its bytes. Errors: those of the function and of read_recording.
template <class Parse>
std::invoke_result_t<Parse, core::ByteView> load_recording(const std::string& path, Parse&& parse) {
  const core::Result<core::Bytes> bytes = read_recording(path);
  if (!bytes) return bytes.error();
  return parse(core::ByteView(*bytes));
}

}  // namespace mobula::bench
