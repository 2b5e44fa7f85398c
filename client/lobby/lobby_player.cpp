#include <mobula/schema/lobby_commands_generated.h>
#include <mobula/schema/lobby_events_generated.h>

#include <algorithm>
#include <lobby/lobby_player.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/schema/lobby.hpp>
#include <mobula/schema/lobby_room.hpp>

namespace mobula::client {
namespace {

namespace commands = lobby::commands;
namespace events = lobby::events;
using flatbuffers::FlatBufferBuilder;

constexpr std::size_t line_bytes_max = 1024;  // per line of output; longer than any line of an honest server

// Makes a command whose body `make` builds.
template <class Make>
core::Bytes command_of(commands::Body type, const Make& make) {
  FlatBufferBuilder builder(256);
  const auto body = make(builder);
  builder.Finish(commands::CreateCommand(builder, type, body.Union()));
  const core::ByteView bytes = core::as_bytes(builder.GetBufferPointer(), builder.GetSize());
  return {bytes.begin(), bytes.end()};
}

auto text_of(FlatBufferBuilder& builder, std::string_view text) {
  return builder.CreateString(text.data(), text.size());
}

template <std::size_t size>
std::string text_of(const std::array<char, size>& fixed) {
  return core::shown({fixed.begin(), std::find(fixed.begin(), fixed.end(), '\0')}, line_bytes_max);
}

// Returns a copy of the component, if the entity has it with the size that this client was compiled with.
template <class T>
std::optional<T> find(const ecs::Registry& registry, ecs::Entity entity) {
  const core::StringId32 name(T::component_name);
  const ecs::PoolId pool = registry.find_pool(name, name);
  if (pool == ecs::no_pool || registry.pool(pool).type().size != sizeof(T)) return std::nullopt;
  const std::byte* bytes = registry.try_read(entity, pool);
  return bytes != nullptr ? std::optional(core::load<T>(bytes)) : std::nullopt;
}

template <class Visit>
void each_entity(PipeClient* client, const Visit& visit) {
  const Mirror* mirror = client != nullptr ? client->connection().mirror() : nullptr;
  if (mirror == nullptr) return;
  std::vector<ecs::Entity> all;
  mirror->registry().entities().each([&](ecs::Entity entity) { all.push_back(entity); });
  std::sort(all.begin(), all.end());
  for (const ecs::Entity entity : all) visit(mirror->registry(), entity);
}

// Commands sent before the clock knows the server's ticks would wait, and be replaced by the next one.
bool accepts_commands(const Connection& connection) {
  return connection.state() == Connection::State::playing && connection.clock() != nullptr &&
         connection.clock()->known();
}

// Returns the first code point, without combining characters.
std::string first_letter(std::string_view text) {
  std::string_view rest = text;
  core::take_code_point(rest);
  return std::string(text.substr(0, text.size() - rest.size()));
}

// Returns the server address of the token on the lobby's host, else the first.
const transport::Address& nearest(const transport::ConnectToken& token, const transport::Address& lobby) {
  const auto same_host = [&](transport::Address address) {
    address.port = lobby.port;
    address.pipe = lobby.pipe;
    return address == lobby;
  };
  const auto found = std::ranges::find_if(token.servers, same_host);
  return found != token.servers.end() ? *found : token.servers.front();
}

}  // namespace

std::vector<std::string> board_lines(const std::vector<LobbyPiece>& pieces) {
  std::vector<std::vector<std::string>> squares(lobby_board_side, std::vector<std::string>(lobby_board_side, "."));
  for (const LobbyPiece& piece : pieces)
    squares.at(piece.y).at(piece.x) = piece.name.empty() ? "*" : piece.own ? "@" : first_letter(piece.name);
  std::vector<std::string> lines;
  for (const std::vector<std::string>& row : squares) lines.push_back(core::format("{}", fmt::join(row, " ")));
  return lines;
}

core::Result<std::unique_ptr<LobbyPlayer>> LobbyPlayer::enter(net::EventLoop& loop, const Access& access,
                                                              std::string name) {
  std::unique_ptr<LobbyPlayer> player(new LobbyPlayer(loop, access, std::move(name)));
  auto entered = client::enter(loop, access, {.transport = {}, .name = player->name_, .schema = {}});
  if (!entered) return entered.error();
  player->lobby_.client = std::move(*entered);
  return player;
}

void LobbyPlayer::run_for(core::Nanoseconds time) {
  std::vector<PipeClient*> clients{lobby_.client.get()};
  if (room_.client != nullptr) clients.push_back(room_.client.get());
  run_until(loop_, core::monotonic_now() + time, clients);
  if (room_.client != nullptr) update(room_);
  update(lobby_);
  const auto report_end = [&](std::string_view what, PipeClient& client) {
    const transport::Reason& reason = client.connection().reason();
    add_line(core::format("{} is closed: {}{}", what, to_string(reason), advice(reason.code)));
  };
  if (lobby_.client->over()) report_end("the lobby", *lobby_.client);
  if (room_.client == nullptr || !room_.client->over()) return;
  report_end(room_name_, *room_.client);
  leave_room();
}

void LobbyPlayer::update(Side& side) {
  const Connection& connection = side.client->connection();
  if (!side.commands.empty() && accepts_commands(connection)) {
    side.client->set_command(side.commands.front());
    side.commands.pop_front();
  }
  side.client->update();
  for (const ReceivedEvent& event : connection.events()) on_event(event.bytes, &side == &lobby_);
}

// Accepts tickets only from the lobby: one from a room would end the room's client during the iteration over its
// events.
void LobbyPlayer::on_event(core::ByteView bytes, bool from_lobby) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  flatbuffers::Verifier verifier(data, bytes.size());
  if (!verifier.VerifyBuffer<events::Event>(nullptr)) return;
  const events::Event& event = *flatbuffers::GetRoot<events::Event>(data);
  if (const events::Said* chat = event.body_as_Said())
    add_line(core::format("{}: {}", chat->name()->string_view(), chat->text()->string_view()));
  if (const events::Sorry* sorry = event.body_as_Sorry())
    add_line(core::format("sorry: {}", sorry->why()->string_view()));
  if (const events::Ticket* ticket = event.body_as_Ticket(); ticket != nullptr && from_lobby)
    enter_room(core::shown(ticket->room()->string_view(), line_bytes_max),
               core::as_bytes(ticket->token()->data(), ticket->token()->size()));
}

void LobbyPlayer::enter_room(std::string name, core::ByteView bytes) {
  leave_room();
  core::Result<transport::ConnectToken> token = transport::read_token(bytes);
  if (!token) return add_line("the ticket for the room is invalid: " + token.error().message);
  Access access = access_;
  access.destination = net::destination_of(nearest(*token, access_.destination.address));
  auto opened = PipeClient::open(
      loop_, access, {.transport = {.token = std::move(*token), .servers = {}}, .name = name_, .schema = {}});
  if (!opened) return add_line(opened.error().message);
  room_.client = std::move(*opened);
  room_.client->set_token_source({});  // only the lobby gives tokens for rooms
  room_name_ = std::move(name);
  add_line(core::format("entering {}", room_name_));
}

void LobbyPlayer::add_line(std::string_view line) { lines_.push_back(core::shown(line, line_bytes_max)); }

void LobbyPlayer::leave_room() {
  if (room_.client != nullptr) room_.client->close();
  room_ = {};
  room_name_.clear();
}

void LobbyPlayer::close() {
  closed_ = true;
  leave_room();
  lobby_.client->close();
}

void LobbyPlayer::send_chat(std::string_view text) {
  Side& side = room_.client != nullptr ? room_ : lobby_;
  side.commands.push_back(command_of(commands::Body::Say, [&](FlatBufferBuilder& builder) {
    return commands::CreateSay(builder, text_of(builder, text));
  }));
}

void LobbyPlayer::create_room(std::string_view name, std::uint32_t capacity) {
  lobby_.commands.push_back(command_of(commands::Body::CreateRoom, [&](FlatBufferBuilder& builder) {
    return commands::CreateCreateRoom(builder, text_of(builder, name), static_cast<std::uint8_t>(capacity));
  }));
}

void LobbyPlayer::join_room(ecs::Entity room) {
  const commands::Handle handle(room.index, room.generation);
  lobby_.commands.push_back(command_of(commands::Body::JoinRoom, [&](FlatBufferBuilder& builder) {
    return commands::CreateJoinRoom(builder, &handle);
  }));
}

void LobbyPlayer::step(int x, int y) {
  if (room_.client == nullptr) return;
  room_.commands.push_back(command_of(commands::Body::Step, [&](FlatBufferBuilder& builder) {
    return commands::CreateStep(builder, static_cast<std::int8_t>(x), static_cast<std::int8_t>(y));
  }));
}

bool LobbyPlayer::is_playing() const {
  const Side& side = room_.client != nullptr ? room_ : lobby_;
  return accepts_commands(side.client->connection());
}

std::vector<std::string> LobbyPlayer::members() const {
  std::vector<std::string> names;
  each_entity(lobby_.client.get(), [&](const ecs::Registry& registry, ecs::Entity entity) {
    if (const auto member = find<lobby::Member>(registry, entity)) names.push_back(text_of(member->name));
  });
  return names;
}

std::vector<LobbyRoom> LobbyPlayer::rooms() const {
  std::vector<LobbyRoom> rooms;
  each_entity(lobby_.client.get(), [&](const ecs::Registry& registry, ecs::Entity entity) {
    if (const auto room = find<lobby::Room>(registry, entity))
      rooms.push_back({entity, text_of(room->name), room->players, room->capacity, room->port});
  });
  return rooms;
}

std::vector<LobbyPiece> LobbyPlayer::board() const {
  std::vector<LobbyPiece> pieces;
  each_entity(room_.client.get(), [&](const ecs::Registry& registry, ecs::Entity entity) {
    const auto square = find<lobby::room::Square>(registry, entity);
    if (!square || square->x >= lobby_board_side || square->y >= lobby_board_side) return;
    const auto piece = find<lobby::room::Piece>(registry, entity);
    const bool own = room_.client->connection().player_entity() == entity;
    pieces.push_back({piece ? text_of(piece->name) : "", square->x, square->y, piece ? piece->points : 0u, own});
  });
  return pieces;
}

}  // namespace mobula::client
