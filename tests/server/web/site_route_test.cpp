#include <gmock/gmock.h>

#include <mobula/server/admin/router.hpp>
#include <mobula/server/web/site_route.hpp>
#include <server/web/gunzip.hpp>
#include <server/web/site_files.hpp>

namespace mobula::server::web {
namespace {

using admin::Request;
using admin::Response;
using testing::HasSubstr;

class SiteRoute : public testing::Test {
 protected:
  SiteRoute() {
    folder.put("game-K3XQ2P7A.js", script);
    folder.put("my file.txt", "text");
    site = std::make_shared<CurrentSite>(Site::load(folder.path().string()).value());
  }

  [[nodiscard]] Response get(const std::string& path, const std::string& encoding = {},
                             const std::string& tag = {}) const {
    Request request;
    request.method = "GET";
    request.path = path;
    request.host = "localhost";
    request.accept_encoding = encoding;
    request.if_none_match = tag;
    return std::get<Response>(admin::Router({site_route(site)}).answer(request));
  }
  static std::string header(const Response& response, std::string_view name) {
    for (const auto& [each, value] : response.headers)
      if (each == name) return value;
    return {};
  }

  const std::string script = std::string(3000, 'x');
  SiteFolder folder;
  std::shared_ptr<CurrentSite> site;
};

TEST_F(SiteRoute, AnswersWithTheHeadersThatBrowsersNeed) {
  const Response page = get("/");
  EXPECT_EQ(page.status, 200u);
  EXPECT_EQ(*page.shared_body, "<p>the game</p>");
  EXPECT_EQ(page.type, "text/html; charset=utf-8");
  EXPECT_EQ(header(page, "Cache-Control"), "no-cache");
  EXPECT_EQ(header(page, "Referrer-Policy"), "no-referrer");
  EXPECT_EQ(header(page, "Cross-Origin-Opener-Policy"), "same-origin");
  EXPECT_EQ(header(page, "Cross-Origin-Resource-Policy"), "same-origin");
  const std::string policy = header(page, "Content-Security-Policy");
  for (const char* part : {"default-src 'self';", "script-src 'self' 'wasm-unsafe-eval';",
                           "connect-src 'self' ws: wss:;", "object-src 'none';", "frame-ancestors 'none'"})
    EXPECT_THAT(policy, HasSubstr(part));
  EXPECT_THAT(policy, testing::Not(HasSubstr("unsafe-inline")));
  EXPECT_THAT(policy, testing::Not(HasSubstr("'unsafe-eval'")));
  EXPECT_EQ(header(get("/game-K3XQ2P7A.js"), "Cache-Control"), "public, max-age=31536000, immutable");
}

TEST_F(SiteRoute, CompressesForBrowsersThatTakeIt) {
  const Response packed = get("/game-K3XQ2P7A.js", "gzip, deflate, br");
  EXPECT_EQ(header(packed, "Content-Encoding"), "gzip");
  EXPECT_EQ(header(packed, "Vary"), "Accept-Encoding");
  EXPECT_EQ(gunzip(*packed.shared_body, script.size()), script);
  const Response plain = get("/game-K3XQ2P7A.js", "br");
  EXPECT_EQ(header(plain, "Content-Encoding"), "");
  EXPECT_EQ(header(plain, "Vary"), "Accept-Encoding");
  EXPECT_EQ(*plain.shared_body, script);
  EXPECT_NE(header(plain, "ETag"), header(packed, "ETag")) << "a cache must not confuse them";
  EXPECT_EQ(header(get("/my file.txt", "gzip"), "Vary"), "") << "it has one form";
}

TEST_F(SiteRoute, AnUnchangedFileIsAnsweredWith304) {
  for (const char* encoding : {"", "gzip"}) {
    const std::string tag = header(get("/game-K3XQ2P7A.js", encoding), "ETag");
    const Response same = get("/game-K3XQ2P7A.js", encoding, "W/" + tag + ", \"other\"");
    EXPECT_EQ(same.status, 304u);
    EXPECT_EQ(same.shared_body, nullptr);
    EXPECT_EQ(header(same, "ETag"), tag);
    EXPECT_EQ(header(same, "Content-Encoding"), "");
    EXPECT_EQ(get("/", encoding, tag).status, 200u);
  }
  const std::string plain = header(get("/game-K3XQ2P7A.js"), "ETag");
  EXPECT_EQ(get("/game-K3XQ2P7A.js", "gzip", plain).status, 200u);
}

TEST_F(SiteRoute, APathIsDecodedOnce) {
  EXPECT_EQ(*get("/my%20file.txt").shared_body, "text");
  EXPECT_EQ(*get("/%67ame-K3XQ2P7A.js").shared_body, script);
  for (const char* path : {"/my%2520file.txt", "/my+file.txt", "/my%2", "/my%zzfile.txt", "/%00", "/my%20file.txt%00"})
    EXPECT_EQ(get(path).status, 404u) << path;
}

TEST_F(SiteRoute, NoPathLeavesTheFolder) {
  const std::string name = folder.path().filename().string();
  store::write_file_bytes((folder.path().parent_path() / (name + ".secret")).string(), "secret");
  for (const std::string& path :
       {"/../" + name + ".secret", "/%2e%2e/" + name + ".secret", "/..%2f" + name + ".secret",
        "/x/../../" + name + ".secret", "/..\\" + name + ".secret", "/%2e%2e%5c" + name + ".secret",
        '/' + folder.path().string() + ".secret", folder.path().string() + ".secret", std::string("/../../etc/passwd"),
        std::string("//etc/passwd"), std::string("/."), std::string("/.."), std::string("*"), std::string()})
    EXPECT_EQ(get(path).status, 404u) << path;
  store::fs::remove(folder.path().parent_path() / (name + ".secret"));
}

TEST_F(SiteRoute, AnUnknownPathIsNamed) {
  EXPECT_EQ(get("/nothing.js").body, R"({"error":{"code":"not_found","message":"there is no '/nothing.js'"}})");
  EXPECT_EQ(get('/' + std::string(5000, 'x')).status, 404u);
}

TEST_F(SiteRoute, ServesTheFilesThatAreThereNow) {
  const std::shared_ptr<const Site> before = site->get();
  folder.put("index.html", "<p>another</p>");
  EXPECT_EQ(*get("/").shared_body, "<p>the game</p>") << "they are read once";
  site->replace(Site::load(folder.path().string()).value());
  EXPECT_EQ(*get("/").shared_body, "<p>another</p>");
  EXPECT_EQ(*before->find("/")->content, "<p>the game</p>") << "an answer that is being sent keeps its file";
}

}  // namespace
}  // namespace mobula::server::web
