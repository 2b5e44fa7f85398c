// Tests of mobula-client and mobula-bots as programs.
#include <client/programs.hpp>
#include <map>
#include <process/unread_pipe.hpp>
#include <server/hamlet.hpp>

namespace mobula {
namespace {

TEST_F(ClientPrograms, AClientMirrorsAServerAndEndsWithItsJsonLine) {
  Program& server = serve();
  Program& client = start("mobula-client", in({"--ticks", "30", "--json"}));
  EXPECT_EQ(client.wait(), 0) << client.err() << server.err();
  const auto json = nlohmann::ordered_json::parse(last_line(client.out()));
  EXPECT_THAT(keys_of(json), testing::ElementsAre("ticks", "entities", "verified_ticks", "mismatched_ticks",
                                                  "bytes_received", "state_hash"));
  EXPECT_GE(json["ticks"], 30);
  EXPECT_GE(json["entities"], test::hamlet()->level().num_entities / 2);
  EXPECT_GE(json["verified_ticks"], 1);
  EXPECT_EQ(json["mismatched_ticks"], 0);
  EXPECT_GT(json["bytes_received"], 1000);
  EXPECT_EQ(json["state_hash"].get<std::string>().size(), 16u);
  EXPECT_EQ(client.out(), last_line(client.out()) + "\n") << "--json prints nothing else";
}

TEST_F(ClientPrograms, AClientWhoseLogIsNotReadEndsWell) {
  Program& server = serve();
  const test::UnreadPipe unread;
  Program client(folder(), "mobula-client", in({"--ticks", "20"}), unread.writer());
  EXPECT_EQ(client.wait(), 0) << server.err();
  Program bots(folder(), "mobula-bots", in({"--clients", "2", "--seconds", "1"}), unread.writer());
  EXPECT_EQ(bots.wait(), 0) << server.err();
}

TEST_F(ClientPrograms, AClientPrintsStatisticsOncePerSecond) {
  serve();
  Program& client = start("mobula-client", in({"--ticks", "50"}));
  EXPECT_EQ(client.wait(), 0) << client.err();
  EXPECT_THAT(client.out(), HasSubstr("entities"));
  EXPECT_GE(lines(client.out()), 2);
}

TEST_F(ClientPrograms, AClientThatPredictsPrintsHowItFares) {
  Program& server = serve();
  Program& client = start("mobula-client", in({"--ticks", "100", "--predict", "--simulate", "latency=20ms"}));
  EXPECT_EQ(client.wait(), 0) << client.err() << server.err();
  EXPECT_THAT(client.out(),
              testing::ContainsRegex("\npredicted: [0-9]+ ticks, mispredictions [0-9]+ late, 0 remote and 0 level"));
  const auto json = nlohmann::json::parse(last_line(client.out()));
  EXPECT_GT(json["predicted_ticks"], 50);
  EXPECT_EQ(json["remote_mispredictions"], 0);
  EXPECT_EQ(json["mismatched_ticks"], 0);
}

TEST_F(ClientPrograms, BotsThatPredictReportHowTheyFare) {
  serve();
  Program& bots =
      start("mobula-bots", in({"--clients", "4", "--seconds", "3", "--predict", "--require", "predicted_ticks>50"}));
  EXPECT_EQ(bots.wait(), 0) << bots.out() << bots.err();
  EXPECT_THAT(bots.out(), testing::ContainsRegex("\nmispredictions +[0-9]+ late, [0-9]+ remote, 0 level\n"));
  Program& none = start("mobula-bots", in({"--clients", "4", "--verify", "0", "--predict"}));
  EXPECT_EQ(none.wait(), 2);
  EXPECT_THAT(none.err(), HasSubstr("--predict: no bot mirrors the world"));
}

TEST_F(ClientPrograms, AClientListsEntitiesPropertiesAndOneValue) {
  serve();
  const auto look = [&](std::vector<std::string> arguments) -> Program& {
    arguments = in(arguments);
    return start("mobula-client", arguments);
  };
  Program& entities = look({"--list"});
  ASSERT_EQ(entities.wait(), 0) << entities.err();
  const std::string listed = entities.out();
  EXPECT_THAT(listed, testing::ContainsRegex("^[0-9]+ entities of [0-9]+ prototypes\n"));
  const std::size_t place = listed.find("Fog (RenderData)");
  ASSERT_NE(place, std::string::npos) << listed;
  const std::size_t line = listed.find('\n', place) + 3;
  const std::string handle = listed.substr(line, listed.find_first_of(" \n", line) - line);

  Program& properties = look({"--list", handle});
  ASSERT_EQ(properties.wait(), 0) << properties.err();
  EXPECT_THAT(properties.out(), HasSubstr("entity " + handle + ": "));
  EXPECT_THAT(properties.out(), testing::ContainsRegex("density +0\\.[0-9]+ +float32, 0 to 1 in steps of 0.01\n"));

  Program& density = look({"--get", handle + "/Fog/density"});
  ASSERT_EQ(density.wait(), 0) << density.err();
  EXPECT_THAT(density.out(), testing::MatchesRegex("0\\.[0-9]+\n")) << "the value and nothing else";
  EXPECT_THAT(properties.out(), HasSubstr(last_line(density.out())));
  EXPECT_EQ(density.err(), "");

  const auto expect_failure = [&](const std::vector<std::string>& arguments, const std::string& why) {
    Program& program = look(arguments);
    EXPECT_EQ(program.wait(), 1) << why;
    EXPECT_THAT(program.err(), HasSubstr(why));
    EXPECT_EQ(lines(program.err()), 1) << program.err();
    EXPECT_EQ(program.out(), "");
  };
  expect_failure({"--get", handle + "/Fogg/density"}, "did you mean 'Fog'?");
  expect_failure({"--get", handle + "/Fog/densty"}, "did you mean 'density'?");
  expect_failure({"--get", "999999.1/Fog/density"}, "this player sees no entity 999999.1");
  expect_failure({"--list", "999999.1"}, "this player sees no entity 999999.1");
}

TEST_F(BotPrograms, BotsJoinWalkAndReport) {
  Program& server = serve();
  const fs::path report = folder() / "bots.json";
  Program& bots = start("mobula-bots", in({"--clients", "5", "--seconds", "2", "--json", report.string()}));
  EXPECT_EQ(bots.wait(), 0) << bots.err() << bots.out() << server.err();
  EXPECT_THAT(bots.out(), HasSubstr("5 of 5"));
  const auto json = nlohmann::ordered_json::parse(read(report));
  EXPECT_EQ(json["clients"], 5);
  EXPECT_EQ(json["joined"], 5);
  EXPECT_EQ(json["mismatches"], 0);
  EXPECT_EQ(json["good"], true);
  EXPECT_GT(json["bytes_in"], 1000);
  EXPECT_GT(json["p50_interval_ms"], 0);
  EXPECT_GT(json["commands"], 4);
  EXPECT_GE(json["samples"].size(), 4u);
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  EXPECT_THAT(server.err(), HasSubstr("commands done"));
}

TEST_F(BotPrograms, SomeBotsVerifyAndTheOthersOnlyAcknowledge) {
  serve();
  Program& some = start("mobula-bots", in({"--clients", "5", "--verify", "2", "--seconds", "2"}));
  EXPECT_EQ(some.wait(), 0) << some.err() << some.out();
  EXPECT_THAT(some.out(), HasSubstr("per bot, by 2 of them\n"));
  EXPECT_THAT(some.out(), HasSubstr(" times, 0 mismatches"));
  Program& none = start("mobula-bots", in({"--clients", "3", "--verify", "0", "--seconds", "1"}));
  EXPECT_EQ(none.wait(), 0) << none.err() << none.out();
  EXPECT_THAT(none.out(), HasSubstr("3 of 3"));
  EXPECT_THAT(none.out(), HasSubstr("mirrors verified        0 times"));
}

TEST_F(BotPrograms, BotsJoinInStepsChurnAndWriteAReport) {
  serve();
  const fs::path report = folder() / "bots.html";
  Program& bots = start("mobula-bots", in({"--ramp", "2@1s,1s,6@3s", "--behaviour", "wander=1,crowd=1,churn=1",
                                           "--html", report.string(), "--require", "joined>=6"}));
  EXPECT_EQ(bots.wait(), 0) << bots.err() << bots.out();
  EXPECT_THAT(bots.out(), HasSubstr("\n2     2 to 6 "));
  EXPECT_THAT(bots.out(), HasSubstr("met      joined>=6: 6\n"));
  EXPECT_THAT(read(report), HasSubstr("--behaviour wander=1,crowd=1,churn=1"));
}

TEST_F(BotPrograms, BotsPrintWhichLimitIsNotMet) {
  serve();
  Program& bots =
      start("mobula-bots",
            in({"--clients", "2", "--seconds", "1", "--require", "p99_interval_ms<=0.5", "--require", "joined==2"}));
  EXPECT_EQ(bots.wait(), 1) << bots.err();
  EXPECT_THAT(bots.out(), HasSubstr("NOT MET  p99_interval_ms<=0.5: "));
  EXPECT_THAT(bots.out(), HasSubstr("met      joined==2: 2\n"));
}

TEST_F(BotPrograms, BotsListTheirMeasures) {
  Program& bots = start("mobula-bots", {"--list-measures"});
  EXPECT_EQ(bots.wait(), 0);
  EXPECT_THAT(bots.out(), HasSubstr("p99_interval_ms "));
}

TEST_F(ClientPrograms, AClientPrintsEventsOnRequest) {
  serve();
  Program& bots = start("mobula-bots", in({"--clients", "8", "--seconds", "20"}));
  Program& client = start("mobula-client", in({"--events"}));
  EXPECT_TRUE(client.prints("event of tick ")) << client.out();
  client.signal(SIGTERM);
  client.wait();
  EXPECT_THAT(client.out(), testing::ContainsRegex(
                                "event of tick [0-9]+ about [0-9]+\\.[0-9]+( .removed.)?: [0-9]+ bytes [0-9a-f]+\n"));
  bots.signal(SIGTERM);
  bots.wait();
}

TEST_F(BotPrograms, BotsWhoseServerDiesFail) {
  Program& server = serve();
  Program& bots = start("mobula-bots", in({"--clients", "3", "--seconds", "6"}));
  ASSERT_TRUE(have_joined(server, 3)) << server.err();
  std::this_thread::sleep_for(milliseconds(500));
  server.signal(SIGKILL);
  EXPECT_EQ(bots.wait(), 1) << bots.out();
  EXPECT_THAT(bots.out(), HasSubstr("nothing received for"));
}

TEST_F(ClientPrograms, AClientJoinsAgainAfterItsServerWasRestarted) {
  Program& server = serve({"--tcp-port", "0"});
  Program& client =
      start("mobula-client", {"--connect", "tcp:127.0.0.1:" + std::to_string(tcp_port_), "--admin", admin_});
  ASSERT_TRUE(client.prints(" verified, 0 mismatched")) << client.err();
  server.signal(SIGKILL);
  server.wait();
  const std::string admin_port = admin_.substr(admin_.rfind(':') + 1);
  Program& again = start("mobula-server", {"--port", std::to_string(port_), "--tcp-port", std::to_string(tcp_port_),
                                           "--admin-port", admin_port, "--level", level()});
  ASSERT_TRUE(client.logs("reconnecting with a new token")) << client.err();
  ASSERT_TRUE(again.logs("joined")) << again.err();
  client.signal(SIGTERM);
  EXPECT_EQ(client.wait(), 0) << client.err();
  EXPECT_THAT(last_line(client.out()), HasSubstr("\"mismatched_ticks\":0"));
}

TEST_F(ClientPrograms, AClientLeavesTheGameOnASignal) {
  Program& server = serve();
  Program& client = start("mobula-client", in());
  ASSERT_TRUE(server.logs("joined")) << server.err();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  client.signal(SIGTERM);
  EXPECT_EQ(client.wait(), 0) << client.err();
  EXPECT_TRUE(server.logs("left")) << server.err();
}

TEST_F(ClientPrograms, WrongCommandLinesAreReportedInOneLine) {
  expect_refusal("mobula-server", {"--level", "x", "--nonsense"}, "--nonsense");
  for (const char* program : {"mobula-client", "mobula-bots"})
    expect_refusal(program, {"--connect", "127.0.0.1:1", "--level", "x", "--nonsense"}, "--nonsense");
  expect_refusal("mobula-server", {"--port", "notaport"}, "--port");
  expect_refusal("mobula-server", {"--port", "65536"}, "--port");
  expect_refusal("mobula-server", {"--tick-rate", "0"}, "--tick-rate");
  expect_refusal("mobula-client", {}, "--connect");
  expect_refusal("mobula-client", {"--connect", "127.0.0.1:1", "--ticks", "some"}, "--ticks");
  expect_refusal("mobula-client", {"--connect", "127.0.0.1:1", "--ticks", "-1"}, "--ticks");
  expect_refusal("mobula-client", {"--connect", "no-such-host.invalid"}, "no-such-host.invalid");
  expect_refusal("mobula-client", {"--connect", "http://127.0.0.1"}, "unknown scheme 'http'");
  expect_refusal("mobula-bots", {"--connect", "wss://anna@127.0.0.1"}, "user info");
  expect_refusal("mobula-client", {"--connect", "127.0.0.1:99999"}, "99999");
  expect_refusal("mobula-client", {"--connect", "127.0.0.1:1", "--schema", "missing.bfbs"}, "missing.bfbs");
  expect_refusal("mobula-client", {"--connect", "127.0.0.1:1", "--schema", level()}, level());
  expect_refusal("mobula-client", {"--connect", "127.0.0.1:1", "--schema", folder().string()}, folder().string());
  expect_refusal("mobula-client", {"--connect", "0.0.0.0:7777"}, "127.0.0.1");
  expect_refusal("mobula-client", {"--connect", "127.0.0.1:1", "--list", "boar"}, "boar");
  expect_refusal("mobula-client", {"--connect", "127.0.0.1:1", "--get", "Fog/density"}, "Fog/density");
  expect_refusal("mobula-client", {"--connect", "127.0.0.1:1", "--get"}, "--get");
  expect_refusal("mobula-client", {"--connect", "127.0.0.1:1", "--list", "--get", "1.1/Fog"}, "--get");
  expect_refusal("mobula-client", {"--replay", "x.rec", "--connect", "127.0.0.1:1"}, "--connect");
  expect_refusal("mobula-client", {"--connect", "127.0.0.1:1", "--speed", "2"}, "--replay");
  expect_refusal("mobula-client", {"--replay", "x.rec", "--speed", "-1"}, "--speed");
  expect_refusal("mobula-client", {"--replay", "x.rec", "--at", "-1"}, "--at");
  expect_refusal("mobula-bots", {"--connect", "127.0.0.1:1", "--seconds", "nan"}, "--seconds");
  expect_refusal("mobula-bots", {"--connect", "127.0.0.1:1", "--clients", "0"}, "--clients");
  expect_refusal("mobula-bots", {"--connect", "127.0.0.1:1", "--seconds", "-1"}, "--seconds");
  expect_refusal("mobula-bots", {"--connect", "127.0.0.1:1", "--verify", "21"}, "--verify: 21 of 20");
  expect_refusal("mobula-bots", {"--connect", "127.0.0.1:1", "--ramp", "30"}, "--ramp: '30'");
  expect_refusal("mobula-bots", {"--connect", "127.0.0.1:1", "--behaviour", "wnader"}, "did you mean 'wander'?");
  expect_refusal("mobula-bots", {"--connect", "127.0.0.1:1", "--require", "p98_interval_ms<=5"},
                 "did you mean 'p99_interval_ms'?");
  expect_refusal("mobula-bots", {"--connect", "127.0.0.1:1", "--require", "lost=0"}, "expected <=, <, >=, > or ==");
  expect_refusal("mobula-bots", {"--connect", "127.0.0.1:1", "--json", "missing/bots.json"}, "missing/bots.json");
  expect_refusal("mobula-bots", {"--connect", "127.0.0.1:1", "--html", "missing/bots.html"}, "missing/bots.html");
  expect_refusal("mobula-bots", {"--clients", "2"}, "--connect");
  expect_refusal("mobula-client", {"--connect", "127.0.0.1:1", "--name", std::string(5000, 'a')},
                 "--name: 5000 bytes; at most 24");
}

TEST_F(ClientPrograms, HelpShowsExamples) {
  for (const char* name : {"mobula-compile", "mobula-server", "mobula-client", "mobula-bots"}) {
    Program& program = start(name, {"--help"});
    EXPECT_EQ(program.wait(), 0) << name;
    EXPECT_THAT(program.out(), HasSubstr("Examples:")) << name;
    EXPECT_EQ(program.err(), "") << name;
  }
}

// Each of these would end with status 0 on a disk with room.
TEST_F(ClientPrograms, AnOutputThatIsNotWrittenIsAFailure) {
  for (const std::string command :
       {"mobula-server --help", "mobula-server --print-config", "mobula-client --help", "mobula-bots --list-measures",
        "mobula-bots --help", "mobula-token --help", "mobula-compile --help", "mobula-compile inspect --help"}) {
    Program& program = start("/bin/sh", {"-c", "exec " MOBULA_BIN_DIR "/" + command + " > /dev/full"});
    EXPECT_EQ(program.wait(), 1) << command;
    EXPECT_THAT(program.err(), testing::MatchesRegex("[a-z -]+: standard output: No space left on device\n"))
        << command;
  }
  serve();
  std::string line = "exec " MOBULA_BIN_DIR "/mobula-client --json --ticks 20";
  for (const std::string& argument : in()) line += " " + argument;
  Program& client = start("/bin/sh", {"-c", line + " > /dev/full"});
  EXPECT_EQ(client.wait(), 1);
  EXPECT_THAT(client.err(), HasSubstr("mobula-client: standard output: No space left on device"));
}

TEST_F(ClientPrograms, AClientOfAnotherSchemaIsRefusedWithAReason) {
  Program& server = serve();
  Program& client = start("mobula-client", in({"--schema", engine_schema(), "--ticks", "5"}));
  EXPECT_EQ(client.wait(), 1);
  EXPECT_THAT(client.err(), HasSubstr("other schema"));
  EXPECT_TRUE(server.logs("other schema")) << server.err();
}

TEST_F(ClientPrograms, AClientWithTheRightSchemaIsAdmitted) {
  serve();
  const core::ByteView schema = test::game_schema()->bytes();
  const std::string file = (folder() / "components.bfbs").string();
  write(file, std::string(reinterpret_cast<const char*>(schema.data()), schema.size()));
  Program& client = start("mobula-client", in({"--schema", file, "--ticks", "20", "--json"}));
  EXPECT_EQ(client.wait(), 0) << client.err();
}

TEST_F(ClientPrograms, AClientWithoutAServerReportsIt) {
  Program& server = serve();
  server.signal(SIGTERM);
  server.wait();  // the port is free now
  // A client that needs a token gets none.
  Program& without_token = start("mobula-client", in({"--ticks", "5", "--json"}));
  EXPECT_EQ(without_token.wait(), 1);
  EXPECT_THAT(without_token.err(), HasSubstr("no connect token"));
  EXPECT_THAT(without_token.err(), HasSubstr("--key-file"));
  // Programs with a key get no answer from a server.
  const auto with_key = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--connect", address(), "--key-file", new_key()});
    return more;
  };
  Program& client = start("mobula-client", with_key({"--ticks", "5", "--json"}));
  Program& look = start("mobula-client", with_key({"--list"}));
  Program& bots = start("mobula-bots", with_key({"--clients", "2", "--seconds", "1"}));
  EXPECT_EQ(bots.wait(), 1);
  EXPECT_THAT(bots.out(), HasSubstr("0 of 2"));
  EXPECT_EQ(client.wait(), 1);
  EXPECT_THAT(client.err(), HasSubstr("no answer"));
  EXPECT_EQ(lines(client.err()), 1) << client.err();
  EXPECT_EQ(look.wait(), 1);
  EXPECT_THAT(look.err(), HasSubstr("no answer"));
  EXPECT_EQ(look.out(), "");
  EXPECT_EQ(nlohmann::json::parse(last_line(client.out()))["verified_ticks"], 0);
}

TEST_F(ClientPrograms, EveryPipeCarriesTheSameSession) {
  Program& server = serve({"--tcp-port", "0", "--ws-port", "0"});
  const std::map<std::string, int> pipes{{"udp", port_}, {"tcp", tcp_port_}, {"ws", ws_port_}};
  std::vector<Program*> clients;
  for (const auto& [pipe, port] : pipes)
    for (const char* conditions : {"loss=0%", "latency=40ms jitter=10ms loss=5% dup=1% reorder=2%"})
      clients.push_back(&start("mobula-client", {"--connect", pipe + ":127.0.0.1:" + std::to_string(port), "--admin",
                                                 admin_, "--ticks", "30", "--json", "--simulate", conditions}));
  clients.push_back(&start("mobula-client", {"--connect", "ws://localhost:" + std::to_string(ws_port_) + "/game",
                                             "--admin", admin_, "--ticks", "30", "--json"}));
  for (Program* client : clients) {
    EXPECT_EQ(client->wait(), 0) << client->err() << server.err();
    EXPECT_EQ(nlohmann::json::parse(last_line(client->out()))["mismatched_ticks"], 0);
  }
  Program& bots = start("mobula-bots", {"--connect", "tcp://127.0.0.1:" + std::to_string(tcp_port_), "--admin", admin_,
                                        "--clients", "3", "--seconds", "1.5"});
  EXPECT_EQ(bots.wait(), 0) << bots.err() << bots.out();
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  EXPECT_THAT(server.err(), HasSubstr("over websocket: sent"));
}

TEST_F(ClientPrograms, AClientJoinsByAnySpellingOfTheAddress) {
  Program& server = serve({"--public-address", "localhost"});
  std::vector<Program*> clients;
  for (const std::string host : {"localhost", "[::1]", "127.0.0.1", "[::ffff:127.0.0.1]", "127.1", "udp://localhost"})
    clients.push_back(&start("mobula-client", {"--connect", host + ':' + std::to_string(port_), "--admin", admin_,
                                               "--ticks", "10", "--json"}));
  for (Program* client : clients) EXPECT_EQ(client->wait(), 0) << client->err() << server.err();
}

TEST_F(ClientPrograms, AClientKeepsTheLevelInAFolder) {
  serve();
  const fs::path store = folder() / "resources";
  Program& client = start("mobula-client", in({"--ticks", "20", "--json", "--resources", store.string()}));
  EXPECT_EQ(client.wait(), 0) << client.err();
  EXPECT_TRUE(fs::exists(store / (to_string(test::hamlet()->identity()) + ".level")));
}

TEST_F(ClientPrograms, ARecordedSessionIsReplayedWithoutAServer) {
  Program& server = serve();
  const std::string recording = (folder() / "walk.rec").string();
  Program& live =
      start("mobula-client",
            in({"--ticks", "30", "--json", "--record", recording, "--resources", (folder() / "untouched").string()}));
  ASSERT_EQ(live.wait(), 0) << live.err();
  EXPECT_FALSE(fs::exists(folder() / "untouched"));
  server.signal(SIGTERM);
  server.wait();

  const auto replay = [&](std::vector<std::string> more, const std::string& file) -> Program& {
    more.insert(more.begin(), {"--replay", file});
    return start("mobula-client", more);
  };
  Program& fast = replay({"--json"}, recording);
  Program& timed = replay({"--speed", "4"}, recording);
  EXPECT_EQ(fast.wait(), 0) << fast.err();
  EXPECT_EQ(fast.out(), live.out()) << "the same world, to the bit";
  EXPECT_EQ(timed.wait(), 0) << timed.err();
  EXPECT_EQ(last_line(timed.out()), last_line(live.out()));
  EXPECT_THAT(timed.out(), HasSubstr(" in the last second, "));
  Program& listed = replay({"--list"}, recording);
  EXPECT_EQ(listed.wait(), 0) << listed.err();
  EXPECT_THAT(listed.out(), HasSubstr("Fog (RenderData)"));

  const std::string bytes = read(recording);
  const std::string part = (folder() / "part.rec").string();
  write(part, bytes.substr(0, bytes.size() - 200));
  Program& cut_off = replay({}, part);
  EXPECT_EQ(cut_off.wait(), 0) << cut_off.err();
  EXPECT_THAT(cut_off.err(), HasSubstr("part.rec is cut off"));
  std::string wrong = bytes;
  wrong[5000] ^= 1;
  write(part, wrong);
  Program& damaged = replay({"--json"}, part);
  EXPECT_EQ(damaged.wait(), 1);
  EXPECT_THAT(damaged.err(), HasSubstr("is damaged"));
}

}  // namespace
}  // namespace mobula
