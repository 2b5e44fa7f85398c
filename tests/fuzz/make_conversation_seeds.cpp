// Seeds of conversations between a client and a server.
#include <algorithm>
#include <fuzz/fuzz.hpp>
#include <fuzz/seeds.hpp>
#include <fuzz/small_server.hpp>
#include <memory>
#include <mobula/wire/input.hpp>
#include <mobula/wire/messages.hpp>
#include <server/hamlet.hpp>
#include <server/raw_client.hpp>
#include <server/tiny_game.hpp>
#include <string>

using namespace mobula;

namespace {

// A conversation about the hamlet. Its server's side is an input of fuzz_connection.cpp, its client's of
// fuzz_server.cpp.
class Conversation {
 public:
  Conversation() {
    server_ = std::move(*server::Server::start(fuzz::small_server(), game_));
    server_->set_unix_time(test::test_unix_time);
    client_ = std::make_unique<test::RawClient>(*server_, 1);
    client_->connect();
  }
  void send(const wire::Message& message) {
    client_->say(message);
    add(of_client, 0, wire::encode(message));
  }
  // Sends an input with a command for the next tick.
  void send_input() {
    ++input_.ack;
    const core::Bytes command = input_.ack % 2 == 0 ? test::move_command(1, 0) : test::walk_to_command(3, -4);
    const ecs::Tick next = server_->world().tick() + 1;
    ++input_.first_command;
    input_.commands.assign(1, {next, next - 1, 7, command});
    core::Bytes bytes(wire::input_bytes_max);
    bytes.resize(wire::encode_input(input_, bytes).bytes);
    client_->send_input(bytes);
    add(of_client, 1, bytes);
  }
  // Loses the connection and resumes as the same player, who has the level by now.
  void rejoin(wire::Hello hello) {
    client_->break_off();
    client_->connect(transport::ConnectToken(client_->rejoin_tokens.back()));
    of_client += '\3';
    of_server += '\4';
    hello.resume = true;
    send(hello);
  }
  void send_events() {
    for (const server::Reliability each : {server::Reliability::reliable, server::Reliability::unreliable})
      static_cast<void>(server_->world().events().send(core::Bytes(20, std::byte{6}), {}, each));
  }
  void close() { server_->drain("the server ends", 3); }
  // Runs a tick and receives all messages and deltas.
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

}  // namespace

void fuzz::write_conversation_seeds() {
  enum class Level { sent, kept, received };
  const std::pair<Level, const char*> all[] = {
      {Level::sent, "without_level"}, {Level::kept, "has_level"}, {Level::received, "receives_level"}};
  for (const auto& [level, name] : all) {
    const core::ContentHash identity = test::hamlet()->identity();
    Conversation conversation;
    wire::Hello hello{.schema_fingerprint = test::game_schema()->fingerprint(), .name = "ada", .verify = true};
    if (level == Level::kept) hello.resources = {identity};
    conversation.send(hello);
    conversation.tick();
    if (level == Level::received) {
      conversation.send(wire::ResourceRequest{identity, 0});
      for (int i = 0; i < 4; ++i) conversation.tick();
      hello.resources = {identity};
      conversation.rejoin(hello);
    }
    for (std::uint8_t i = 0; i < 12; ++i) {
      if (i == 6) conversation.send_events();
      conversation.tick();
      if (i > 3) conversation.send_input();
      if (i % 2 == 0) conversation.change(i);
    }
    conversation.send(wire::MirrorHashes{level != Level::sent, 0, ~0u, 5, {{3, ecs::Entity{3, 1}, 1, 77}}});
    conversation.tick();
    conversation.send(wire::MirrorDifference{{3, 1}, "Transform", "position.x", "1", "2"});
    conversation.close();
    conversation.tick();
    conversation.tick();
    write_seed("connection", name, (level == Level::received ? '\1' : '\0') + conversation.of_server);
    write_seed("server", name, conversation.of_client + "\3\2\2");
  }
}
