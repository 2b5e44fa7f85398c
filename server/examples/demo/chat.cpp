#include <mobula/schema/demo_commands_generated.h>
#include <mobula/schema/demo_events_generated.h>

#include <algorithm>
#include <examples/demo/chat.hpp>
#include <mobula/core/text.hpp>
#include <mobula/schema/components.hpp>

namespace demo {
namespace {

using mobula::core::Error;
using mobula::server::World;

// A name of a world's file may be any bytes.
std::string name_of(const Name& name) {
  const std::string_view text(reinterpret_cast<const char*>(name.text.data()), name.text.size());
  return mobula::core::shown(text.substr(0, text.find('\0')), name.text.size());
}

}  // namespace

mobula::core::Status chat(World& world, const mobula::server::Player& player, const commands::Chat& given,
                          const mobula::server::CommandContext& /*context*/) {
  const std::string_view text = given.text()->string_view();
  if (text.empty() || text.size() > chat_bytes_max || !mobula::core::is_printable(text))
    return Error{"text out of range", "a text has 1 to 120 bytes of UTF-8 without control characters"};
  const auto* const name = world.registry().try_get<const Name>(player.entity);
  if (name == nullptr) return Error{"no avatar", "the player's avatar was despawned"};
  flatbuffers::FlatBufferBuilder builder(256);
  const events::Handle by(player.entity.index, player.entity.generation);
  const auto body =
      events::CreateChatMessage(builder, &by, builder.CreateString(name_of(*name)), builder.CreateString(text));
  builder.Finish(events::CreateEvent(builder, events::Body::ChatMessage, body.Union()));
  // A tick with too many events drops it, which is what a chat may do.
  static_cast<void>(world.events().send(mobula::core::as_bytes(builder.GetBufferPointer(), builder.GetSize()),
                                        mobula::server::Audience::everyone(), mobula::server::Reliability::reliable));
  return mobula::core::Done{};
}

}  // namespace demo
