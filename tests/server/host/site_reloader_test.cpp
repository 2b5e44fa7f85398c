#include <gtest/gtest.h>

#include <mobula/server/host/site_reloader.hpp>
#include <server/web/site_files.hpp>

namespace mobula::server {
namespace {

class SiteReloaderTest : public testing::Test {
 protected:
  SiteReloaderTest() {
    config.web_root = folder.path().string();
    config.web_port = 0;
    config.ws_port = 0;
    plan = **plan_web_address(config);
  }
  [[nodiscard]] std::string page() const { return *plan.site->get()->find("/")->content; }

  web::SiteFolder folder;
  HostConfig config;
  WebPlan plan;
};

TEST_F(SiteReloaderTest, ReadsNothingUnasked) {
  folder.put("index.html", "<p>another</p>");
  {
    const SiteReloader reloader(plan, config);
  }
  EXPECT_EQ(page(), "<p>the game</p>");
}

TEST_F(SiteReloaderTest, ServesTheFilesOfTheLastRequest) {
  {
    SiteReloader reloader(plan, config);
    for (int i = 0; i < 50; ++i) {
      folder.put("index.html", std::to_string(i));
      reloader.request();
    }
  }
  EXPECT_EQ(page(), "49");
}

}  // namespace
}  // namespace mobula::server
