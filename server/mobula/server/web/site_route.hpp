// Answers requests for the files of a site, with the headers that browsers need.
#pragma once

#include <memory>
#include <mobula/server/admin/http.hpp>
#include <mobula/server/web/site.hpp>
#include <mutex>

namespace mobula::server::web {

/// The site that is served now. Another thread may replace it.
class CurrentSite {
 public:
  explicit CurrentSite(Site site) { replace(std::move(site)); }
  void replace(Site site);
  [[nodiscard]] std::shared_ptr<const Site> get() const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Site> site_;
};

/// Answers a request for a file. An unchanged file is answered with 304. Errors: 404.
admin::Response answer_file(const Site& site, const admin::Request& request);

/// Returns the route for all paths that have no other route. It stands last.
admin::Route site_route(std::shared_ptr<const CurrentSite> site);

}  // namespace mobula::server::web
