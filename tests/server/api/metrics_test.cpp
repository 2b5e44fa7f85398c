#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <mobula/core/log.hpp>
#include <mobula/server/store/store.hpp>
#include <regex>
#include <server/api/api_world.hpp>
#include <server/rewind/shooting_game.hpp>
#include <sstream>
#include <thread>

namespace mobula::server {
namespace {

using nlohmann::json;

// Samples by name and labels, as printed.
std::map<std::string, double> samples(const std::string& text) {
  std::map<std::string, double> all;
  std::istringstream lines(text);
  const std::regex sample(R"(^([a-z_]+(\{[^}]*\})?) (\S+)$)");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# ")) continue;
    std::smatch parts;
    EXPECT_TRUE(std::regex_match(line, parts, sample)) << line;
    EXPECT_TRUE(all.emplace(parts[1], std::stod(parts[3])).second) << "twice: " << line;
  }
  return all;
}

TEST(ApiMetrics, EqualTheWorldsCounters) {
  test::ApiWorld world;
  world.village.join("anna");
  world.ticks(50);
  const test::Answer answer = world.send("GET", "/metrics");
  EXPECT_EQ(answer.status, 200u);
  auto all = samples(answer.text);
  const std::string of_world = "{world=\"world\"}";
  EXPECT_EQ(all["mobula_players" + of_world], 1);
  EXPECT_EQ(all["mobula_newcomers" + of_world], 0);
  EXPECT_EQ(all["mobula_newcomers_waiting" + of_world], 0);
  EXPECT_EQ(all["mobula_newcomer_wait_seconds" + of_world], 0);
  EXPECT_EQ(all["mobula_arrival_seconds_count" + of_world], 1);
  EXPECT_EQ(all["mobula_entities" + of_world], static_cast<double>(world.registry().entities().size()));
  EXPECT_EQ(all["mobula_tick_period_seconds" + of_world], 0.05);
  EXPECT_EQ(all["mobula_tick_duration_seconds_count" + of_world], 50);
  EXPECT_EQ(all["mobula_tick_phase_duration_seconds_count{world=\"world\",phase=\"encode\"}"], 50);
  EXPECT_EQ(all["mobula_deltas_total" + of_world], static_cast<double>(world.village.server->stats().deltas_sent));
  EXPECT_EQ(all["mobula_client_tick_bytes_sum" + of_world], all["mobula_delta_bytes_total" + of_world]);
  EXPECT_EQ(all.count("mobula_step_commands_total" + of_world), 1u);
  EXPECT_EQ(all.count("mobula_step_overruns_total" + of_world), 1u);
  EXPECT_EQ(all["mobula_simulation_answers"], 1);
  EXPECT_GT(all["process_resident_memory_bytes"], 1e6);
  EXPECT_EQ(answer.text.find("anna"), std::string::npos) << "metrics name no players";
}

TEST(ApiMetrics, SumWhatClientsReportOfPredictions) {
  test::ApiWorld world;
  test::Village::Client& anna = world.village.join("anna");
  test::Village::Client& bert = world.village.join("bert");
  world.ticks(50);
  ASSERT_TRUE(anna.connection.send_report({200, 66, 3, 1, 2, 4, 5, 1500, 700, 40}));
  ASSERT_TRUE(bert.connection.send_report({100, 33, 2, 2, 0, 1, 3, 500, 400, 40}));
  world.ticks(5);
  const auto value = [&](const std::string& name, const std::string& more = "") {
    auto all = samples(world.send("GET", "/metrics").text);
    EXPECT_TRUE(all.contains(name + "{world=\"world\"" + more + "}")) << name;
    return all[name + "{world=\"world\"" + more + "}"];
  };
  EXPECT_EQ(value("mobula_client_predicted_ticks_total"), 300);
  EXPECT_EQ(value("mobula_client_replayed_ticks_total"), 99);
  EXPECT_EQ(value("mobula_client_rollbacks_total"), 5);
  EXPECT_EQ(value("mobula_client_mispredictions_total", ",cause=\"late\""), 3);
  EXPECT_EQ(value("mobula_client_mispredictions_total", ",cause=\"remote\""), 2);
  EXPECT_EQ(value("mobula_client_prediction_stalls_total"), 5);
  EXPECT_EQ(value("mobula_client_corrections_total"), 8);
  EXPECT_EQ(value("mobula_client_correction_meters_total"), 2);
  EXPECT_EQ(value("mobula_client_greatest_correction_meters"), 0.7);
  static_cast<void>(world.village.server->kick(1, "away"));
  world.ticks(5);
  EXPECT_EQ(value("mobula_client_predicted_ticks_total"), 300);
  EXPECT_EQ(value("mobula_client_greatest_correction_meters"), 0.4) << "of the session that is left";
}

TEST(ApiMetrics, CountLateCommandsByResult) {
  test::ApiWorld world;
  test::Village::Client& anna = world.village.join("anna");
  const auto play = [&](int ticks) {
    for (int i = 0; i < ticks; ++i) {
      anna.input->set_command(test::move_command(1, 0));
      world.tick();
    }
  };
  const auto outage = [&](int ticks) {
    world.village.network.cut(anna.port.from);
    play(ticks);
    world.village.network.heal(anna.port.from);
    play(30);
  };
  world.ticks(50);
  outage(8);
  outage(30);
  const LateCommands late = world.village.server->stats().late_commands;
  EXPECT_GT(late.run, 0u) << "those of the short outage";
  EXPECT_GT(late.dropped, 0u) << "those of the long one";
  const json of_session = world.get("/api/sessions/1")["late_commands"];
  EXPECT_EQ(of_session, (json{{"run", late.run}, {"dropped", late.dropped}, {"missing", late.missing}}));
  auto all = samples(world.send("GET", "/metrics").text);
  for (const auto& [result, count] : of_session.items())
    EXPECT_EQ(all.at("mobula_late_commands_total{world=\"world\",result=\"" + result + "\"}"), count) << result;
}

TEST(ApiMetrics, CountRewoundAndRefusedViews) {
  auto owned = std::make_unique<test::ShootingGame>();
  test::ShootingGame& game = *owned;
  test::ApiWorld world(std::move(owned), {});
  test::Village::Client& anna = world.village.join("anna");
  test::Shooter shooter(anna);
  const auto shoot = [&](int shots) {
    for (int i = 0; i < shots; ++i) {
      shooter.shoot();
      world.tick();
      shooter.note_given(game);
    }
  };
  ASSERT_TRUE(world.village.tick_until([&] {
    shooter.note_given(game);
    return anna.connection.player_entity() && anna.connection.complete();
  }));
  shoot(20);
  game.claim = [](CommandContext& context) { context.view_tick = 0; };
  shoot(5);
  const json session = world.get("/api/sessions/1");
  EXPECT_GT(session["accepted_views"], 0);
  const auto all = samples(world.send("GET", "/metrics").text);
  EXPECT_EQ(all.at("mobula_rewound_views_total{world=\"world\"}"), session["accepted_views"]);
  EXPECT_GT(all.at("mobula_refused_views_total{world=\"world\",reason=\"view before joining\"}"), 0);
  double refused = 0;
  for (const auto& [name, value] : all)
    if (name.starts_with("mobula_refused_views_total")) refused += value;
  EXPECT_EQ(refused, session["refused_views"]);
}

// Buckets are cumulative and end at the count.
TEST(ApiMetrics, HistogramsAddUp) {
  test::ApiWorld world;
  world.village.join("anna");
  world.ticks(30);
  const auto all = samples(world.send("GET", "/metrics").text);
  double before = 0;
  int buckets = 0;
  std::istringstream lines(world.send("GET", "/metrics").text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("mobula_client_tick_bytes_bucket")) continue;
    const double count = std::stod(line.substr(line.rfind(' ')));
    EXPECT_GE(count, before) << line;
    before = count;
    ++buckets;
  }
  EXPECT_EQ(buckets, 18);
  EXPECT_EQ(before, all.at("mobula_client_tick_bytes_count{world=\"world\"}"));
}

TEST(ApiMetrics, BucketsOfTimesHaveRoundBounds) {
  test::ApiWorld world;
  world.ticks(3);
  const std::string text = world.send("GET", "/metrics").text;
  const std::regex bucket(R"re(mobula_tick_duration_seconds_bucket\{world="world",le="([^"]*)"\} \d+\n)re");
  std::vector<double> bounds;
  for (std::sregex_iterator each(text.begin(), text.end(), bucket); each != std::sregex_iterator(); ++each)
    bounds.push_back(std::stod((*each)[1]));
  EXPECT_EQ(
      bounds,
      (std::vector{25e-6, 5e-5, 1e-4, 25e-5, 5e-4, 1e-3, 25e-4, 5e-3, 0.01, 0.025,
                   0.05,  0.1,  0.25, 0.5,   1.0,  2.5,  5.0,   10.0, 25.0, std::numeric_limits<double>::infinity()}));
}

TEST(ApiMetrics, ASimulationThatDoesNotAnswerIsAMetric) {
  test::ApiWorld world;
  world.ticks(2);
  for (const admin::Route& route : world.routes()) {
    if (route.path != "/metrics") continue;
    const admin::Reply reply = route.handler({});
    const admin::Response response = std::get<admin::Query>(reply).otherwise();
    EXPECT_EQ(response.status, 200u);
    const auto all = samples(response.body);
    EXPECT_EQ(all.at("mobula_simulation_answers"), 0);
    EXPECT_GE(all.at("mobula_last_tick_age_seconds"), 0);
    return;
  }
  ADD_FAILURE() << "there is no /metrics";
}

TEST(ApiStore, ACheckpointIsWrittenOnRequest) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "api_store.db";
  std::filesystem::remove(path);
  const auto store = std::move(store::Store::open({.path = path.string(), .schema = test::game_schema()}).value());
  {
    test::ApiWorld world(store.get());
    world.ticks(3);
    const test::Answer answer = world.send("POST", "/api/checkpoint");
    ASSERT_EQ(answer.status, 200u) << answer.text;
    EXPECT_EQ(answer.json["tick"], 3);
    store->wait_for_writer();
    const json state = world.get("/api/status")["worlds"][0]["store"];
    EXPECT_EQ(state["tick"], 3);
    EXPECT_EQ(state["error"], nullptr);
    EXPECT_GT(state["rows"], 100);
    const auto all = samples(world.send("GET", "/metrics").text);
    EXPECT_EQ(all.at("mobula_checkpoints_total{world=\"world\"}"), state["checkpoints"]);
    EXPECT_EQ(all.at("mobula_store_failing{world=\"world\"}"), 0);
    EXPECT_TRUE(world.village.server->finish_store().ok());
  }
  for (const char* end : {"", "-wal", "-shm", ".lock"}) std::filesystem::remove(path.string() + end);
}

TEST(ApiStore, WithoutAStoreNothingIsWritten) {
  test::ApiWorld world;
  world.ticks(2);
  EXPECT_EQ(world.send("POST", "/api/checkpoint").status, 409u);
  EXPECT_EQ(world.send("POST", "/api/checkpoint").code(), "no_store");
  EXPECT_EQ(world.get("/api/status")["worlds"][0]["store"], nullptr);
}

TEST(ApiProcess, TheStatusHasTheLoadAndTheFiguresOfAZone) {
  test::ApiWorld world;
  EXPECT_EQ(world.get("/api/status")["worlds"][0]["load"], 0);
  world.ticks(3);
  const json before = world.get("/api/status")["worlds"][0];
  EXPECT_GT(before["load"], 0);
  EXPECT_LT(before["load"], 100);
  EXPECT_EQ(before["zone"], nullptr);
  world.village.server->set_zone_stats({.neighbours = 1,
                                        .ghosts = 2,
                                        .ghost_checks = 3,
                                        .ghosts_corrected = 4,
                                        .mirror_checks = 10,
                                        .mirror_mismatches = 20,
                                        .crossings_out = 5,
                                        .crossings_in = 6});
  EXPECT_EQ(world.get("/api/status")["worlds"][0]["zone"],
            json::parse(R"({"neighbours": 1, "ghosts": 2, "crossings_out": 5, "crossings_in": 6, "checks": 13,
                "differences": 24})"));
}

TEST(ApiProcess, IsReadyWhileItTicksAndAdmitsClients) {
  test::ApiWorld world;
  EXPECT_EQ(world.send("GET", "/ready").message(), "no world has ticked yet");
  world.tick();
  EXPECT_EQ(world.send("GET", "/ready").status, 200u);
  world.api()->pulse->not_ready = "the node has not joined its cluster yet";
  EXPECT_EQ(world.send("GET", "/ready").message(), "the node has not joined its cluster yet");
  world.api()->pulse->not_ready = nullptr;
  world.api()->pulse->ticked_at = core::monotonic_now() - 3 * core::second;
  EXPECT_EQ(world.send("GET", "/ready").status, 503u);
  EXPECT_EQ(world.send("GET", "/ready").code(), "not_ready");
  world.tick();
  world.api()->pulse->draining = true;
  EXPECT_EQ(world.send("GET", "/ready").message(), "the server is closing and admits no new clients");
}

// A node of a cluster has no world at times.
TEST(ApiProcess, WithoutAWorldQueriesNameThat) {
  const auto api = std::make_shared<server::api::Api>();
  api->worlds = [] { return std::vector<server::Inspection*>(); };
  const server::admin::Router router(server::api::routes(api));
  server::admin::Request request;
  request.method = "GET";
  request.path = "/api/pools";
  request.host = "localhost";
  auto reply = router.answer(request);
  const server::admin::Response response = std::get<server::admin::Query>(reply).work()();
  EXPECT_EQ(response.status, 404u);
  EXPECT_THAT(response.body, testing::HasSubstr("this process has no world at present"));
}

TEST(ApiProcess, LogLevelsAreSetByModule) {
  test::ApiWorld world;
  const core::LogLevels before = core::log_levels();
  EXPECT_EQ(world.send("PUT", "/api/log-level", R"({"level":"error"})").json,
            (json{{"level", "error"}, {"modules", json::object()}}));
  EXPECT_EQ(world.send("PUT", "/api/log-level", R"({"level":"debug","module":"net"})").json["modules"]["net"], "debug");
  EXPECT_TRUE(core::log_enabled(core::LogLevel::debug, "net"));
  EXPECT_FALSE(core::log_enabled(core::LogLevel::warn, "server"));
  EXPECT_EQ(world.send("PUT", "/api/log-level", R"({"level":"off","module":"a=b"})").status, 400u);
  EXPECT_EQ(world.send("PUT", "/api/log-level", R"({"level":7})").status, 400u);
  EXPECT_EQ(world.send("PUT", "/api/log-level", R"({"level":1e999})").message(),
            "line 1, column 10: the number is too large; expected at most 1.7976931348623157e308");
  EXPECT_EQ(world.get("/api/log-level")["modules"], (json{{"net", "debug"}}));
  EXPECT_EQ(world.send("PUT", "/api/log-level", R"({"level":"error","module":"net"})").json["modules"], json::object());
  core::set_log_levels(before);
}

TEST(ApiProcess, StatusNamesTheWorlds) {
  test::ApiWorld world;
  world.ticks(3);
  const json status = world.get("/api/status");
  EXPECT_EQ(status["state"], "running");
  ASSERT_EQ(status["worlds"].size(), 1u);
  EXPECT_EQ(status["worlds"][0]["name"], "world");
  EXPECT_EQ(status["worlds"][0]["tick"], 3);
  EXPECT_EQ(world.send("GET", "/api/live").status, 426u);
}

}  // namespace
}  // namespace mobula::server
