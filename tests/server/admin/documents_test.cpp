#include <gtest/gtest.h>

#include <fstream>
#include <mobula/server/admin/documents.hpp>
#include <mobula/server/admin/router.hpp>
#include <sstream>

namespace mobula::server::admin {
namespace {

constexpr EmbeddedFile files[] = {{"index.html", "<p>hello</p>"}, {"app.js", "let x;"}, {"vendor/chart.css", "p{}"}};

Response get(const std::string& path, const std::string& if_none_match = {}, const std::string& token = {}) {
  Request request;
  request.method = "GET";
  request.path = path;
  request.host = "localhost";
  request.if_none_match = if_none_match;
  return std::get<Response>(Router(file_routes(files), token).answer(request));
}

std::string header(const Response& response, std::string_view name) {
  for (const auto& [each, value] : response.headers)
    if (each == name) return value;
  return {};
}

TEST(AdminDocuments, ServesFilesWithTypesAndASecurityPolicy) {
  EXPECT_EQ(get("/").body, "<p>hello</p>");
  EXPECT_EQ(get("/").type, "text/html; charset=utf-8");
  EXPECT_EQ(get("/inspector/app.js").type, "text/javascript; charset=utf-8");
  EXPECT_EQ(get("/inspector/vendor/chart.css").body, "p{}");
  EXPECT_TRUE(header(get("/"), "Content-Security-Policy").starts_with("default-src 'none'; script-src 'self'"));
  EXPECT_EQ(get("/inspector/nothing.js").status, 404u);
  EXPECT_EQ(get("/inspector/../app.js").status, 404u);
  EXPECT_EQ(get("/inspector/%61pp.js").status, 404u);
}

TEST(AdminDocuments, AnUnchangedFileIsAnsweredWith304) {
  const std::string tag = header(get("/"), "ETag");
  EXPECT_EQ(tag.size(), 18u);
  EXPECT_EQ(get("/", tag).status, 304u);
  EXPECT_EQ(get("/", tag).body, "");
  EXPECT_EQ(get("/", "\"another\"").status, 200u);
  EXPECT_NE(header(get("/inspector/app.js"), "ETag"), tag);
}

// The page has no secrets, and asks the user for the token.
TEST(AdminDocuments, ThePageIsServedWithoutTheToken) { EXPECT_EQ(get("/", {}, "0123456789abcdef").status, 200u); }

TEST(AdminDocuments, EmbeddedFilesEqualTheTree) {
  const auto read = [](const std::string& path) {
    std::ifstream file(MOBULA_SOURCE_DIR "/" + path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  };
  ASSERT_EQ(openapi_files().size(), 1u);
  EXPECT_EQ(openapi_files()[0].content, read("server/mobula/server/admin/openapi.json"));
  bool has_index = false;
  for (const EmbeddedFile& file : inspector_files()) {
    EXPECT_EQ(file.content, read("client/inspector/" + std::string(file.path))) << file.path;
    has_index = has_index || file.path == "index.html";
  }
  EXPECT_TRUE(has_index);
}

}  // namespace
}  // namespace mobula::server::admin
