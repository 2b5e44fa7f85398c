#include <mobula/core/format.hpp>
#include <mobula/process/complete_files.hpp>
#include <mobula/resource/files/resource_file.hpp>
#include <mobula/resource/limits.hpp>

namespace mobula::resource {
namespace {

core::Result<std::shared_ptr<const Resource>> read(core::SharedBytes bytes, const std::string& path) {
  core::Result<std::shared_ptr<const Resource>> resource = Resource::from_shared(std::move(bytes));
  if (resource) return resource;
  return core::Error{resource.error().reason, core::format("{}: {}", path, resource.error().message)};
}

}  // namespace

core::Result<std::shared_ptr<const Resource>> load_file(const std::string& path) {
  core::Result<core::Bytes> bytes = process::read_regular_file(path, limits::file_bytes);
  if (!bytes) return bytes.error();
  return read(core::share(std::move(*bytes)), path);
}

core::Result<std::shared_ptr<const Resource>> map_file(const std::string& path) {
  core::Result<core::SharedBytes> bytes = process::map_file(path, limits::file_bytes);
  if (!bytes) return bytes.error();
  return read(std::move(*bytes), path);
}

}  // namespace mobula::resource
