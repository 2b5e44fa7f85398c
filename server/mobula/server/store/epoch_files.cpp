#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <mobula/core/format.hpp>
#include <mobula/process/files.hpp>
#include <mobula/server/store/epoch_files.hpp>
#include <thread>
#include <vector>

namespace mobula::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".db";
// The log comes first: one that is older than its file would be refused. The lock has how the last run ended.
constexpr std::array<std::string_view, 3> parts{"-wal", ".lock", ""};
constexpr int tries = 10;
// Time from the look at a file to its copy. Times of files have steps of several milliseconds: a write during the copy
// has a later one.
constexpr std::chrono::milliseconds pause{100};

fs::path file_of(const std::string& folder, std::string_view world, std::uint64_t epoch) {
  return fs::path(folder) / core::format("{}.{}{}", world, epoch, ending);
}

// Returns the epoch of a file's name. 0 for files that are none of the world's.
std::uint64_t epoch_of(std::string_view file, std::string_view world) {
  if (file.size() <= world.size() + 1 + ending.size() || !file.starts_with(world) || file[world.size()] != '.' ||
      !file.ends_with(ending))
    return 0;
  const std::string_view digits = file.substr(world.size() + 1, file.size() - world.size() - 1 - ending.size());
  std::uint64_t epoch = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), epoch);
  return error == std::errc() && end == digits.data() + digits.size() && digits.front() != '0' ? epoch : 0;
}

// Returns the epochs of a world's files, ascending.
core::Result<std::vector<std::uint64_t>> epochs(const std::string& folder, std::string_view world) {
  std::vector<std::uint64_t> found;
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error))
    if (const std::uint64_t epoch = epoch_of(each->path().filename().native(), world)) found.push_back(epoch);
  if (error) return core::Error{"file error", core::format("the folder {}: {}", folder, error.message())};
  std::ranges::sort(found);
  return found;
}

core::Error error_of(const fs::path& path, const std::error_code& error) {
  const char* const reason = error == std::errc::no_space_on_device  ? "disk full"
                             : error == std::errc::permission_denied ? "not writable"
                                                                     : "file error";
  return {reason, core::format("{}: {}", path.native(), error.message())};
}

// Sizes and times of a world's file and log. A write changes one of them.
struct State {
  std::array<std::uintmax_t, 2> sizes{};
  std::array<fs::file_time_type, 2> times{};
  bool operator==(const State&) const = default;
};

State state_of(const fs::path& file) {
  State state;
  const std::array<fs::path, 2> both{file, fs::path(file.native() + "-wal")};
  for (std::size_t i = 0; i < both.size(); ++i) {
    std::error_code missing;
    state.sizes[i] = fs::file_size(both[i], missing);
    state.times[i] = fs::last_write_time(both[i], missing);
  }
  return state;
}

// Copies to names that no reader takes for a world's.
std::error_code copy_parts(const fs::path& from, const fs::path& to) {
  std::error_code error;
  for (const std::string_view part : parts) {
    const fs::path source = from.native() + std::string(part);
    const fs::path copy = to.native() + std::string(part) + ".new";
    fs::remove(copy, error);
    if (!part.empty() && !fs::exists(source, error)) continue;
    if (!fs::copy_file(source, copy, error)) return error;
  }
  return {};
}

// The file itself is renamed last: with it the epoch's files are complete.
std::error_code name_parts(const fs::path& to) {
  std::error_code error;
  for (const std::string_view part : parts) {
    const fs::path copy = to.native() + std::string(part) + ".new";
    if (!fs::exists(copy, error)) continue;
    fs::rename(copy, to.native() + std::string(part), error);
    if (error) return error;
  }
  process::sync_folder_of(to.native());
  return {};
}

core::Status copy_world(const fs::path& from, const fs::path& to) {
  for (int i = 0; i < tries; ++i) {
    const State before = state_of(from);
    std::this_thread::sleep_for(pause);
    if (const std::error_code error = copy_parts(from, to)) return error_of(to, error);
    if (state_of(from) == before) {
      if (const std::error_code error = name_parts(to)) return error_of(to, error);
      return core::Done{};
    }
  }
  return core::Error{"busy", core::format("{} is still written by its former owner", from.native())};
}

}  // namespace

core::Result<std::string> take_over(const std::string& folder, std::string_view world, std::uint64_t epoch) {
  const core::Result<std::vector<std::uint64_t>> found = epochs(folder, world);
  if (!found) return found.error();
  const fs::path own = file_of(folder, world, epoch);
  if (found->empty() || found->back() == epoch) return own.string();
  if (found->back() > epoch)
    return core::Error{"superseded",
                       core::format("world \"{}\" has a file of epoch {}, and this owner has epoch {}: "
                                    "after the loss of the coordinator's data, rename that file to epoch 1",
                                    world, found->back(), epoch)};
  const core::Status copied = copy_world(file_of(folder, world, found->back()), own);
  return copied ? core::Result<std::string>(own.string()) : copied.error();
}

void remove_former(const std::string& folder, std::string_view world, std::uint64_t epoch) {
  const core::Result<std::vector<std::uint64_t>> found = epochs(folder, world);
  if (!found) return;
  const auto own = std::ranges::lower_bound(*found, epoch);
  for (auto each = found->begin(); each != own && each + 1 != own; ++each)
    for (const std::string_view part : {"-wal", "-shm", ".lock", ""}) {
      std::error_code ignored;
      fs::remove(file_of(folder, world, *each).native() + std::string(part), ignored);
    }
}

}  // namespace mobula::store
