#include <mobula/schema/entity_resource_generated.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/resource/file.hpp>
#include <mobula/resource/header.hpp>
#include <mobula/resource/limits.hpp>
#include <mobula/resource/resource.hpp>
#include <mobula/resource/verify.hpp>

namespace mobula::resource {
namespace {

core::Status check_header(core::ByteView bytes) {
  const std::size_t magic_bytes = std::min(bytes.size(), header::magic.size());
  if (!std::equal(header::magic.begin(), header::magic.begin() + static_cast<std::ptrdiff_t>(magic_bytes),
                  reinterpret_cast<const char*>(bytes.data())))
    return core::Error{"foreign", "this is no compiled resource: it does not begin with MOBR"};
  if (bytes.size() < header::size)
    return core::Error{"truncated", core::format("{} bytes are left of a header of {}", bytes.size(), header::size)};
  const auto version = core::load<std::uint32_t>(bytes.data() + header::version_offset);
  if (version != format_version)
    return core::Error{"unsupported version",
                       core::format("the file has format {}, this program reads {}", version, format_version)};
  const auto payload = core::load<std::uint64_t>(bytes.data() + header::payload_size_offset);
  if (bytes.size() - header::size < payload)
    return core::Error{"truncated",
                       core::format("{} bytes are left of a payload of {}", bytes.size() - header::size, payload)};
  if (bytes.size() - header::size > payload)
    return core::Error{"damaged", core::format("{} bytes follow the payload", bytes.size() - header::size - payload)};
  return core::Done{};
}

core::Error invalid(std::string message) { return {"invalid", std::move(message)}; }

}  // namespace

// Steps of loading, in order; each trusts those before it.
struct Loader {
  Resource& resource;
  std::size_t bytes_left = 0;  // of the payload, for parts not yet seen

  core::Status load() {
    core::Status header = check_header(resource.bytes_);
    if (!header) return header;
    const core::ByteView payload = core::ByteView(resource.bytes_).subspan(header::size);
    resource.identity_ = core::content_hash(payload);
    if (core::load<core::ContentHash>(resource.bytes_.data() + header::hash_offset) != resource.identity_)
      return core::Error{"damaged", "the content is not what was written: its hash differs"};
    bytes_left = payload.size();
    const auto* data = reinterpret_cast<const std::uint8_t*>(payload.data());
    // At most a table per 8 bytes of file; nesting is fixed by the schema.
    flatbuffers::Verifier verifier(data, payload.size(), 16,
                                   static_cast<flatbuffers::uoffset_t>(payload.size() / 8 + 8));
    if (!fbs::VerifyResourceFileBuffer(verifier)) return invalid("the payload is not well formed");
    return read(*fbs::GetResourceFile(data));
  }

  core::Status read(const fbs::ResourceFile& file) {
    if (file.schema() == nullptr || file.level() == nullptr) return invalid("the schema or the level is missing");
    core::Result<std::shared_ptr<const reflect::Schema>> schema =
        reflect::Schema::load(core::as_bytes(file.schema()->data(), file.schema()->size()));
    if (!schema) return invalid("the embedded schema is refused: " + schema.error().message);
    resource.schema_ = *schema;
    core::Result<EntityResource> level = verify_entity_resource(*file.level(), *resource.schema_, bytes_left);
    if (!level) return level.error();
    resource.level_ = std::move(*level);
    if (core::Status prefabs = read_prefabs(file); !prefabs) return prefabs;
    if (core::Status names = read_names(file); !names) return names;
    return check_names();
  }

  core::Status read_prefabs(const fbs::ResourceFile& file) {
    if (file.prefabs() == nullptr) return core::Done{};
    if (file.prefabs()->size() > limits::prefabs) return invalid("too many prefabs");
    for (const fbs::Prefab* prefab : *file.prefabs()) {
      const core::StringId32 name(prefab->name());
      if (!resource.prefab_names_.empty() && name <= resource.prefab_names_.back())
        return invalid("prefabs are not sorted by name");
      if (prefab->resource() == nullptr) return invalid("a prefab without content");
      core::Result<EntityResource> view = verify_entity_resource(*prefab->resource(), *resource.schema_, bytes_left);
      if (!view) return view.error();
      resource.prefab_names_.push_back(name);
      resource.prefabs_.push_back(std::move(*view));
    }
    return core::Done{};
  }

  core::Status read_names(const fbs::ResourceFile& file) {
    if (file.names() == nullptr) return core::Done{};
    for (const fbs::Name* name : *file.names()) {
      const core::StringId32 id(name->id());
      if (!resource.name_ids_.empty() && id <= resource.name_ids_.back()) return invalid("names are not sorted by id");
      if (name->text() == nullptr || core::StringId32(name->text()->string_view()) != id)
        return invalid("a name that is not its id's text");
      if (!core::is_printable(name->text()->string_view())) return invalid("a name has control characters");
      resource.name_ids_.push_back(id);
      resource.names_.push_back(name->text()->string_view());
    }
    return core::Done{};
  }

  [[nodiscard]] core::Status check_names() const {
    if (core::Status level = check_names(resource.level_); !level) return level;
    for (const EntityResource& prefab : resource.prefabs_)
      if (core::Status names = check_names(prefab); !names) return names;
    return core::Done{};
  }

  // Whoever opens a pool needs the text of its instance name.
  [[nodiscard]] core::Status check_names(const EntityResource& view) const {
    for (const Column& column : view.columns)
      if (resource.name_of(column.key.instance).empty() || resource.name_of(column.key.type).empty())
        return invalid("the name of a column is missing");
    return core::Done{};
  }
};

core::Result<std::shared_ptr<const Resource>> Resource::load(const std::string& path) {
  core::Result<core::Bytes> bytes = read_file(path, limits::file_bytes);
  if (!bytes) return bytes.error();
  std::shared_ptr<Resource> resource(new Resource);
  resource->bytes_ = std::move(*bytes);
  const core::Status loaded = Loader{.resource = *resource}.load();
  if (!loaded) return core::Error{loaded.error().reason, path + ": " + loaded.error().message};
  return std::shared_ptr<const Resource>(std::move(resource));
}

core::Result<std::shared_ptr<const Resource>> Resource::from_bytes(core::ByteView bytes) {
  if (bytes.size() > limits::file_bytes) return core::Error{"too large", "a resource of more than 256 MiB"};
  std::shared_ptr<Resource> resource(new Resource);
  resource->bytes_.assign(bytes.begin(), bytes.end());
  const core::Status loaded = Loader{.resource = *resource}.load();
  if (!loaded) return loaded.error();
  return std::shared_ptr<const Resource>(std::move(resource));
}

const EntityResource* Resource::find_prefab(core::StringId32 name) const {
  const auto found = std::lower_bound(prefab_names_.begin(), prefab_names_.end(), name);
  if (found == prefab_names_.end() || *found != name) return nullptr;
  return &prefabs_[static_cast<std::size_t>(found - prefab_names_.begin())];
}

std::string_view Resource::name_of(core::StringId32 id) const {
  const auto found = std::lower_bound(name_ids_.begin(), name_ids_.end(), id);
  if (found == name_ids_.end() || *found != id) return {};
  return names_[static_cast<std::size_t>(found - name_ids_.begin())];
}

}  // namespace mobula::resource
