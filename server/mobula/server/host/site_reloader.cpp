#include <mobula/core/log.hpp>
#include <mobula/server/host/site_reloader.hpp>
#include <system_error>

namespace mobula::server {

SiteReloader::~SiteReloader() {
  if (thread_.joinable()) thread_.join();
}

void SiteReloader::request() {
  const std::lock_guard lock(mutex_);
  wanted_ = true;
  if (running_) return;
  if (thread_.joinable()) thread_.join();  // it has done its work
  try {
    thread_ = std::thread([this] { run(); });
    running_ = true;
  } catch (const std::system_error& error) {
    core::log_error("server", "--web-root: cannot start the thread that reads it: {}", error.what());
  }
}

void SiteReloader::run() {
  while (next()) reload_site(plan_, config_);
}

bool SiteReloader::next() {
  const std::lock_guard lock(mutex_);
  running_ = std::exchange(wanted_, false);
  return running_;
}

}  // namespace mobula::server
