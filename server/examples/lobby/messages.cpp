#include <mobula/schema/lobby_events_generated.h>

#include <examples/lobby/messages.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>

namespace lobby {
namespace {

using mobula::core::Error;
using mobula::core::Status;
using mobula::server::Audience;
using mobula::server::Player;
using mobula::server::World;

template <class Table>
constexpr events::Body type_of(flatbuffers::Offset<Table>) {
  return events::BodyTraits<Table>::enum_value;
}

// Sends an event whose body `make` builds. Reliable, because chat must not be lost.
template <class Make>
Status send_event(World& world, const Audience& audience, const Make& make) {
  flatbuffers::FlatBufferBuilder builder(512);
  const auto body = make(builder);
  builder.Finish(events::CreateEvent(builder, type_of(body), body.Union()));
  return world.events().send(mobula::core::as_bytes(builder.GetBufferPointer(), builder.GetSize()), audience,
                             mobula::server::Reliability::reliable);
}

auto text_of(flatbuffers::FlatBufferBuilder& builder, std::string_view text) {
  return builder.CreateString(text.data(), text.size());
}

}  // namespace

Status check_text(std::string_view text, std::size_t bytes_max) {
  if (text.empty() || text.size() > bytes_max)
    return Error{"bad text", mobula::core::format("{} bytes; expected 1 to {}", text.size(), bytes_max)};
  if (!mobula::core::is_printable(text)) return Error{"bad text", "it is not printable UTF-8"};
  return mobula::core::Done{};
}

std::string name_of(const Player& player) {
  return player.name.empty() ? mobula::core::format("guest {}", player.id) : player.name;
}

Status send_chat(World& world, const Player& player, std::string_view text) {
  if (Status checked = check_text(text, line_bytes_max); !checked) return checked;
  return send_event(world, Audience::everyone(), [&](flatbuffers::FlatBufferBuilder& builder) {
    const auto name = text_of(builder, name_of(player));
    return events::CreateSaid(builder, name, text_of(builder, text));
  });
}

Status send_refusal(World& world, const Player& player, const Error& error) {
  static_cast<void>(send_event(world, Audience::player(player.id), [&](flatbuffers::FlatBufferBuilder& builder) {
    return events::CreateSorry(builder, text_of(builder, error.message));
  }));
  return error;
}

Status send_ticket(World& world, const Player& player, std::string_view room, mobula::core::ByteView token) {
  return send_event(world, Audience::player(player.id), [&](flatbuffers::FlatBufferBuilder& builder) {
    const auto name = text_of(builder, room);
    const auto bytes = builder.CreateVector(reinterpret_cast<const std::uint8_t*>(token.data()), token.size());
    return events::CreateTicket(builder, name, bytes);
  });
}

}  // namespace lobby
