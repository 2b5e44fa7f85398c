// Preloaded into servers of a trial. Adds the seconds in the file that WRONG_DATE_FILE names, a binary 64-bit number,
// to the date that a process reads. The other clocks, which leases and ticks use, stay as they are.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

const volatile std::int64_t* map_seconds() {
  const char* const path = std::getenv("WRONG_DATE_FILE");
  const int file = path == nullptr ? -1 : ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) std::abort();
  void* const mapped = ::mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) std::abort();
  ::close(file);
  return static_cast<const volatile std::int64_t*>(mapped);
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static const auto read = reinterpret_cast<int (*)(clockid_t, timespec*)>(::dlsym(RTLD_NEXT, "clock_gettime"));
  static const volatile std::int64_t* const seconds = map_seconds();
  const int status = read(clock, time);
  if (clock == CLOCK_REALTIME) time->tv_sec += *seconds;
  return status;
}
