#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <mobula/core/bytes.hpp>
#include <mobula/core/format.hpp>
#include <mobula/server/store/log_scan.hpp>

namespace mobula::store {

void LogSum::add(core::ByteView bytes) {
  for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    first += word(&bytes[i]) + second;
    second += word(&bytes[i + 4]) + first;
  }
}

namespace {

constexpr std::uint32_t magic = 0x377f0682;  // plus 1 if sums are over big-endian words

// Returns the sum of a frame that follows one with sum `before`.
LogSum with(LogSum before, core::ByteView frame) {
  before.add(frame.first(8));
  before.add(frame.subspan(log_frame_header_bytes));
  return before;
}

core::Error damaged(const std::string& path, const std::string& what) {
  return {"damaged", path + " differs from what was written: " + what};
}

bool read(std::ifstream& file, core::MutableBytes out) {
  file.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
  return file.good();
}

// Returns the result of a scan at the end of the file.
core::Status ended(const std::ifstream& file, const std::string& path) {
  if (file.bad()) return core::Error{"file error", path + " cannot be read"};
  return core::Done{};
}

}  // namespace

core::Error open_error(const std::string& path) {
  const bool is_forbidden = errno == EACCES || errno == EPERM || errno == EROFS;
  return {is_forbidden ? "not writable" : "file error", core::format("{}: {}", path, std::strerror(errno))};
}

core::Status check_log(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<std::byte, log_header_bytes> header;
  if (!file && errno == ENOENT) return core::Done{};
  if (!file) return open_error(path);
  if (!read(file, header)) return ended(file, path);  // no commit is in it
  const std::uint32_t page_bytes = big_endian(&header[8]);
  LogSum sum{.swapped = (big_endian(header.data()) & 1) != 0};
  sum.add(core::ByteView(header).first(24));
  const bool known = (big_endian(header.data()) & ~1u) == magic && page_bytes >= 512 && page_bytes <= 65536;
  core::Bytes frame(log_frame_header_bytes + (known ? page_bytes : 512));
  if (!read(file, frame)) return ended(file, path);
  if (!known || !sum.is_at(&header[24])) return damaged(path, "its header");

  std::uint32_t number = 0;
  std::uint32_t wrong = 0;  // first invalid frame, from 1
  bool ends = false;        // the previous frame ends a transaction
  LogSum stored = sum;      // sum of the previous frame, as stored
  LogSum computed = sum;    // … and as computed
  do {
    ++number;
    const bool same_log = std::memcmp(&frame[8], &header[16], 8) == 0;  // else a frame of an older log, or damaged
    const auto follows = [&](const LogSum& before) { return with(before, frame).is_at(&frame[16]); };
    if (wrong != 0 && ends && same_log && (follows(stored) || follows(computed)))
      return damaged(path, core::format("frame {}", wrong));
    if (wrong == 0 && !(same_log && follows(stored))) wrong = number;
    ends = same_log && big_endian(&frame[4]) != 0;
    computed = with(stored, frame);
    stored.first = big_endian(&frame[16]);
    stored.second = big_endian(&frame[20]);
  } while (read(file, frame));
  return ended(file, path);
}

}  // namespace mobula::store
