#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <mobula/core/format.hpp>
#include <mobula/net/bearer_token.hpp>
#include <mobula/process/files.hpp>
#include <string_view>

namespace mobula::net {

core::Result<BearerTokenFile> load_bearer_token(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, bearer_bytes_max + 2> begin{};  // a file may be endless
  file.read(begin.data(), begin.size());
  if (!file.is_open() || file.bad())
    return core::Error{"cannot read", core::format("{}: {}", path, std::strerror(errno != 0 ? errno : EIO))};
  const std::string_view text(begin.data(), static_cast<std::size_t>(file.gcount()));
  std::string line(text.substr(0, text.find('\n')));
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
  const bool printable = std::ranges::all_of(line, [](char c) { return c > 0x20 && c < 0x7f; });
  if (line.size() < bearer_bytes_min || line.size() > bearer_bytes_max || !printable)
    return core::Error{
        "malformed",
        core::format("{}: not a bearer token: expected {} to {} printable characters without spaces, for example from "
                     "`openssl rand -hex 32`",
                     path, bearer_bytes_min, bearer_bytes_max)};
  return BearerTokenFile{line, process::others_may_read(path)};
}

}  // namespace mobula::net
