#include <mobula/schema/entity_resource_generated.h>

#include <algorithm>
#include <memory>
#include <mobula/core/format.hpp>
#include <mobula/core/hash.hpp>
#include <mobula/core/text.hpp>
#include <mobula/resource/header.hpp>
#include <mobula/resource/limits.hpp>
#include <mobula/resource/resource.hpp>
#include <mobula/resource/verify.hpp>

namespace mobula::resource {
namespace {

core::Error too_large(std::size_t bytes) {
  return {"too large",
          core::format("a resource of {} bytes; the maximum is {}: divide the level", bytes, limits::file_bytes)};
}

// Returns the payload of the first part of the bytes.
core::Result<core::ByteView> open_part(core::ByteView bytes) {
  const std::size_t magic_bytes = std::min(bytes.size(), header::magic.size());
  if (!std::equal(header::magic.begin(), header::magic.begin() + static_cast<std::ptrdiff_t>(magic_bytes),
                  reinterpret_cast<const char*>(bytes.data())))
    return core::Error{"foreign", "this is not a compiled resource: it does not begin with MOBR"};
  if (bytes.size() < header::size)
    return core::Error{"truncated", core::format("{} bytes are left of a header of {}", bytes.size(), header::size)};
  const auto version = core::load<std::uint32_t>(bytes.data() + header::version_offset);
  if (version != format_version)
    return core::Error{"unsupported version",
                       core::format("the file has format {}, this program reads {}", version, format_version)};
  const auto size = core::load<std::uint64_t>(bytes.data() + header::payload_size_offset);
  if (bytes.size() - header::size < size)
    return core::Error{"truncated",
                       core::format("{} bytes are left of a payload of {}", bytes.size() - header::size, size)};
  if (size % 16 != 0) return core::Error{"damaged", "the payload's size is not a multiple of 16"};
  const core::ByteView payload = bytes.subspan(header::size, size);
  if (core::load<core::ContentHash>(bytes.data() + header::hash_offset) != core::content_hash(payload))
    return core::Error{"damaged", "the content is not what was written: its hash differs"};
  return payload;
}

core::Error invalid(std::string message) { return {"invalid", std::move(message)}; }

core::Result<const fbs::ResourceFile*> verify_tables(core::ByteView payload) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(payload.data());
  // At most a table per 8 bytes of file; nesting is fixed by the schema.
  flatbuffers::Verifier verifier(data, payload.size(), 16, static_cast<flatbuffers::uoffset_t>(payload.size() / 8 + 8));
  if (!fbs::VerifyResourceFileBuffer(verifier)) return invalid("the payload is not well formed");
  const fbs::ResourceFile* const file = fbs::GetResourceFile(data);
  if (file->level() == nullptr) return invalid("the level is missing");
  return file;
}

bool good_entity_name(std::string_view text) {
  return !text.empty() && text.size() <= limits::name_bytes && text.find('/') == std::string_view::npos;
}

}  // namespace

// Steps of loading, in order. Each relies on the checks of those before it.
struct Loader {
  Resource& resource;
  std::size_t bytes_left = 0;  // bytes of the payload that no part has claimed yet

  core::Status load() {
    const core::ByteView bytes = resource.bytes();
    const core::Result<core::ByteView> clients = open_part(bytes);
    if (!clients) return clients.error();
    resource.clients_size_ = header::size + clients->size();
    resource.identity_ = core::load<core::ContentHash>(bytes.data() + header::hash_offset);
    if (core::Status read = read_clients(*clients); !read) return read;
    const core::ByteView rest = bytes.subspan(resource.clients_size_);
    if (!rest.empty()) {
      const core::Result<core::ByteView> server = open_part(rest);
      if (!server) return server.error();
      if (header::size + server->size() < rest.size())
        return core::Error{
            "damaged", core::format("{} bytes follow the server's part", rest.size() - header::size - server->size())};
      if (core::Status read = read_server(*server); !read) return read;
      resource.server_identity_ = core::load<core::ContentHash>(rest.data() + header::hash_offset);
    }
    return check_names();
  }

  core::Status read_clients(core::ByteView payload) {
    const core::Result<const fbs::ResourceFile*> verified = verify_tables(payload);
    if (!verified) return verified.error();
    const fbs::ResourceFile& file = **verified;
    if (file.schema() == nullptr || file.completes() != nullptr) return invalid("the clients' part is missing");
    core::Result<std::shared_ptr<const reflect::Schema>> schema =
        reflect::Schema::load(core::as_bytes(file.schema()->data(), file.schema()->size()));
    if (!schema) return invalid("the embedded schema is refused: " + schema.error().message);
    resource.schema_ = *schema;
    bytes_left = payload.size();
    core::Result<EntityResource> level = verify_clients_part(*file.level(), *resource.schema_, bytes_left);
    if (!level) return level.error();
    resource.level_ = std::move(*level);
    if (core::Status prefabs = read_prefabs(file); !prefabs) return prefabs;
    if (core::Status statics = read_statics(file); !statics) return statics;
    return read_names(file);
  }

  core::Status read_server(core::ByteView payload) {
    const core::Result<const fbs::ResourceFile*> verified = verify_tables(payload);
    if (!verified) return verified.error();
    const fbs::ResourceFile& file = **verified;
    if (file.completes() == nullptr || file.completes()->size() != sizeof(core::ContentHash) ||
        core::load<core::ContentHash>(reinterpret_cast<const std::byte*>(file.completes()->data())) !=
            resource.identity_)
      return invalid("the server's part is of another level");
    bytes_left = payload.size();
    core::Status done = verify_server_part(*file.level(), *resource.schema_, bytes_left, resource.level_);
    if (!done) return done;
    const std::uint32_t prefabs = file.prefabs() == nullptr ? 0 : file.prefabs()->size();
    if (prefabs != resource.prefabs_.size()) return invalid("the parts have other prefabs");
    for (std::uint32_t i = 0; i < prefabs; ++i) {
      const fbs::Prefab& prefab = *file.prefabs()->Get(i);
      if (core::StringId32(prefab.name()) != resource.prefab_names_[i] || prefab.resource() == nullptr)
        return invalid("the parts have other prefabs");
      done = verify_server_part(*prefab.resource(), *resource.schema_, bytes_left, resource.prefabs_[i]);
      if (!done) return done;
    }
    if (core::Status statics = read_statics(file); !statics) return statics;
    return read_names(file);
  }

  core::Status read_prefabs(const fbs::ResourceFile& file) {
    if (file.prefabs() == nullptr) return core::Done{};
    if (file.prefabs()->size() > limits::prefabs) return invalid(core::format("more than {} prefabs", limits::prefabs));
    for (const fbs::Prefab* prefab : *file.prefabs()) {
      const core::StringId32 name(prefab->name());
      if (!resource.prefab_names_.empty() && name <= resource.prefab_names_.back())
        return invalid("prefabs are not sorted by name");
      if (prefab->resource() == nullptr) return invalid("a prefab without content");
      core::Result<EntityResource> view = verify_clients_part(*prefab->resource(), *resource.schema_, bytes_left);
      if (!view) return view.error();
      if (view->num_entities == 0) return invalid("a prefab without entities");
      resource.prefab_names_.push_back(name);
      resource.prefabs_.push_back(std::move(*view));
    }
    return core::Done{};
  }

  core::Status read_statics(const fbs::ResourceFile& file) {
    if (file.statics() == nullptr) return core::Done{};
    if (file.statics()->size() > limits::statics) return invalid(core::format("more than {} statics", limits::statics));
    for (const fbs::Static* each : *file.statics()) {
      if (each->data() == nullptr || each->data()->size() > bytes_left) return invalid("a static without data");
      bytes_left -= each->data()->size();
      const Static read{each->id(), core::StringId32(each->type()),
                        core::as_bytes(each->data()->data(), each->data()->size())};
      if (!read.data.empty() && reinterpret_cast<std::uintptr_t>(read.data.data()) % 16 != 0)
        return invalid("a static is not 16-aligned");
      if (static_id(read.type, read.data) != read.id) return invalid("a static whose id is not its content's");
      resource.statics_.push_back(read);
    }
    std::ranges::sort(resource.statics_, {}, &Static::id);
    if (std::ranges::adjacent_find(resource.statics_, {}, &Static::id) != resource.statics_.end())
      return invalid("a static is there twice");
    return core::Done{};
  }

  core::Status read_names(const fbs::ResourceFile& file) {
    if (file.names() == nullptr) return core::Done{};
    std::vector<std::pair<core::StringId32, std::string_view>> names;
    for (std::size_t i = 0; i < resource.names_.size(); ++i)
      names.emplace_back(resource.name_ids_[i], resource.names_[i]);
    for (const fbs::Name* name : *file.names()) {
      const core::StringId32 id(name->id());
      if (name->text() == nullptr || core::StringId32(name->text()->string_view()) != id)
        return invalid("a name that is not its id's text");
      if (!core::is_printable(name->text()->string_view())) return invalid("a name has control characters");
      names.emplace_back(id, name->text()->string_view());
    }
    std::ranges::sort(names);
    resource.name_ids_.clear();
    resource.names_.clear();
    for (const auto& [id, text] : names) {
      if (!resource.name_ids_.empty() && id == resource.name_ids_.back()) return invalid("a name is there twice");
      resource.name_ids_.push_back(id);
      resource.names_.push_back(text);
    }
    return core::Done{};
  }

  [[nodiscard]] core::Status check_names() const {
    if (core::Status level = check_names(resource.level_); !level) return level;
    for (const EntityResource& prefab : resource.prefabs_)
      if (core::Status names = check_names(prefab); !names) return names;
    return core::Done{};
  }

  // Checks that names are present. A pool is opened with the text of its instance name.
  [[nodiscard]] core::Status check_names(const EntityResource& view) const {
    for (const Column& column : view.columns)
      if (resource.name_of(column.key.instance).empty() || resource.name_of(column.key.type).empty())
        return invalid("the name of a column is missing");
    const EntityName* last = nullptr;
    for (const EntityName& name : view.names) {
      if (last != nullptr && name.name == last->name) continue;  // consecutive instances of a placement share a name
      last = &name;
      if (!good_entity_name(resource.name_of(name.name))) return invalid("the name of an entity is missing");
    }
    return core::Done{};
  }
};

std::uint64_t static_id(core::StringId32 type, core::ByteView data) { return core::hash64(data, type.value); }

core::Result<std::shared_ptr<const Resource>> Resource::from_shared(core::SharedBytes bytes) {
  if (bytes.view.size() > limits::file_bytes) return too_large(bytes.view.size());
  std::shared_ptr<Resource> resource(new Resource);
  resource->bytes_ = std::move(bytes);
  if (const core::Status loaded = Loader{.resource = *resource}.load(); !loaded) return loaded.error();
  return std::shared_ptr<const Resource>(std::move(resource));
}

core::Result<std::shared_ptr<const Resource>> Resource::from_bytes(core::ByteView bytes) {
  if (bytes.size() > limits::file_bytes) return too_large(bytes.size());
  return from_shared(core::share({bytes.begin(), bytes.end()}));
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

const Static* Resource::find_static(std::uint64_t id) const {
  const auto found = std::ranges::lower_bound(statics_, id, {}, &Static::id);
  return found == statics_.end() || found->id != id ? nullptr : &*found;
}

const Static* Resource::find_static_of(core::StringId32 type) const {
  const auto found = std::ranges::find(statics_, type, &Static::type);
  return found == statics_.end() ? nullptr : &*found;
}

}  // namespace mobula::resource
