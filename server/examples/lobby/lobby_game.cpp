#include <mobula/core/random_source.hpp>
#include <mobula/schema/lobby_commands_generated.h>

#include <algorithm>
#include <examples/lobby/lobby_game.hpp>
#include <examples/lobby/messages.hpp>
#include <mobula/core/format.hpp>
#include <mobula/schema/lobby.hpp>
#include <mobula/server/game/commands.hpp>

namespace lobby {
namespace {

using mobula::core::Done;
using mobula::core::Error;
using mobula::core::Status;
using mobula::ecs::Entity;
using mobula::server::CommandContext;
using mobula::server::HostConfig;
using mobula::server::HostedWorld;
using mobula::server::Player;
using mobula::server::World;

constexpr std::string_view own_world = "lobby";
constexpr std::uint32_t room_tick_rate = 10;
constexpr std::ptrdiff_t rooms_of_one_max = 3;

}  // namespace

Status LobbyGame::open(mobula::server::Worlds& worlds, const HostConfig& config) {
  worlds_ = &worlds;
  const auto opened = worlds.open(std::string(own_world), config, *this);
  return opened ? Status(Done{}) : Status(opened.error());
}

mobula::core::ByteView LobbyGame::schema() const { return schema_bytes(); }

mobula::server::CommandTable LobbyGame::commands() {
  mobula::server::Commands<commands::Command, commands::BodyTraits> all;
  all.add<commands::Say>([](World& world, const Player& player, const commands::Say& line,
                            const CommandContext&) { return send_chat(world, player, line.text()->string_view()); },
                         {{.per_second = 2, .burst = 5}});
  all.add<commands::CreateRoom>([this](World& world, const Player& player, const commands::CreateRoom& wanted,
                                       const CommandContext&) { return create_room(world, player, wanted); },
                                {{.per_second = 1, .burst = 3}});
  all.add<commands::JoinRoom>([this](World& world, const Player& player, const commands::JoinRoom& wanted,
                                     const CommandContext&) { return join_room(world, player, wanted); },
                              {{.per_second = 1, .burst = 3}});
  return all.table();
}

Status LobbyGame::check_level(const mobula::resource::Resource* level) {
  if (level == nullptr) return Done{};
  return Error{"no level", "the lobby has no level; omit --level"};
}

// Rooms ended with the process that saved them.
Status LobbyGame::load(World& world, mobula::core::ByteView /*saved*/) {
  std::vector<Entity> rooms;
  world.registry().view<const Room>().each([&](Entity entity, const Room&) { rooms.push_back(entity); });
  world.registry().destroy(rooms);
  return Done{};
}

mobula::core::Result<Entity> LobbyGame::join(World& world, const Player& player) {
  if (player.entity) return player.entity;  // the player was there when the lobby was saved
  return world.create(Member{.name = fixed_text<sizeof(Member::name)>(name_of(player))});
}

void LobbyGame::leave(World& world, const Player& player) { world.destroy(player.entity); }

void LobbyGame::tick(World& world) {
  remove_closed();
  for (OpenRoom& room : rooms_) update_room(world, room);
}

// Removes rooms whose worlds ended after the tick that closed them.
void LobbyGame::remove_closed() {
  std::erase_if(rooms_, [](const OpenRoom& room) { return !room.entity; });
}

void LobbyGame::update_room(World& world, OpenRoom& room) {
  mobula::ecs::Registry& registry = world.registry();
  const std::uint32_t players = room.game->players();
  if (players != registry.get<const Room>(room.entity).players)
    registry.get<Room>(room.entity).players = static_cast<std::uint8_t>(players);
  if (players > 0) room.last_played = world.tick();
  if (world.tick() - room.last_played < options_.empty_seconds * world.ticks_per_second()) return;
  worlds_->close(room.world);
  registry.destroy(room.entity);
  room.entity = mobula::ecs::null_entity;
}

Status LobbyGame::create_room(World& world, const Player& player, const commands::CreateRoom& wanted) {
  const std::string_view name = wanted.name()->string_view();
  if (Status checked = check_text(name, sizeof(Room::name)); !checked) return checked;
  const std::uint32_t capacity = wanted.capacity();
  if (capacity == 0 || capacity > RoomGame::capacity_max)
    return Error{"bad capacity", mobula::core::format("a room is for 1 to {} players", RoomGame::capacity_max)};
  remove_closed();
  if (rooms_.size() >= options_.rooms_max)
    return send_refusal(world, player, {"too many rooms", "the limit of open rooms is reached; join one, or wait"});
  if (std::ranges::count(rooms_, player.id, &OpenRoom::opener) >= rooms_of_one_max)
    return send_refusal(world, player, {"too many rooms", "you have opened too many rooms; join one, or wait"});
  OpenRoom room{.name = std::string(name),
                .world = mobula::core::format("room-{}", ++opened_),
                .game = std::make_unique<RoomGame>(capacity),
                .opener = player.id,
                .last_played = world.tick()};
  const mobula::core::Result<Entity> listed = world.create(Room{.name = fixed_text<sizeof(Room::name)>(name),
                                                                .players = 0,
                                                                .capacity = static_cast<std::uint8_t>(capacity),
                                                                .port = 0});
  if (!listed) return send_refusal(world, player, listed.error());
  const auto opened = worlds_->open(room.world, room_config(capacity), *room.game);
  if (!opened) {
    world.destroy(*listed);
    return send_refusal(world, player, opened.error());
  }
  world.registry().get<Room>(*listed).port = (*opened)->udp_port();
  room.entity = *listed;
  rooms_.push_back(std::move(room));
  return let_in(world, player, rooms_.back());
}

Status LobbyGame::join_room(World& world, const Player& player, const commands::JoinRoom& wanted) {
  const Entity entity{wanted.room()->index(), wanted.room()->generation()};
  const auto found =
      std::ranges::find_if(rooms_, [&](const OpenRoom& room) { return entity && room.entity == entity; });
  if (found == rooms_.end()) return send_refusal(world, player, {"no such room", "the room is closed; choose another"});
  if (found->game->players() >= found->game->capacity())
    return send_refusal(world, player, {"room full", mobula::core::format("{} is full", found->name)});
  return let_in(world, player, *found);
}

// Uses a port that the system chooses, at the addresses of the lobby.
HostConfig LobbyGame::room_config(std::uint32_t capacity) const {
  const HostedWorld& lobby = *worlds_->find(own_world);
  HostConfig config;
  config.port = 0;
  config.key_file = lobby.config().key_file;
  config.drain_seconds = lobby.config().drain_seconds;
  config.tick_rate = room_tick_rate;
  config.seed = lobby.config().seed + opened_;
  config.clients_max = 2 * capacity;  // a player may reconnect before the old connection times out
  for (const mobula::transport::Address& address : lobby.token_issuer().public_addresses) {
    const std::string text = to_string(address);
    config.public_addresses.push_back(text.substr(0, text.rfind(':')));
  }
  return config;
}

Status LobbyGame::let_in(World& world, const Player& player, const OpenRoom& room) {
  const HostedWorld* hosted = worlds_->find(room.world);
  mobula::server::Identity identity = player.identity;  // the same person
  mobula::core::random_bytes(std::as_writable_bytes(std::span(&identity.client_id, 1)));
  const auto token = mobula::server::make_token(hosted->token_issuer(), identity);
  return token ? send_ticket(world, player, room.name, *token) : Status(token.error());
}

}  // namespace lobby
