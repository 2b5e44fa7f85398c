#include <mobula/schema/wire_generated.h>

#include <mobula/wire/messages.hpp>
#include <span>

namespace mobula::wire {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

using BodyOffset = std::pair<flat::Body, Offset<void>>;

Offset<flatbuffers::Vector<std::uint8_t>> make_bytes(FlatBufferBuilder& builder, core::ByteView bytes) {
  return builder.CreateVector(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

Offset<flatbuffers::Vector<std::uint8_t>> make_hashes(FlatBufferBuilder& builder,
                                                      std::span<const core::ContentHash> hashes) {
  core::Bytes bytes;
  for (const core::ContentHash& hash : hashes) bytes.insert(bytes.end(), hash.bytes.begin(), hash.bytes.end());
  return make_bytes(builder, bytes);
}

BodyOffset make_body(FlatBufferBuilder& builder, const Hello& hello) {
  Offset<flatbuffers::Vector<std::uint8_t>> fingerprint;
  if (hello.schema_fingerprint) fingerprint = make_bytes(builder, hello.schema_fingerprint->bytes);
  const auto name = builder.CreateString(hello.name);
  const auto resources = make_hashes(builder, hello.resources);
  const auto schemas = make_hashes(builder, hello.schemas);
  return {flat::Body::Hello,
          flat::CreateHello(builder, hello.version, fingerprint, name, hello.verify, resources, schemas, hello.resume,
                            hello.spectate, hello.refusals, hello.follows, hello.awaits_player, hello.commands_continue)
              .Union()};
}

Offset<flatbuffers::Vector<Offset<flat::Resource>>> make_resources(FlatBufferBuilder& builder,
                                                                   std::span<const Resource> resources) {
  std::vector<Offset<flat::Resource>> made;
  for (const Resource& resource : resources)
    made.push_back(flat::CreateResource(builder, make_bytes(builder, resource.identity.bytes), resource.size,
                                        resource.first_tick));
  return builder.CreateVector(made);
}

BodyOffset make_body(FlatBufferBuilder& builder, const Welcome& welcome) {
  const auto fingerprint = make_bytes(builder, welcome.schema_fingerprint.bytes);
  Offset<flatbuffers::Vector<std::uint8_t>> schema;
  if (!welcome.schema.empty()) schema = make_bytes(builder, welcome.schema);
  const auto resources = make_resources(builder, welcome.resources);
  return {flat::Body::Welcome,
          flat::CreateWelcome(builder, welcome.session, welcome.ticks_per_second, welcome.entities_max, fingerprint,
                              schema, resources, welcome.resumed, welcome.prediction_seed)
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

BodyOffset make_body(FlatBufferBuilder& builder, const CommandRefused& refused) {
  const auto reason = builder.CreateString(refused.reason);
  return {flat::Body::CommandRefused, flat::CreateCommandRefused(builder, refused.number, reason).Union()};
}

BodyOffset make_body(FlatBufferBuilder& builder, const Closing& closing) {
  const auto reason = builder.CreateString(closing.reason);
  return {flat::Body::Closing, flat::CreateClosing(builder, closing.seconds, reason).Union()};
}

BodyOffset make_body(FlatBufferBuilder& builder, const RejoinTokens& message) {
  return {flat::Body::RejoinTokens,
          flat::CreateRejoinTokens(builder, make_bytes(builder, message.tokens), message.grace_seconds).Union()};
}

BodyOffset make_body(FlatBufferBuilder& builder, const Follow& follow) {
  const auto world = builder.CreateString(follow.world);
  const auto token = make_bytes(builder, follow.token);
  const auto addresses = builder.CreateVectorOfStrings(follow.addresses);
  return {flat::Body::Follow, flat::CreateFollow(builder, world, token, addresses, follow.visit).Union()};
}

BodyOffset make_body(FlatBufferBuilder& builder, const Visit& visit) {
  const flat::Handle entity(visit.entity.index, visit.entity.generation);
  return {flat::Body::Visit, flat::CreateVisit(builder, visit.client_id, &entity).Union()};
}

BodyOffset make_body(FlatBufferBuilder& builder, const Forward& forward) {
  const flat::Handle entity(forward.entity.index, forward.entity.generation);
  const auto bytes = make_bytes(builder, forward.bytes);
  const auto kind = static_cast<flat::Forwarded>(forward.kind);
  return {flat::Body::Forward,
          flat::CreateForward(builder, &entity, kind, forward.passed, forward.origin, bytes).Union()};
}

BodyOffset make_body(FlatBufferBuilder& builder, const ResourceOffer& offer) {
  return {flat::Body::ResourceOffer,
          flat::CreateResourceOffer(builder, make_resources(builder, offer.resources)).Union()};
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

BodyOffset make_body(FlatBufferBuilder& builder, const Level& level) {
  const auto identity = make_bytes(builder, level.identity.bytes);
  const auto present = make_bytes(builder, level.present);
  return {flat::Body::Level, flat::CreateLevel(builder, identity, level.range.first, level.range.count,
                                               level.range.generation, level.tick, present)
                                 .Union()};
}

BodyOffset make_body(FlatBufferBuilder& builder, const Events& message) {
  std::vector<Offset<flat::Event>> events;
  for (const Event& event : message.events) {
    const flat::Handle about(event.about.index, event.about.generation);
    const auto bytes = make_bytes(builder, event.bytes);
    events.push_back(flat::CreateEvent(builder, event.sequence, event.about ? &about : nullptr, bytes));
  }
  return {flat::Body::Events, flat::CreateEvents(builder, message.tick, builder.CreateVector(events)).Union()};
}

BodyOffset make_body(FlatBufferBuilder& builder, const MirrorHashes& message) {
  std::vector<flat::MirrorHash> hashes;
  for (const MirrorHash& each : message.hashes)
    hashes.emplace_back(each.place, each.entity.index, each.entity.generation, each.tick, each.hash);
  return {flat::Body::MirrorHashes, flat::CreateMirrorHashes(builder, message.of_level, message.first, message.end,
                                                             message.tick, builder.CreateVectorOfStructs(hashes))
                                        .Union()};
}

BodyOffset make_body(FlatBufferBuilder& builder, const MirrorCorrection& message) {
  const flat::Handle entity(message.entity.index, message.entity.generation);
  const auto words = builder.CreateVector(message.words);
  return {flat::Body::MirrorCorrection,
          flat::CreateMirrorCorrection(builder, static_cast<flat::MirrorFault>(message.fault), message.of_level,
                                       message.place, &entity, message.tick, message.prototype, message.owner, words)
              .Union()};
}

BodyOffset make_body(FlatBufferBuilder& builder, const MirrorDifference& message) {
  const flat::Handle entity(message.entity.index, message.entity.generation);
  const auto component = builder.CreateString(message.component);
  const auto field = builder.CreateString(message.field);
  const auto client = builder.CreateString(message.client);
  const auto server = builder.CreateString(message.server);
  return {flat::Body::MirrorDifference,
          flat::CreateMirrorDifference(builder, &entity, component, field, client, server).Union()};
}

BodyOffset make_body(FlatBufferBuilder& builder, const DeltaBody& message) {
  const auto bytes = make_bytes(builder, message.bytes);
  return {flat::Body::DeltaBody,
          flat::CreateDeltaBody(builder, message.number, message.offset, message.size, bytes).Union()};
}

BodyOffset make_body(FlatBufferBuilder& builder, const PredictionReport& report) {
  return {flat::Body::PredictionReport,
          flat::CreatePredictionReport(builder, report.ticks, report.ticks_replayed, report.rollbacks,
                                       report.late_mispredictions, report.remote_mispredictions, report.stalls,
                                       report.corrections, report.corrections_mm, report.greatest_correction_mm,
                                       report.input_delay, report.level_mispredictions)
              .Union()};
}

}  // namespace

core::Bytes encode(const Message& message) {
  FlatBufferBuilder builder(512);
  const auto [type, body] = std::visit([&](const auto& value) { return make_body(builder, value); }, message);
  builder.Finish(flat::CreateMessage(builder, type, body));
  const core::ByteView bytes = core::as_bytes(builder.GetBufferPointer(), builder.GetSize());
  return {bytes.begin(), bytes.end()};
}

}  // namespace mobula::wire
