/// All that a client in C++ includes. The names that nearly every client needs are visible in the namespace mobula:
///
///   #include <mobula/client.hpp>
///   using namespace mobula;
///
/// server/examples/arena/client.cpp is the smallest client. <mobula/client/connection/connection.hpp> declares what a
/// connection offers.
#pragma once

#include <mobula/client/files/recording_file.hpp>
#include <mobula/client/files/resource_folder.hpp>
#include <mobula/client/mirror/world_pose.hpp>
#include <mobula/client/pipe/fetch_resources.hpp>
#include <mobula/client/pipe/pipe_client.hpp>
#include <mobula/client/prediction/prediction.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/schema/engine.hpp>

namespace mobula {

using client::Access;
using client::Connection;
using client::enter;
using client::Mirror;
using client::parse_access;
using client::PipeClient;
using client::Prediction;
using client::PredictionConfig;
using client::ReceivedEvent;
using client::run_until;
using client::sample;
using client::sample_world;
using client::WorldToken;
using core::Bytes;
using core::ByteView;
using core::Result;
using ecs::Entity;
using engine::Transform;
using net::EventLoop;

}  // namespace mobula
