/// All that a game server includes. The names that nearly every game needs are visible in the namespace mobula:
///
///   #include <mobula/server.hpp>
///   using namespace mobula;
///
/// server/examples/arena is the smallest game. Declarations:
///
///   hooks               server/game/game.hpp        Game
///   entities, prefabs   server/game/world.hpp       World
///   commands            server/game/commands.hpp    Commands, CommandTable
///   predicted rules     prediction/predicted_world.hpp
///   events              server/game/events.hpp      world.events().send(bytes, Audience::player(id), …)
///   visibility          server/interest/relevance.hpp
///   the past            server/rewind/rewind.hpp    world.rewind(); to be included by itself
///   start               server/host/application.hpp run
#pragma once

#include <mobula/prediction/predicted_world.hpp>
#include <mobula/schema/engine.hpp>
#include <mobula/server/game/commands.hpp>
#include <mobula/server/game/events.hpp>
#include <mobula/server/game/game.hpp>
#include <mobula/server/game/world.hpp>
#include <mobula/server/host/application.hpp>
#include <mobula/server/interest/relevance.hpp>

namespace mobula {

using core::Bytes;
using core::ByteView;
using core::Done;
using core::Error;
using core::Result;
using core::Status;
using ecs::Entity;
using ecs::null_entity;
using engine::Parent;
using engine::Transform;
using server::Audience;
using server::CommandContext;
using server::Commands;
using server::CommandTable;
using server::Game;
using server::Layer;
using server::LevelChange;
using server::Player;
using server::RateLimit;
using server::Relevance;
using server::Reliability;
using server::run;
using server::World;

}  // namespace mobula
