// Reads the files of the web address again, beside the simulation: large ones take seconds to compress.
#pragma once

#include <mobula/server/host/web_address.hpp>
#include <mutex>
#include <thread>

namespace mobula::server {

class SiteReloader {
 public:
  /// `config` outlives it.
  SiteReloader(WebPlan plan, const HostConfig& config) : plan_(std::move(plan)), config_(config) {}
  /// Waits until the files are read that were requested.
  ~SiteReloader();
  SiteReloader(const SiteReloader&) = delete;
  SiteReloader& operator=(const SiteReloader&) = delete;

  /// Returns at once. The files are read by a thread; if it is reading already, once more afterwards.
  void request();

 private:
  void run();
  bool next();

  const WebPlan plan_;
  const HostConfig& config_;
  std::mutex mutex_;
  bool wanted_ = false;   // since the thread began to read
  bool running_ = false;  // the thread has not ended
  std::thread thread_;
};

}  // namespace mobula::server
