// A folder with a page, for tests.
#pragma once

#include <server/store/test_folder.hpp>

namespace mobula::server::web {

struct SiteFolder : store::TestFolder {
  SiteFolder() { put("index.html", "<p>the game</p>"); }

  void put(const std::string& name, const std::string& content) const {
    const store::fs::path at = path() / name;
    store::fs::create_directories(at.parent_path());
    store::write_file_bytes(at.string(), content);
  }
};

}  // namespace mobula::server::web
