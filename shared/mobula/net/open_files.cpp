#include <sys/resource.h>

#include <mobula/core/format.hpp>
#include <mobula/net/open_files.hpp>

namespace mobula::net {
namespace {

constexpr rlim_t files_min = 64;

}  // namespace

core::Status raise_open_files_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return core::Done{};
  if (limit.rlim_cur != limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  if (limit.rlim_max >= files_min) return core::Done{};
  return core::Error{"few files", core::format("the process may open {} files, and needs at least {}: raise the hard "
                                               "limit (ulimit -Hn, LimitNOFILE of systemd, ulimits of a container)",
                                               limit.rlim_max, files_min)};
}

}  // namespace mobula::net
