#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <mobula/core/assert.hpp>
#include <mobula/core/bytes.hpp>
#include <mobula/core/random.hpp>
#include <simulation/chance.hpp>
#include <simulation/simulated_disk.hpp>
#include <string>
#include <vector>

namespace mobula::sim {
namespace {

constexpr std::size_t sector = 512;  // written as a whole or not at all
constexpr std::uint32_t error_one_in = 8;
constexpr std::uint32_t read_error_one_in = 64;
constexpr std::uint32_t no_memory_one_in = 300;
constexpr std::uint32_t never = ~0u;

struct Change {
  std::uint64_t offset = 0;
  core::Bytes bytes;
  bool truncates = false;  // at `offset`
  bool lost = false;       // a sync has failed
};

// Content of a file on the disk, and writes not synced yet.
struct Image {
  ino_t number = 0;
  core::Bytes durable;
  std::vector<Change> unsynced;
};

void apply(core::Bytes& image, std::uint64_t offset, core::ByteView bytes) {
  image.resize(std::max<std::size_t>(image.size(), offset + bytes.size()));
  std::ranges::copy(bytes, image.begin() + static_cast<std::ptrdiff_t>(offset));
}

core::Bytes content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  const core::ByteView view = core::as_bytes(all.data(), all.size());
  return {view.begin(), view.end()};
}

void put(const std::string& path, core::ByteView content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
}

}  // namespace

// State behind SQLite's C interface: its functions get it from pAppData and the file.
struct SimulatedDisk::Vfs {
  // File object made by xOpen, followed by the file of the VFS below.
  struct File {
    sqlite3_file base;
    Vfs* vfs;
    Image* image;  // null for files other than the world's

    [[nodiscard]] sqlite3_file* below() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  };

  explicit Vfs(std::uint64_t seed);
  ~Vfs();
  void set_disk_calls();
  void set_file_calls();

  static File& file(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }
  static Vfs& vfs(sqlite3_vfs* vfs) { return *static_cast<Vfs*>(vfs->pAppData); }

  int open(const char* path, File& file, int flags, int* flags_out);
  int read(File& file, void* to, int count, std::int64_t offset);
  int write(File& file, const void* from, int count, std::int64_t offset);
  int write_part(File& file, core::ByteView bytes, std::int64_t offset);
  int truncate(File& file, std::int64_t size);
  int sync(File& file, int flags);
  int remove(const char* path, int sync_folder);

  // Counts an operation and returns whether the power fails during it.
  bool power_goes();
  bool fails(std::uint32_t one_in) { return trouble == Trouble::errors && random.chance(1, one_in); }
  int close(File& file);
  const std::shared_ptr<Image>& image_of(const char* path);
  void restore(const std::string& path, Image& image);

  core::Random random;
  core::Random asked;  // for SQLite, whose number of requests depends on its version: must not affect anything else
  Trouble trouble = Trouble::none;
  bool power = true;
  std::uint32_t operations_left = never;
  std::map<std::string, std::shared_ptr<Image>> images;   // by path
  std::map<const File*, std::shared_ptr<Image>> of_open;  // an open file may have been removed
  sqlite3_vfs* below = nullptr;
  sqlite3_vfs own{};
  sqlite3_io_methods methods{};
};

namespace {

using Trouble = SimulatedDisk::Trouble;

// Global, as SQLite's allocator interface has no user pointer.
struct Memory {
  sqlite3_mem_methods below{};
  core::Random random{0};
  bool fails = false;
};
Memory memory;

bool refuses() { return memory.fails && memory.random.chance(1, no_memory_one_in); }
void* allocate(int size) { return refuses() ? nullptr : memory.below.xMalloc(size); }
void* reallocate(void* old, int size) { return refuses() ? nullptr : memory.below.xRealloc(old, size); }

void use_memory(std::uint64_t seed) {
  ::sqlite3_shutdown();
  if (memory.below.xMalloc == nullptr) ::sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory.below);
  memory.random = core::Random(seed);
  memory.fails = false;
  sqlite3_mem_methods ours = memory.below;
  ours.xMalloc = allocate;
  ours.xRealloc = reallocate;
  ::sqlite3_config(SQLITE_CONFIG_MALLOC, &ours);
  // Otherwise SQLite would serve small allocations itself and never call the allocator.
  ::sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
  ::sqlite3_initialize();
}

}  // namespace

// --- Interface to SQLite ---------------------------------------------------------------------------------------------

SimulatedDisk::Vfs::Vfs(std::uint64_t seed) : random(salted(seed, Salt::disk)), asked(salted(seed, Salt::sqlite)) {
  use_memory(salted(seed, Salt::memory));
  below = ::sqlite3_vfs_find(nullptr);
  MOBULA_ASSERT(below != nullptr && std::strcmp(below->zName, "simulated") != 0, "one disk at a time");
  own = *below;
  own.szOsFile = static_cast<int>(sizeof(File)) + below->szOsFile;
  own.pNext = nullptr;
  own.zName = "simulated";
  own.pAppData = this;
  set_disk_calls();
  set_file_calls();
  ::sqlite3_vfs_register(&own, 1);
}

void SimulatedDisk::Vfs::set_disk_calls() {
  own.xOpen = [](sqlite3_vfs* self, const char* path, sqlite3_file* opened, int flags, int* flags_out) {
    return vfs(self).open(path, file(opened), flags, flags_out);
  };
  own.xDelete = [](sqlite3_vfs* self, const char* path, int sync_folder) {
    return vfs(self).remove(path, sync_folder);
  };
  own.xAccess = [](sqlite3_vfs* self, const char* path, int flags, int* result) {
    return vfs(self).below->xAccess(vfs(self).below, path, flags, result);
  };
  own.xFullPathname = [](sqlite3_vfs* self, const char* path, int size, char* full) {
    return vfs(self).below->xFullPathname(vfs(self).below, path, size, full);
  };
  own.xRandomness = [](sqlite3_vfs* self, int count, char* to) {
    for (int i = 0; i < count; ++i) to[i] = static_cast<char>(vfs(self).asked.below(256));
    return count;
  };
  own.xSleep = [](sqlite3_vfs*, int microseconds) { return microseconds; };
}

void SimulatedDisk::Vfs::set_file_calls() {
  methods.iVersion = 2;  // only the index of the log is mapped
  methods.xClose = [](sqlite3_file* closed) { return file(closed).vfs->close(file(closed)); };
  methods.xRead = [](sqlite3_file* from, void* to, int count, sqlite3_int64 offset) {
    return file(from).vfs->read(file(from), to, count, offset);
  };
  methods.xWrite = [](sqlite3_file* to, const void* from, int count, sqlite3_int64 offset) {
    return file(to).vfs->write(file(to), from, count, offset);
  };
  methods.xTruncate = [](sqlite3_file* cut, sqlite3_int64 size) { return file(cut).vfs->truncate(file(cut), size); };
  methods.xSync = [](sqlite3_file* synced, int flags) { return file(synced).vfs->sync(file(synced), flags); };
  methods.xFileSize = [](sqlite3_file* of, sqlite3_int64* size) {
    return file(of).below()->pMethods->xFileSize(file(of).below(), size);
  };
  methods.xLock = [](sqlite3_file* of, int lock) { return file(of).below()->pMethods->xLock(file(of).below(), lock); };
  methods.xUnlock = [](sqlite3_file* of, int lock) {
    return file(of).below()->pMethods->xUnlock(file(of).below(), lock);
  };
  methods.xCheckReservedLock = [](sqlite3_file* of, int* result) {
    return file(of).below()->pMethods->xCheckReservedLock(file(of).below(), result);
  };
  methods.xFileControl = [](sqlite3_file* of, int what, void* with) {
    return file(of).below()->pMethods->xFileControl(file(of).below(), what, with);
  };
  methods.xSectorSize = [](sqlite3_file*) { return static_cast<int>(sector); };
  methods.xDeviceCharacteristics = [](sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; };
  methods.xShmMap = [](sqlite3_file* of, int region, int size, int extend, void volatile** mapped) {
    return file(of).below()->pMethods->xShmMap(file(of).below(), region, size, extend, mapped);
  };
  methods.xShmLock = [](sqlite3_file* of, int offset, int count, int flags) {
    return file(of).below()->pMethods->xShmLock(file(of).below(), offset, count, flags);
  };
  methods.xShmBarrier = [](sqlite3_file* of) { file(of).below()->pMethods->xShmBarrier(file(of).below()); };
  methods.xShmUnmap = [](sqlite3_file* of, int removes) {
    return file(of).below()->pMethods->xShmUnmap(file(of).below(), removes);
  };
}

SimulatedDisk::Vfs::~Vfs() {
  memory.fails = false;
  ::sqlite3_vfs_unregister(&own);
}

// --- File operations
// --------------------------------------------------------------------------------------------------

int SimulatedDisk::Vfs::open(const char* path, File& file, int flags, int* flags_out) {
  file.base.pMethods = nullptr;
  if (!power) return SQLITE_CANTOPEN;
  const int opened = below->xOpen(below, path, file.below(), flags, flags_out);
  if (opened != SQLITE_OK) return opened;
  file.base.pMethods = &methods;
  file.vfs = this;
  const bool counts = (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL)) != 0;
  if (counts) of_open[&file] = image_of(path);
  file.image = counts ? of_open[&file].get() : nullptr;
  return SQLITE_OK;
}

int SimulatedDisk::Vfs::close(File& file) {
  of_open.erase(&file);
  return file.below()->pMethods->xClose(file.below());
}

// A renamed file keeps its image.
const std::shared_ptr<Image>& SimulatedDisk::Vfs::image_of(const char* path) {
  struct stat found{};
  ::stat(path, &found);
  const auto other = std::ranges::find_if(images, [&](const auto& e) { return e.second->number == found.st_ino; });
  if (other != images.end() && other->first != path && found.st_size > 0) {
    auto moved = images.extract(other);
    moved.key() = path;
    images.erase(path);
    images.insert(std::move(moved));
  }
  std::shared_ptr<Image>& image = images[path];
  if (image == nullptr || image->number != found.st_ino) image = std::make_shared<Image>();
  if (image->number != found.st_ino || found.st_size == 0) *image = {found.st_ino, content_of(path), {}};
  return image;
}

int SimulatedDisk::Vfs::read(File& file, void* to, int count, std::int64_t offset) {
  if (!power || fails(read_error_one_in)) return SQLITE_IOERR_READ;
  return file.below()->pMethods->xRead(file.below(), to, count, offset);
}

int SimulatedDisk::Vfs::write_part(File& file, core::ByteView bytes, std::int64_t offset) {
  if (bytes.empty()) return SQLITE_OK;
  if (file.image != nullptr)
    file.image->unsynced.push_back({.offset = static_cast<std::uint64_t>(offset),
                                    .bytes = core::Bytes(bytes.begin(), bytes.end()),
                                    .truncates = false,
                                    .lost = false});
  return file.below()->pMethods->xWrite(file.below(), bytes.data(), static_cast<int>(bytes.size()), offset);
}

int SimulatedDisk::Vfs::write(File& file, const void* from, int count, std::int64_t offset) {
  if (!power) return SQLITE_IOERR_WRITE;
  const core::ByteView bytes{static_cast<const std::byte*>(from), static_cast<std::size_t>(count)};
  sqlite3_int64 size = 0;
  file.below()->pMethods->xFileSize(file.below(), &size);
  const bool full = trouble == Trouble::full && offset + count > size;
  if (!power_goes() && !full && !fails(error_one_in)) return write_part(file, bytes, offset);
  const std::int64_t end = offset + random.below(static_cast<std::uint32_t>(count));
  const std::int64_t whole_sectors = std::max<std::int64_t>(end - end % static_cast<std::int64_t>(sector), offset);
  static_cast<void>(write_part(file, bytes.first(static_cast<std::size_t>(whole_sectors - offset)), offset));
  return full ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

int SimulatedDisk::Vfs::truncate(File& file, std::int64_t size) {
  if (!power || power_goes() || fails(error_one_in)) return SQLITE_IOERR_TRUNCATE;
  if (file.image != nullptr)
    file.image->unsynced.push_back(
        {.offset = static_cast<std::uint64_t>(size), .bytes = {}, .truncates = true, .lost = false});
  return file.below()->pMethods->xTruncate(file.below(), size);
}

int SimulatedDisk::Vfs::sync(File& file, int /*flags*/) {
  if (!power || power_goes()) return SQLITE_IOERR_FSYNC;
  if (file.image == nullptr) return SQLITE_OK;
  Image& image = *file.image;
  if (fails(error_one_in)) {
    for (Change& change : image.unsynced) change.lost = true;
    return SQLITE_IOERR_FSYNC;
  }
  for (const Change& change : image.unsynced) {
    if (change.lost) continue;
    if (change.truncates) image.durable.resize(std::min<std::size_t>(image.durable.size(), change.offset));
    apply(image.durable, change.offset, change.bytes);
  }
  image.unsynced.clear();
  return SQLITE_OK;
}

int SimulatedDisk::Vfs::remove(const char* path, int sync_folder) {
  if (!power || power_goes()) return SQLITE_IOERR_DELETE;
  images.erase(path);
  return below->xDelete(below, path, sync_folder);
}

// --- Power -----------------------------------------------------------------------------------------------------------

bool SimulatedDisk::Vfs::power_goes() {
  if (operations_left == never || operations_left-- > 0) return false;
  operations_left = never;
  power = false;
  return true;
}

// Applies all unsynced writes, none, or some of their sectors.
void SimulatedDisk::Vfs::restore(const std::string& path, Image& image) {
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) return;
  const std::uint32_t share = random.below(3);
  const auto survives = [&] { return share == 2 || (share == 1 && random.chance(1, 2)); };
  for (const Change& change : image.unsynced) {
    if (change.truncates && !change.lost && survives())
      image.durable.resize(std::min<std::size_t>(image.durable.size(), change.offset));
    for (std::size_t at = 0; at < change.bytes.size();) {
      const std::size_t to_next = sector - (change.offset + at) % sector;
      const core::ByteView piece =
          core::ByteView(change.bytes).subspan(at, std::min(to_next, change.bytes.size() - at));
      if (!change.lost && survives()) apply(image.durable, change.offset + at, piece);
      at += piece.size();
    }
  }
  put(path, image.durable);
}

SimulatedDisk::SimulatedDisk(std::uint64_t seed) : vfs_(std::make_unique<Vfs>(seed)) {}
SimulatedDisk::~SimulatedDisk() = default;

void SimulatedDisk::set_trouble(Trouble trouble) {
  vfs_->trouble = trouble;
  memory.fails = trouble == Trouble::memory;
}

void SimulatedDisk::lose_power_after(std::uint32_t operations) {
  vfs_->operations_left = operations;
  if (operations == 0) static_cast<void>(vfs_->power_goes());
}

void SimulatedDisk::restore_power() {
  for (auto& [path, image] : vfs_->images) vfs_->restore(path, *image);
  vfs_->images.clear();
  vfs_->power = true;
}

void SimulatedDisk::repair() {
  set_trouble(Trouble::none);
  vfs_->operations_left = never;
}

bool SimulatedDisk::has_power() const { return vfs_->power; }
bool SimulatedDisk::is_healthy() const {
  return vfs_->power && vfs_->trouble == Trouble::none && vfs_->operations_left == never;
}

}  // namespace mobula::sim
