// Files of a folder, as a browser requests them. All are read at once, checked and compressed. So a request is looked
// up in a table and never opens a file: no path of a request can leave the folder.
//
//   index.html            /            the page
//   play/index.html       /play/
//   assets/game-K3XQ2P7A.js            /assets/game-K3XQ2P7A.js, which is never another file: its name has a hash
//   .git/…                             left out, as everything whose name begins with a dot
#pragma once

#include <cstdint>
#include <memory>
#include <mobula/core/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::server::web {

inline constexpr std::size_t site_files_max = 4096;
inline constexpr std::uint64_t site_file_bytes_max = 32u << 20;
inline constexpr std::uint64_t site_bytes_max = 128u << 20;
inline constexpr std::size_t site_path_bytes_max = 512;

struct SiteFile {
  std::string path;        // "/assets/game.js"
  std::string_view type;   // "text/javascript; charset=utf-8"
  std::string hash;        // 16 hex digits of the content's hash
  bool immutable = false;  // the name has a hash
  std::shared_ptr<const std::string> content;
  std::shared_ptr<const std::string> compressed;  // by gzip; null if that saves nothing
};

class Site {
 public:
  /// Reads a folder. Errors: "no such folder", "no index", "bad link" (it leaves the folder or names a folder), "bad
  /// name", "bad file", "too large", "too many files".
  static core::Result<Site> load(const std::string& folder);

  /// Returns the file of a decoded path. Null if there is none.
  [[nodiscard]] const SiteFile* find(std::string_view path) const;
  [[nodiscard]] const std::vector<SiteFile>& files() const { return files_; }

 private:
  std::vector<SiteFile> files_;  // by path
};

/// Returns whether a bundler has put a hash of the content into a file's name: "game-K3XQ2P7A.js", "a.0f3c9b1e.css".
bool has_hash(std::string_view name);

}  // namespace mobula::server::web
