#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/core/text.hpp>
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
constexpr std::string_view partial = ".new";  // ending of a copy's parts until it is whole
constexpr int tries = 10;
// Time from the look at a file to its copy. Times of files have steps of several milliseconds: a write during the copy
// has a later one.
constexpr std::chrono::milliseconds pause{100};

fs::path file_of(const std::string& folder, std::string_view world, std::uint64_t epoch) {
  return fs::path(folder) / core::format("{}.{}{}", world, epoch, ending);
}

// Returns the epoch of a file's name that ends with `ending`. 0 for files that are none of the world's.
std::uint64_t epoch_of(std::string_view file, std::string_view world) {
  if (file.size() <= world.size() + 1 + ending.size() || !file.starts_with(world) || file[world.size()] != '.' ||
      !file.ends_with(ending))
    return 0;
  const std::string_view digits = file.substr(world.size() + 1, file.size() - world.size() - 1 - ending.size());
  std::uint64_t epoch = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), epoch);
  const bool is_number = error == std::errc() && end == digits.data() + digits.size() && digits.front() != '0';
  return is_number && epoch <= epoch_max ? epoch : 0;
}

// Returns the epoch whose owner has begun a copy, of which the file is a part. 0 for other files.
std::uint64_t owner_of_partial(std::string_view file, std::string_view world) {
  if (!file.ends_with(partial)) return 0;
  file.remove_suffix(partial.size());
  const auto part = std::ranges::find_if(parts, [&](std::string_view each) { return file.ends_with(each); });
  return epoch_of(file.substr(0, file.size() - part->size()), world);  // the last part is empty
}

void remove_file(const fs::path& file) {
  std::error_code ignored;
  fs::remove(file, ignored);
}

std::uintmax_t size_of(const fs::path& file) {
  std::error_code missing;
  const std::uintmax_t size = fs::file_size(file, missing);
  return missing ? 0 : size;
}

fs::path log_of(const fs::path& file) { return file.native() + "-wal"; }

core::Result<std::vector<std::string>> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error))
    names.push_back(each->path().filename().native());
  if (error) return core::Error{"file error", core::format("the folder {}: {}", folder, error.message())};
  return names;
}

// Returns the epochs of a world's files, ascending.
std::vector<std::uint64_t> epochs_of(const std::vector<std::string>& names, std::string_view world) {
  std::vector<std::uint64_t> found;
  for (const std::string& name : names)
    if (const std::uint64_t epoch = epoch_of(name, world)) found.push_back(epoch);
  std::ranges::sort(found);
  return found;
}

// Returns the newest of the epochs before `epoch` whose file is not empty. 0 if there is none.
std::uint64_t newest_saved(const std::vector<std::uint64_t>& epochs, const std::string& folder, std::string_view world,
                           std::uint64_t epoch) {
  const auto has_data = [&](std::uint64_t each) {
    const fs::path file = file_of(folder, world, each);
    return each < epoch && size_of(file) + size_of(log_of(file)) > 0;
  };
  const auto newest = std::find_if(epochs.rbegin(), epochs.rend(), has_data);
  return newest == epochs.rend() ? 0 : *newest;
}

core::Error error_of(const fs::path& from, const fs::path& to, const std::error_code& error) {
  constexpr std::uintmax_t megabyte = 1'000'000;
  std::error_code unknown;
  const std::uintmax_t size = size_of(from) + size_of(log_of(from));
  const fs::space_info space = fs::space(to.parent_path(), unknown);
  // Some file systems report a full disk as another error.
  if (error == std::errc::no_space_on_device || (!unknown && space.available < size))
    return {"disk full",
            core::format("the copy {} of the world needs {} MB, and its volume has {} MB left; free space there",
                         to.native(), size / megabyte + 1, space.available / megabyte)};
  return {error == std::errc::permission_denied ? "not writable" : "file error",
          core::format("{}: {}", to.native(), error.message())};
}

// Sizes and times of a world's file and log. A write changes one of them.
struct State {
  std::array<std::uintmax_t, 2> sizes{};
  std::array<fs::file_time_type, 2> times{};
  bool operator==(const State&) const = default;
};

State state_of(const fs::path& file) {
  State state;
  const std::array<fs::path, 2> both{file, log_of(file)};
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
    const fs::path copy = to.native() + std::string(part) + std::string(partial);
    fs::remove(copy, error);
    if (!part.empty() && !fs::exists(source, error)) continue;
    if (!fs::copy_file(source, copy, error)) return error;
    if (!process::sync_file_at(copy.native())) return std::make_error_code(std::errc::io_error);
  }
  return {};
}

// The file itself is renamed last: with it the epoch's files are complete.
std::error_code name_parts(const fs::path& to) {
  std::error_code error;
  for (const std::string_view part : parts) {
    const fs::path copy = to.native() + std::string(part) + std::string(partial);
    if (!fs::exists(copy, error)) continue;
    fs::rename(copy, to.native() + std::string(part), error);
    if (error) return error;
  }
  process::sync_folder_of(to.native());
  return {};
}

void remove_parts(const fs::path& file, std::string_view suffix) {
  for (const std::string_view part : {"-wal", "-shm", ".lock", ""})
    remove_file(file.native() + std::string(part) + std::string(suffix));
}

core::Status copy_world(const fs::path& from, const fs::path& to) {
  remove_parts(to, "");  // a copy that was named in part
  for (int i = 0; i < tries; ++i) {
    const State before = state_of(from);
    std::this_thread::sleep_for(pause);
    std::error_code error = copy_parts(from, to);
    const bool is_whole = !error && state_of(from) == before;
    if (is_whole) error = name_parts(to);
    if (!error && is_whole) return core::Done{};
    remove_parts(to, partial);
    if (error) return error_of(from, to, error);
  }
  return core::Error{"busy", core::format("{} is still written by its former owner", from.native())};
}

}  // namespace

core::Result<EpochFile> take_over(const std::string& folder, std::string_view world, std::uint64_t epoch) {
  const core::Result<std::vector<std::string>> names = names_in(folder);
  if (!names) return names.error();
  const std::vector<std::uint64_t> found = epochs_of(*names, world);
  const fs::path own = file_of(folder, world, epoch);
  if (!found.empty() && found.back() > epoch)
    return core::Error{"superseded", core::format("world \"{}\" has a file of epoch {}, and this owner has epoch {}",
                                                  world, found.back(), epoch)};
  if (size_of(own) > 0) return EpochFile{own.string(), false};
  const std::uint64_t former = newest_saved(found, folder, world, epoch);
  if (former == 0) {
    if (!found.empty())
      core::log_warn("store", "world {} begins anew: its {} are empty, as their owners ended before the first save",
                     world, core::counted(found.size(), "file", "files"));
    return EpochFile{own.string(), true};
  }
  const fs::path from = file_of(folder, world, former);
  if (const core::Status copied = copy_world(from, own); !copied) return copied.error();
  return EpochFile{own.string(), true, from.string()};
}

std::uint64_t last_epoch(const std::string& folder, std::string_view world) {
  const core::Result<std::vector<std::string>> names = names_in(folder);
  const std::vector<std::uint64_t> found = names ? epochs_of(*names, world) : std::vector<std::uint64_t>();
  return found.empty() ? 0 : found.back();
}

void discard(const std::string& folder, std::string_view world, std::uint64_t epoch) {
  remove_parts(file_of(folder, world, epoch), "");
}

void remove_former(const std::string& folder, std::string_view world, std::uint64_t epoch) {
  const core::Result<std::vector<std::string>> names = names_in(folder);
  if (!names) return;
  const std::vector<std::uint64_t> found = epochs_of(*names, world);
  const std::uint64_t backup = newest_saved(found, folder, world, epoch);
  for (const std::uint64_t each : found)
    if (each < epoch && each != backup) remove_parts(file_of(folder, world, each), "");
  for (const std::string& name : *names)
    if (const std::uint64_t owner = owner_of_partial(name, world); owner != 0 && owner < epoch)
      remove_file(fs::path(folder) / name);
}

}  // namespace mobula::store
