#include <algorithm>
#include <array>
#include <mobula/server/admin/content_type.hpp>

namespace mobula::server::admin {
namespace {

constexpr std::array types{ContentType{".html", "text/html; charset=utf-8"},
                           ContentType{".js", "text/javascript; charset=utf-8"},
                           ContentType{".mjs", "text/javascript; charset=utf-8"},
                           ContentType{".css", "text/css; charset=utf-8"},
                           ContentType{".json", "application/json"},
                           ContentType{".map", "application/json"},
                           ContentType{".webmanifest", "application/manifest+json"},
                           ContentType{".wasm", "application/wasm"},
                           ContentType{".svg", "image/svg+xml"},
                           ContentType{".txt", "text/plain; charset=utf-8"},
                           ContentType{".ico", "image/x-icon"},
                           ContentType{".glb", "model/gltf-binary"},
                           ContentType{".ttf", "font/ttf"},
                           ContentType{".png", "image/png", false},
                           ContentType{".jpg", "image/jpeg", false},
                           ContentType{".webp", "image/webp", false},
                           ContentType{".woff2", "font/woff2", false},
                           ContentType{".mp3", "audio/mpeg", false},
                           ContentType{".ogg", "audio/ogg", false}};

}  // namespace

ContentType content_type_of(std::string_view path) {
  const auto found =
      std::ranges::find_if(types, [&](const ContentType& each) { return path.ends_with(each.extension); });
  return found == types.end() ? ContentType{"", "application/octet-stream"} : *found;
}

}  // namespace mobula::server::admin
