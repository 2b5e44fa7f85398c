#include <gmock/gmock.h>
#include <sys/stat.h>

#include <mobula/server/web/site.hpp>
#include <server/web/gunzip.hpp>
#include <server/web/site_files.hpp>

namespace mobula::server::web {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> paths_of(const Site& site) {
  std::vector<std::string> paths;
  for (const SiteFile& file : site.files()) paths.push_back(file.path);
  return paths;
}

std::string refusal(const SiteFolder& folder) {
  const core::Result<Site> site = Site::load(folder.path().string());
  return site ? "none" : std::string(site.error().reason) + ": " + site.error().message;
}

TEST(Site, HasTheFilesOfAFolderByTheirPaths) {
  const SiteFolder folder;
  folder.put("game.js", "let x;");
  folder.put("assets/a/house.glb", "glTF");
  folder.put("play/index.html", "<p>play</p>");
  folder.put("play/my file.txt", "text");
  const Site site = Site::load(folder.path().string()).value();
  EXPECT_THAT(paths_of(site), ElementsAre("/", "/assets/a/house.glb", "/game.js", "/play/", "/play/my file.txt"));
  EXPECT_EQ(*site.find("/")->content, "<p>the game</p>");
  EXPECT_EQ(site.find("/game.js")->type, "text/javascript; charset=utf-8");
  EXPECT_EQ(site.find("/assets/a/house.glb")->type, "model/gltf-binary");
  EXPECT_EQ(site.find("/game.js")->hash.size(), 16u);
  EXPECT_NE(site.find("/game.js")->hash, site.find("/")->hash);
}

TEST(Site, FindsOnlyExactPaths) {
  const SiteFolder folder;
  folder.put("game.js", "let x;");
  folder.put("play/game.js", "let y;");
  const Site site = Site::load(folder.path().string()).value();
  using namespace std::string_view_literals;
  for (const std::string_view path : {""sv, "game.js"sv, "/index.html"sv, "/Game.js"sv, "/game.js/"sv, "/play"sv,
                                      "/play/../game.js"sv, "/../game.js"sv, "/./game.js"sv, "//game.js"sv,
                                      "/game.js\0"sv, "/play\\game.js"sv, "/play/"sv, "/game.j"sv, "/game.jss"sv})
    EXPECT_EQ(site.find(path), nullptr) << path;
}

TEST(Site, HiddenFilesAreLeftOut) {
  const SiteFolder folder;
  folder.put(".env", "secret");
  folder.put(".git/config", "secret");
  folder.put("a/.htpasswd", "secret");
  EXPECT_THAT(paths_of(Site::load(folder.path().string()).value()), ElementsAre("/"));
}

TEST(Site, ALinkMayNameAnotherFileOfTheFolder) {
  const SiteFolder folder;
  folder.put("game-K3XQ2P7A.js", "let x;");
  store::fs::create_symlink("game-K3XQ2P7A.js", folder.path() / "game.js");
  const Site site = Site::load(folder.path().string()).value();
  EXPECT_EQ(*site.find("/game.js")->content, "let x;");
}

TEST(Site, RefusesLinksThatLeaveTheFolder) {
  const SiteFolder outside;
  outside.put("secret.txt", "secret");
  for (const store::fs::path& target :
       {outside.path() / "secret.txt", store::fs::path("../" + outside.path().filename().string() + "/secret.txt"),
        store::fs::path("/etc/passwd"), store::fs::path("nothing")}) {
    const SiteFolder folder;
    store::fs::create_symlink(target, folder.path() / "link.txt");
    EXPECT_THAT(refusal(folder), HasSubstr("bad link: ")) << target;
    EXPECT_THAT(refusal(folder), HasSubstr("link.txt: the link leaves the folder")) << target;
  }
  // A folder whose name begins with the root's is not inside.
  const SiteFolder folder;
  const std::string beside = folder.path().string() + "2";
  store::fs::create_directory(beside);
  store::write_file_bytes(beside + "/x.txt", "secret");
  store::fs::create_symlink(beside + "/x.txt", folder.path() / "x.txt");
  EXPECT_THAT(refusal(folder), HasSubstr("bad link: "));
  store::fs::remove_all(beside);
}

TEST(Site, RefusesLinksToFolders) {
  const SiteFolder folder;
  folder.put("a/x.txt", "x");
  store::fs::create_directory_symlink("a", folder.path() / "b");
  EXPECT_THAT(refusal(folder), HasSubstr("the link names a folder"));
  const SiteFolder circle;
  store::fs::create_directory_symlink(".", circle.path() / "again");
  EXPECT_THAT(refusal(circle), HasSubstr("the link names a folder"));
}

TEST(Site, RefusesWhatIsNoFile) {
  const SiteFolder folder;
  ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(refusal(folder), HasSubstr("bad file: "));
}

TEST(Site, RefusesNamesThatPathsCannotHave) {
  for (const std::string& name : {std::string("a\\b.txt"), std::string("a\nb.txt"), std::string("\xff.txt")}) {
    const SiteFolder folder;
    folder.put(name, "x");
    EXPECT_THAT(refusal(folder), HasSubstr("bad name: "));
  }
  const SiteFolder folder;
  folder.put(std::string(250, 'a') + '/' + std::string(250, 'b') + '/' + std::string(50, 'c'), "x");
  EXPECT_THAT(refusal(folder), HasSubstr("a path has at most 512 bytes"));
}

TEST(Site, RefusesTooManyAndTooLargeFiles) {
  const SiteFolder many;
  for (std::size_t i = 0; i < site_files_max; ++i) many.put("d/" + std::to_string(i), "");
  EXPECT_THAT(refusal(many), HasSubstr("too many files: "));
  const SiteFolder large;
  large.put("large.png", "");
  store::fs::resize_file(large.path() / "large.png", site_file_bytes_max);
  EXPECT_EQ(refusal(large), "none");
  store::fs::resize_file(large.path() / "large.png", site_file_bytes_max + 1);
  EXPECT_THAT(refusal(large), HasSubstr("large.png: a file has at most 33554432 bytes"));
  store::fs::resize_file(large.path() / "large.png", site_file_bytes_max);
  for (const char* name : {"b.png", "c.png", "d.png"}) {
    large.put(name, "");
    store::fs::resize_file(large.path() / name, site_file_bytes_max);
  }
  EXPECT_THAT(refusal(large), HasSubstr("its files have more than 134217728 bytes"));
}

TEST(Site, RefusesAFolderWithoutAPage) {
  const SiteFolder folder;
  folder.put("play/index.html", "<p>play</p>");
  store::fs::remove(folder.path() / "index.html");
  EXPECT_THAT(refusal(folder), HasSubstr("no index: "));
  const core::Result<Site> missing = Site::load((folder.path() / "nothing").string());
  EXPECT_STREQ(missing.error().reason, "no such folder");
  EXPECT_STREQ(Site::load((folder.path() / "play/index.html").string()).error().reason, "no such folder");
}

TEST(Site, FilesThatShrinkAreKeptCompressed) {
  const SiteFolder folder;
  const std::string script(5000, 'x');
  folder.put("long.js", script);
  folder.put("picture.png", script);
  folder.put("short.js", "x");
  const Site site = Site::load(folder.path().string()).value();
  ASSERT_TRUE(site.find("/long.js")->compressed);
  EXPECT_EQ(gunzip(*site.find("/long.js")->compressed, script.size()), script);
  EXPECT_FALSE(site.find("/picture.png")->compressed) << "a picture is compressed already";
  EXPECT_FALSE(site.find("/short.js")->compressed) << "it would be longer";
}

TEST(Site, NamesWithAHashNeverChange) {
  for (const char* name :
       {"game-K3XQ2P7A.js", "game.0f3c9b1e.css", "a-b-0123456789abcdef0123.wasm", "x.K3XQ2P7A.woff2"})
    EXPECT_TRUE(has_hash(name)) << name;
  for (const char* name :
       {"index.html", "game.js", "three-renderer.js", "report-20261126.json", "notes-LICENSES.txt", "x-deadbeef.js",
        "K3XQ2P7A.js", "game-K3XQ2P7.js", "game-k3xq2p7a.js", "game-K3XQ2P7A", "", "-.", "game-0F3c9b1e.js"})
    EXPECT_FALSE(has_hash(name)) << name;
}

}  // namespace
}  // namespace mobula::server::web
