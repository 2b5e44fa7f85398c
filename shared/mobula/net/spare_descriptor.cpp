#include <fcntl.h>
#include <unistd.h>

#include <boost/system/errc.hpp>
#include <mobula/core/log.hpp>
#include <mobula/net/spare_descriptor.hpp>
#include <utility>

namespace mobula::net {

bool SpareDescriptor::release() { return descriptor_ >= 0 && ::close(std::exchange(descriptor_, -1)) == 0; }

void SpareDescriptor::renew() {
  if (descriptor_ < 0) descriptor_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

bool is_out_of_descriptors(const boost::system::error_code& error) {
  return error == boost::system::errc::too_many_files_open ||
         error == boost::system::errc::too_many_files_open_in_system;
}

void AcceptFailures::note(std::uint16_t port, const boost::system::error_code& error) {
  if (std::exchange(failing_, true)) return;
  core::log_warn("net", "connections to port {} wait, because accept fails: {}{}", port, error.message(),
                 is_out_of_descriptors(error) ? "; raise the limit of descriptors (ulimit -n, LimitNOFILE)" : "");
}

}  // namespace mobula::net
