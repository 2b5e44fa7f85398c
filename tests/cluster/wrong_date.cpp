// Preloaded into servers of a trial. Adds the seconds in the file that WRONG_DATE_FILE names, a binary 64-bit number,
// to the date that a process reads. The other clocks, which leases and ticks use, stay as they are.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

constexpr std::int64_t none = 0;
const volatile std::int64_t* seconds = &none;  // until the file is mapped

[[gnu::constructor]] void map_seconds() {
  const char* const path = std::getenv("WRONG_DATE_FILE");
  const int file = path == nullptr ? -1 : ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) std::abort();
  void* const mapped = ::mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) std::abort();
  ::close(file);
  seconds = static_cast<const volatile std::int64_t*>(mapped);
}

}  // namespace

// Asks the kernel: a sanitizer may call this while it begins, when dlsym() would wait for that.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const auto status = static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  if (status == 0 && clock == CLOCK_REALTIME) time->tv_sec += *seconds;
  return status;
}
