#include <mobula/schema/wire_generated.h>

#include <algorithm>
#include <mobula/core/text.hpp>
#include <mobula/wire/messages.hpp>

namespace mobula::wire {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

using BodyOffset = std::pair<flat::Body, Offset<void>>;

Offset<flatbuffers::Vector<std::uint8_t>> make_bytes(FlatBufferBuilder& builder, core::ByteView bytes) {
  return builder.CreateVector(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

BodyOffset make_body(FlatBufferBuilder& builder, const Hello& hello) {
  Offset<flatbuffers::Vector<std::uint8_t>> fingerprint;
  if (hello.schema_fingerprint) fingerprint = make_bytes(builder, hello.schema_fingerprint->bytes);
  const auto name = builder.CreateString(hello.name);
  return {flat::Body::Hello, flat::CreateHello(builder, hello.version, fingerprint, name).Union()};
}

BodyOffset make_body(FlatBufferBuilder& builder, const Welcome& welcome) {
  const auto fingerprint = make_bytes(builder, welcome.schema_fingerprint.bytes);
  Offset<flatbuffers::Vector<std::uint8_t>> schema;
  if (!welcome.schema.empty()) schema = make_bytes(builder, welcome.schema);
  std::vector<Offset<flat::Resource>> resources;
  for (const Resource& resource : welcome.resources)
    resources.push_back(flat::CreateResource(builder, make_bytes(builder, resource.identity.bytes), resource.size));
  return {flat::Body::Welcome,
          flat::CreateWelcome(builder, welcome.session, welcome.ticks_per_second, welcome.index_limit, fingerprint,
                              schema, builder.CreateVector(resources))
              .Union()};
}

BodyOffset make_body(FlatBufferBuilder& builder, const Names& names) {
  const auto texts = builder.CreateVectorOfStrings(names.texts);
  return {flat::Body::Names, flat::CreateNames(builder, texts).Union()};
}

BodyOffset make_body(FlatBufferBuilder& builder, const Prototypes& message) {
  std::vector<Offset<flat::Prototype>> prototypes;
  for (const Prototype& prototype : message.prototypes) {
    std::vector<flat::ComponentRef> components;
    for (const index::ComponentRef& component : prototype.components)
      components.emplace_back(component.type.value, component.instance.value);
    prototypes.push_back(
        flat::CreatePrototype(builder, prototype.id, prototype.hash, builder.CreateVectorOfStructs(components)));
  }
  return {flat::Body::Prototypes, flat::CreatePrototypes(builder, builder.CreateVector(prototypes)).Union()};
}

BodyOffset make_body(FlatBufferBuilder& builder, const PlayerEntity& player) {
  const flat::Handle entity(player.entity.index, player.entity.generation);
  return {flat::Body::PlayerEntity, flat::CreatePlayerEntity(builder, &entity).Union()};
}

BodyOffset make_body(FlatBufferBuilder& builder, const RejoinTokens& message) {
  return {flat::Body::RejoinTokens, flat::CreateRejoinTokens(builder, make_bytes(builder, message.tokens)).Union()};
}

BodyOffset make_body(FlatBufferBuilder& builder, const ResourceRequest& request) {
  const auto identity = make_bytes(builder, request.identity.bytes);
  return {flat::Body::ResourceRequest, flat::CreateResourceRequest(builder, identity, request.offset).Union()};
}

BodyOffset make_body(FlatBufferBuilder& builder, const ResourcePart& part) {
  const auto identity = make_bytes(builder, part.identity.bytes);
  const auto bytes = make_bytes(builder, part.bytes);
  return {flat::Body::ResourcePart, flat::CreateResourcePart(builder, identity, part.offset, bytes).Union()};
}

core::Error malformed(const char* what) { return {"malformed message", what}; }

std::string text_of(const flatbuffers::String* text) { return text == nullptr ? std::string() : text->str(); }

bool too_long(const flatbuffers::String* text) { return text != nullptr && text->size() > max_text_bytes; }

std::optional<core::ContentHash> hash_of(const flatbuffers::Vector<std::uint8_t>* bytes) {
  core::ContentHash hash;
  if (bytes == nullptr || bytes->size() != hash.bytes.size()) return std::nullopt;
  std::memcpy(hash.bytes.data(), bytes->data(), hash.bytes.size());
  return hash;
}

core::Bytes bytes_of(const flatbuffers::Vector<std::uint8_t>& flat) {
  const core::ByteView bytes = core::as_bytes(flat.data(), flat.size());
  return {bytes.begin(), bytes.end()};
}

core::Result<Message> read(const flat::Hello& flat) {
  if (too_long(flat.name())) return malformed("Hello: the name is too long");
  Hello hello{.version = flat.version(),
              .schema_fingerprint = hash_of(flat.schema_fingerprint()),
              .name = text_of(flat.name())};
  if (flat.schema_fingerprint() != nullptr && !hello.schema_fingerprint)
    return malformed("Hello: a fingerprint has 32 bytes");
  return Message(std::move(hello));
}

core::Result<Message> read(const flat::Welcome& flat) {
  const std::optional<core::ContentHash> fingerprint = hash_of(flat.schema_fingerprint());
  if (!fingerprint) return malformed("Welcome: a fingerprint has 32 bytes");
  if (flat.ticks_per_second() == 0 || flat.ticks_per_second() > 1000)
    return malformed("Welcome: 1 to 1000 ticks per second");
  if (flat.index_limit() == 0 || flat.index_limit() > max_index_limit)
    return malformed("Welcome: index limit out of range");
  Welcome welcome{.session = flat.session(),
                  .ticks_per_second = flat.ticks_per_second(),
                  .index_limit = flat.index_limit(),
                  .schema_fingerprint = *fingerprint,
                  .schema = {},
                  .resources = {}};
  if (flat.schema() != nullptr) welcome.schema = bytes_of(*flat.schema());
  if (flat.resources() == nullptr) return Message(std::move(welcome));
  if (flat.resources()->size() > max_resources) return malformed("Welcome: too many resources");
  for (const flat::Resource* resource : *flat.resources()) {
    const std::optional<core::ContentHash> identity = hash_of(resource->identity());
    if (!identity) return malformed("Resource: an identity has 32 bytes");
    welcome.resources.push_back({*identity, resource->size()});
  }
  return Message(std::move(welcome));
}

core::Result<Message> read(const flat::Names& flat) {
  if (flat.texts()->size() > max_names) return malformed("Names: too many");
  Names names;
  for (const flatbuffers::String* text : *flat.texts()) {
    if (too_long(text)) return malformed("Names: a name is too long");
    if (!core::is_printable(text_of(text))) return malformed("Names: a name is printable UTF-8");
    names.texts.push_back(text_of(text));
  }
  return Message(std::move(names));
}

core::Result<Prototype> read_prototype(const flat::Prototype& flat) {
  if (flat.components()->size() > max_components_per_prototype) return malformed("Prototype: too many components");
  Prototype prototype{.id = flat.id(), .hash = flat.hash(), .components = {}};
  for (const flat::ComponentRef* component : *flat.components())
    prototype.components.push_back({core::StringId32(component->type()), core::StringId32(component->instance())});
  const auto& all = prototype.components;
  if (std::adjacent_find(all.begin(), all.end(), [](const auto& a, const auto& b) { return a >= b; }) != all.end())
    return malformed("Prototype: components are sorted and differ");
  if (index::prototype_hash(all) != prototype.hash) return malformed("Prototype: the hash is that of the components");
  return prototype;
}

core::Result<Message> read(const flat::Prototypes& flat) {
  if (flat.prototypes()->size() > max_prototypes_per_message) return malformed("Prototypes: too many");
  Prototypes message;
  for (const flat::Prototype* entry : *flat.prototypes()) {
    core::Result<Prototype> prototype = read_prototype(*entry);
    if (!prototype) return prototype.error();
    message.prototypes.push_back(std::move(*prototype));
  }
  return Message(std::move(message));
}

core::Result<Message> read(const flat::PlayerEntity& flat) {
  return Message(PlayerEntity{{flat.entity()->index(), flat.entity()->generation()}});
}

core::Result<Message> read(const flat::RejoinTokens& flat) {
  const std::size_t size = flat.tokens()->size();
  if (size == 0 || size % rejoin_token_bytes != 0 || size > max_rejoin_tokens * rejoin_token_bytes)
    return malformed("RejoinTokens: 1 to 4 tokens of 2048 bytes");
  return Message(RejoinTokens{bytes_of(*flat.tokens())});
}

core::Result<Message> read(const flat::ResourceRequest& flat) {
  const std::optional<core::ContentHash> identity = hash_of(flat.identity());
  if (!identity) return malformed("ResourceRequest: an identity has 32 bytes");
  return Message(ResourceRequest{*identity, flat.offset()});
}

core::Result<Message> read(const flat::ResourcePart& flat) {
  const std::optional<core::ContentHash> identity = hash_of(flat.identity());
  if (!identity) return malformed("ResourcePart: an identity has 32 bytes");
  if (flat.bytes()->size() == 0 || flat.bytes()->size() > max_resource_part_bytes)
    return malformed("ResourcePart: 1 to 65536 bytes");
  return Message(ResourcePart{*identity, flat.offset(), bytes_of(*flat.bytes())});
}

}  // namespace

core::Bytes encode(const Message& message) {
  FlatBufferBuilder builder(512);
  const auto [type, body] = std::visit([&](const auto& value) { return make_body(builder, value); }, message);
  builder.Finish(flat::CreateMessage(builder, type, body));
  const core::ByteView bytes = core::as_bytes(builder.GetBufferPointer(), builder.GetSize());
  return {bytes.begin(), bytes.end()};
}

core::Result<Message> decode_message(core::ByteView bytes) {
  // A fresh vector is aligned for every type in it, which bytes inside a datagram need not be.
  const core::Bytes aligned(bytes.begin(), bytes.end());
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(aligned.data()), aligned.size(), 16, 10'000);
  if (!flat::VerifyMessageBuffer(verifier)) return malformed("not a verified FlatBuffers Message");
  const flat::Message& message = *flat::GetMessage(aligned.data());
  // The verifier lets unknown union members and null bodies through.
  if (message.body() == nullptr) return malformed("a message has a body");
  switch (message.body_type()) {
    case flat::Body::Hello: return read(*message.body_as_Hello());
    case flat::Body::Welcome: return read(*message.body_as_Welcome());
    case flat::Body::Names: return read(*message.body_as_Names());
    case flat::Body::Prototypes: return read(*message.body_as_Prototypes());
    case flat::Body::PlayerEntity: return read(*message.body_as_PlayerEntity());
    case flat::Body::RejoinTokens: return read(*message.body_as_RejoinTokens());
    case flat::Body::ResourceRequest: return read(*message.body_as_ResourceRequest());
    case flat::Body::ResourcePart: return read(*message.body_as_ResourcePart());
    case flat::Body::NONE: break;
  }
  return core::Error{"unknown message", "message type " + std::to_string(static_cast<int>(message.body_type()))};
}

}  // namespace mobula::wire
