#include "recordings/recording.hpp"

#include <mobula/core/format.hpp>
#include <mobula/process/complete_files.hpp>
#include <string_view>

namespace mobula::bench {
namespace {

constexpr std::size_t recording_bytes_max = std::size_t{1} << 30;

}  // namespace

core::Result<std::size_t> count_frames(core::ByteView bytes, std::size_t frame_bytes) {
  if (bytes.empty()) return core::Error{"empty recording", "there is no frame in it"};
  if (bytes.size() % frame_bytes != 0)
    return core::Error{
        "truncated recording",
        core::format("{} bytes are not a whole number of frames, which have {} each", bytes.size(), frame_bytes)};
  return bytes.size() / frame_bytes;
}

core::Result<core::Bytes> read_recording(const std::string& path) {
  core::Result<core::Bytes> bytes = process::read_file(path, recording_bytes_max);
  if (!bytes && std::string_view(bytes.error().reason) == "missing")
    return core::Error{"cannot be read", "no such file, or it cannot be read"};
  return bytes;
}

}  // namespace mobula::bench
