#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <mobula/core/content_hash.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/server/admin/content_type.hpp>
#include <mobula/server/web/gzip.hpp>
#include <mobula/server/web/site.hpp>

namespace mobula::server::web {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view index_name = "index.html";
constexpr std::size_t hash_digits = 16;
constexpr std::size_t name_hash_min = 8;
constexpr std::size_t name_hash_max = 64;

struct Alphabet {
  std::string_view letters;
  std::string_view digits;
};
// Hexadecimal digits of most bundlers, and base 32 of esbuild.
constexpr std::array alphabets{Alphabet{"abcdef", "0123456789"}, Alphabet{"ABCDEFGHIJKLMNOPQRSTUVWXYZ", "234567"}};

// A word or a number is no hash, so both kinds of characters are needed.
bool is_hash(std::string_view text) {
  if (text.size() < name_hash_min || text.size() > name_hash_max) return false;
  return std::ranges::any_of(alphabets, [&](const Alphabet& each) {
    const auto has = [](std::string_view set) { return [set](char c) { return set.find(c) != set.npos; }; };
    return std::ranges::all_of(text, [&](char c) { return has(each.letters)(c) || has(each.digits)(c); }) &&
           std::ranges::any_of(text, has(each.letters)) && std::ranges::any_of(text, has(each.digits));
  });
}

core::Error wrong(const char* reason, const fs::path& path, std::string_view problem) {
  return {reason, core::format("{}: {}", core::shown(path.string(), 300), problem)};
}

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

bool is_inside(const fs::path& path, const fs::path& root) {
  return std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first == root.end();
}

// Returns the path of requests for a file.
core::Result<std::string> request_path(const fs::path& file, const fs::path& root) {
  const std::string name = file.lexically_relative(root).generic_string();
  if (!core::is_printable(name) || name.find('\\') != name.npos)
    return wrong("bad name", file, "a name is UTF-8 without control characters and backslashes");
  if (name.size() >= site_path_bytes_max)
    return wrong("bad name", file, core::format("a path has at most {} bytes", site_path_bytes_max));
  const bool is_index = name == index_name || name.ends_with("/index.html");
  return '/' + (is_index ? name.substr(0, name.size() - index_name.size()) : name);
}

// A link may name another file of the folder.
core::Status check_entry(const fs::directory_entry& entry, const fs::path& root) {
  std::error_code error;
  if (entry.is_symlink(error)) {
    const fs::path target = fs::canonical(entry.path(), error);
    if (error || !is_inside(target, root)) return wrong("bad link", entry.path(), "the link leaves the folder");
    if (fs::is_directory(target, error)) return wrong("bad link", entry.path(), "the link names a folder");
  }
  if (!entry.is_regular_file(error)) return wrong("bad file", entry.path(), "this is no file");
  return core::Done{};
}

core::Result<std::string> read(const fs::path& path) {
  std::error_code error;
  const std::uint64_t size = fs::file_size(path, error);
  if (error) return wrong("bad file", path, error.message());
  if (size > site_file_bytes_max)
    return wrong("too large", path, core::format("a file has at most {} bytes", site_file_bytes_max));
  std::string content(size, '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(content.data(), static_cast<std::streamsize>(size))) return wrong("bad file", path, "cannot be read");
  return content;
}

core::Result<SiteFile> load_file(const fs::path& path, const fs::path& root) {
  core::Result<std::string> at = request_path(path, root);
  if (!at) return at.error();
  core::Result<std::string> content = read(path);
  if (!content) return content.error();
  const admin::ContentType type = admin::content_type_of(path.filename().string());
  SiteFile file;
  file.path = std::move(*at);
  file.type = type.type;
  file.hash = to_string(core::content_hash(core::as_bytes(content->data(), content->size()))).substr(0, hash_digits);
  file.immutable = has_hash(path.filename().string());
  std::string compressed = type.shrinks ? gzip(*content) : std::string();
  if (type.shrinks && compressed.size() < content->size())
    file.compressed = std::make_shared<const std::string>(std::move(compressed));
  file.content = std::make_shared<const std::string>(std::move(*content));
  return file;
}

std::uint64_t bytes_of(const SiteFile& file) {
  return file.content->size() + (file.compressed ? file.compressed->size() : 0);
}

// Returns the files below a folder, in the order of their names.
core::Result<std::vector<fs::path>> list(const fs::path& root) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator it(root, error); !error && it != fs::recursive_directory_iterator();
       it.increment(error)) {
    if (is_hidden(it->path())) {
      it.disable_recursion_pending();
      continue;
    }
    if (!it->is_symlink(error) && it->is_directory(error)) continue;
    if (const core::Status good = check_entry(*it, root); !good) return good.error();
    if (paths.size() == site_files_max)
      return wrong("too many files", root, core::format("at most {} are served", site_files_max));
    paths.push_back(it->path());
  }
  if (error) return wrong("bad file", root, error.message());
  std::ranges::sort(paths);
  return paths;
}

}  // namespace

bool has_hash(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return false;
  name = name.substr(0, dot);
  const std::size_t begin = name.find_last_of("-.");
  return begin != std::string_view::npos && is_hash(name.substr(begin + 1));
}

core::Result<Site> Site::load(const std::string& folder) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error || !fs::is_directory(root, error)) return wrong("no such folder", folder, "there is no such folder");
  const core::Result<std::vector<fs::path>> paths = list(root);
  if (!paths) return paths.error();
  Site site;
  std::uint64_t bytes = 0;
  for (const fs::path& path : *paths) {
    core::Result<SiteFile> file = load_file(path, root);
    if (!file) return file.error();
    bytes += bytes_of(*file);
    if (bytes > site_bytes_max)
      return wrong("too large", root, core::format("its files have more than {} bytes", site_bytes_max));
    site.files_.push_back(std::move(*file));
  }
  std::ranges::sort(site.files_, {}, &SiteFile::path);
  if (site.find("/") == nullptr) return wrong("no index", root, "there is no index.html in it");
  return site;
}

const SiteFile* Site::find(std::string_view path) const {
  const auto found =
      std::ranges::lower_bound(files_, path, {}, [](const SiteFile& file) -> std::string_view { return file.path; });
  return found == files_.end() || found->path != path ? nullptr : &*found;
}

}  // namespace mobula::server::web
