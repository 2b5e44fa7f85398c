#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <mobula/server/api/process_facts.hpp>

namespace mobula::server::api {

ProcessFacts process_facts() {
  ProcessFacts facts;
  std::uint64_t pages = 0;
  if (std::ifstream("/proc/self/statm") >> pages >> pages)
    facts.resident_bytes = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  rusage used = {};
  if (::getrusage(RUSAGE_SELF, &used) == 0) {
    const auto in_seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    facts.cpu_seconds = in_seconds(used.ru_utime) + in_seconds(used.ru_stime);
  }
  std::error_code error;
  for (std::filesystem::directory_iterator at("/proc/self/fd", error), end; !error && at != end; at.increment(error))
    ++facts.open_files;
  return facts;
}

std::string_view version() { return MOBULA_VERSION; }

}  // namespace mobula::server::api
