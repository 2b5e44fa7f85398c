// Seeds of the fuzz targets that take a conversation of a client and a server.
#include <examples/demo/demo_game.hpp>
#include <fuzz/seeds.hpp>
#include <fuzz/small_server.hpp>
#include <mobula/client/connection/recorded_connection.hpp>
#include <mobula/client/files/recording_file.hpp>
#include <mobula/wire/input.hpp>
#include <mobula/wire/messages.hpp>
#include <server/hamlet.hpp>
#include <server/raw_client.hpp>
#include <server/tiny_game.hpp>
#include <string>

namespace mobula::fuzz {
namespace {

// A session that is lost and rejoined.
void recordings() {
  const auto writer = client::create_recording(seed_path("recording", "rejoined"));
  demo::DemoGame game;
  server::ServerConfig server;
  server.level = test::hamlet();
  test::Village village(game, server);
  test::Village::Client& client = village.join(client::ConnectionConfig{});
  client::RecordedConnection recorded(client.connection, **writer, village.now);
  client.input = &recorded;
  recorded.set_command(test::move_command(1, 0));
  village.ticks(12);
  recorded.pipe_closed("lost", village.now);
  village.tick();
  recorded.rejoin(village.now);
  village.ticks(3);
  recorded.close(client.port);
  static_cast<void>((*writer)->finish());
}

// Records both sides of a conversation about the hamlet, as inputs of fuzz_connection.cpp and fuzz_server.cpp.
class Conversation {
 public:
  Conversation() {
    server_ = std::move(*server::Server::start(small_server(), game_));
    server_->set_unix_time(test::test_unix_time);
    client_ = std::make_unique<test::RawClient>(*server_, 1);
    client_->connect();
  }
  void say(const wire::Message& message) {
    client_->send_message(message);
    add(of_client, 0, wire::encode(message));
  }
  // Sends an input with one command for the next tick.
  void input() {
    ++input_.ack;
    const core::Bytes kinds[] = {test::move_command(1, 0), test::walk_to_command(3, -4),
                                 client::throw_command(0.6f, 0.8f, 0), client::tag_command(0, 0, 1)};
    const core::Bytes& command = kinds[input_.ack % std::size(kinds)];
    const ecs::Tick next = server_->world().tick() + 1;
    ++input_.first_command;
    input_.commands.assign(1, {next, next - 1, 7, command});
    core::Bytes bytes(wire::input_bytes_max);
    bytes.resize(wire::encode_input(input_, bytes).bytes);
    client_->send_input(bytes);
    add(of_client, 1, bytes);
  }
  // Resumes the session as the same player, with the level stored.
  void come_back(wire::Hello hello) {
    client_->cut_pipe();
    client_->connect(transport::ConnectToken(client_->rejoin_tokens.back()));
    of_client += '\3';
    of_server += '\4';
    hello.resume = true;
    say(hello);
  }
  void tell_events() {
    for (const server::Reliability each : {server::Reliability::reliable, server::Reliability::unreliable})
      static_cast<void>(server_->world().events().send(core::Bytes(20, std::byte{6}), {}, each));
  }
  void close() { server_->drain("the server ends", 3); }
  // Runs a tick and acknowledges all deltas.
  void tick() {
    client_->tick();
    of_client += '\2';
    for (; !client_->messages.empty(); client_->messages.pop_front()) add(of_server, 0, client_->messages.front());
    for (; !client_->deltas.empty(); client_->deltas.pop_front()) {
      add(of_server, 1, client_->deltas.front());
      if (const auto header = wire::read_delta_header(client_->deltas.front())) input_.newest = header->sequence;
    }
    for (std::uint32_t age = 0; age < std::min(input_.newest, 64u); ++age) input_.received[0] |= 1ull << age;
    of_server += '\2';
  }
  void change(std::uint8_t which) {
    ecs::Registry& registry = server_->world().registry();
    registry.get<engine::Transform>(server_->world().level_range().at(which)).position.x += 1;
    client_->tick();
    of_client += '\4';
    of_client += static_cast<char>(which);
  }

  void reload(const std::shared_ptr<const resource::Resource>& level) {
    MOBULA_CHECK(server_->reload_level(level).ok(), "the level is reloaded");
  }

  std::string of_client;
  std::string of_server;

 private:
  static void add(std::string& steps, char kind, core::ByteView bytes) {
    steps += kind;
    steps += static_cast<char>(bytes.size());
    steps += static_cast<char>(bytes.size() >> 8);
    steps.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

  test::TinyGame game_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<test::RawClient> client_;
  wire::InputDatagram input_{.words = 1};
};

void conversations() {
  enum class Level { sent, kept, received, reloaded };
  const std::pair<Level, const char*> all[] = {{Level::sent, "without_level"},
                                               {Level::kept, "has_level"},
                                               {Level::received, "receives_level"},
                                               {Level::reloaded, "level_is_reloaded"}};
  for (const auto& [level, name] : all) {
    const core::ContentHash identity = test::hamlet()->identity();
    Conversation conversation;
    wire::Hello hello{.schema_fingerprint = test::game_schema()->fingerprint(), .name = "ada", .verify = true};
    if (level == Level::kept || level == Level::reloaded) hello.resources = {identity};
    conversation.say(hello);
    conversation.tick();
    if (level == Level::received) {
      conversation.say(wire::ResourceRequest{identity, 0});
      for (int i = 0; i < 4; ++i) conversation.tick();
      hello.resources = {identity};
      conversation.come_back(hello);
    }
    for (std::uint8_t i = 0; i < 12; ++i) {
      if (i == 6) conversation.tell_events();
      if (i == 5 && level == Level::reloaded) conversation.reload(test::rebuilt_hamlet());
      if (i == 8 && level == Level::reloaded)
        conversation.say(wire::ResourceRequest{test::rebuilt_hamlet()->identity(), 0});
      conversation.tick();
      if (i > 3) conversation.input();
      if (i % 2 == 0 && level != Level::reloaded) conversation.change(i);
    }
    conversation.say(wire::MirrorHashes{level != Level::sent, 0, ~0u, 5, {{3, ecs::Entity{3, 1}, 1, 77}}});
    conversation.tick();
    conversation.say(wire::MirrorDifference{{3, 1}, "Transform", "position.x", "1", "2"});
    conversation.say(wire::PredictionReport{.ticks = 20, .ticks_replayed = 6, .rollbacks = 2});
    conversation.close();
    conversation.tick();
    conversation.tick();
    write_seed("connection", name, (level == Level::received ? '\1' : '\0') + conversation.of_server);
    if (level == Level::received) write_seed("connection", "receives_level_in_memory", '\3' + conversation.of_server);
    write_seed("server", name, conversation.of_client + "\3\2\2");
  }
}

}  // namespace

void write_conversation_seeds() {
  recordings();
  conversations();
}

}  // namespace mobula::fuzz
