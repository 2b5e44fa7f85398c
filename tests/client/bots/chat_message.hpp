// Event of the demo: a chat message.
#pragma once

#include <mobula/schema/demo_events_generated.h>

#include <mobula/core/bytes.hpp>
#include <string>

namespace mobula::test {

inline core::Bytes chat_message(const std::string& text) {
  flatbuffers::FlatBufferBuilder builder;
  const demo::events::Handle by(1, 1);
  const auto name = builder.CreateString("bot 1");
  const auto message = demo::events::CreateChatMessage(builder, &by, name, builder.CreateString(text));
  builder.Finish(demo::events::CreateEvent(builder, demo::events::Body::ChatMessage, message.Union()));
  const core::ByteView bytes = core::as_bytes(builder.GetBufferPointer(), builder.GetSize());
  return {bytes.begin(), bytes.end()};
}

}  // namespace mobula::test
