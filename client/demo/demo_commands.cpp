#include <demo/demo_commands.hpp>
#include <mobula/schema/demo_commands_generated.h>

namespace mobula::client {
namespace {

template <class Body>
core::Bytes command_of(flatbuffers::FlatBufferBuilder& builder, demo::commands::Body type,
                       flatbuffers::Offset<Body> body) {
  builder.Finish(demo::commands::CreateCommand(builder, type, body.Union()));
  const core::ByteView bytes = core::as_bytes(builder.GetBufferPointer(), builder.GetSize());
  return {bytes.begin(), bytes.end()};
}

}  // namespace

core::Bytes move_command(float x, float z) {
  flatbuffers::FlatBufferBuilder builder(128);
  return command_of(builder, demo::commands::Body::Move, demo::commands::CreateMove(builder, x, z));
}

core::Bytes walk_to_command(float x, float z) {
  flatbuffers::FlatBufferBuilder builder(128);
  return command_of(builder, demo::commands::Body::WalkTo, demo::commands::CreateWalkTo(builder, x, z));
}

core::Bytes throw_command(float x, float y, float z) {
  flatbuffers::FlatBufferBuilder builder(128);
  return command_of(builder, demo::commands::Body::Throw, demo::commands::CreateThrow(builder, x, y, z));
}

core::Bytes tag_command(float x, float y, float z) {
  flatbuffers::FlatBufferBuilder builder(128);
  return command_of(builder, demo::commands::Body::Tag, demo::commands::CreateTag(builder, x, y, z));
}

core::Bytes chat_command(const std::string& text) {
  flatbuffers::FlatBufferBuilder builder(256);
  const auto sent = builder.CreateString(text);
  return command_of(builder, demo::commands::Body::Chat, demo::commands::CreateChat(builder, sent));
}

}  // namespace mobula::client
