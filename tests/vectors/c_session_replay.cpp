#include <algorithm>
#include <array>
#include <cstdint>
#include <mobula/core/format.hpp>
#include <mobula/core/hash.hpp>
#include <mobula/core/hex.hpp>
#include <utility>
#include <vector>
#include <vectors/c_session_replay.hpp>

namespace mobula::test {
namespace {

constexpr std::int64_t millisecond = 1'000'000;
constexpr std::uint32_t ship_bytes = 32;  // a component Ship

core::Bytes bytes_of(const Json& hex) { return core::from_hex(hex.get<std::string>()).value(); }

// A client of the C interface, and the first call of it that failed.
class CClient {
 public:
  CClient(const Json& file, const Json& session) {
    const std::string name = session.at("name").get<std::string>();
    const core::Bytes token = bytes_of(session.at("connect").at("token"));
    const core::Bytes schema = session.at("has_schema").get<bool>() ? bytes_of(file.at("schema")) : core::Bytes();
    mobula_client_options options{};
    options.struct_size = sizeof options;
    options.flags = session.at("has_level").get<bool>() ? std::uint32_t{MOBULA_LEVELS} : 0;
    options.name = name.c_str();
    options.token = token.data();
    options.token_size = token.size();
    options.schema = schema.empty() ? nullptr : schema.data();
    options.schema_size = schema.size();
    now_ = session.at("begin").get<std::int64_t>() * millisecond;
    check("create", mobula_client_create(&options, now_, &client_));
    if (!session.at("has_level").get<bool>()) return;
    const core::Bytes level = bytes_of(file.at("level"));
    check("add_level", mobula_client_add_level(client_, level.data(), level.size()));
  }
  ~CClient() { mobula_client_destroy(client_); }
  CClient(const CClient&) = delete;
  CClient& operator=(const CClient&) = delete;

  void play(const Json& step) {
    now_ = step.at("at").get<std::int64_t>() * millisecond;
    if (step.contains("receive")) {
      const core::Bytes datagram = bytes_of(step.at("receive"));
      const auto size = static_cast<std::uint32_t>(datagram.size());
      check("receive", mobula_client_receive(client_, datagram.data(), size, now_));
    }
    if (step.contains("update")) update();
    if (step.contains("command")) {
      const core::Bytes command = bytes_of(step.at("command"));
      check("set_command",
            mobula_client_set_command(client_, command.data(), static_cast<std::uint32_t>(command.size())));
    }
    if (step.contains("lost"))
      check("pipe_closed", mobula_client_pipe_closed(client_, step.at("lost").get<std::string>().c_str(), now_));
    if (step.contains("rejoin")) check("rejoin", mobula_client_rejoin(client_, now_));
  }

  // Returns the mirror's state as the file writes it.
  [[nodiscard]] Json state() {
    const mobula_status now = status();
    Json state{{"tick", now.tick},
               {"complete", now.complete != 0},
               {"entities", now.entities},
               {"hash", core::format("{:016x}", now.mirror_hash)}};
    const core::Bytes ships = read_ships();
    if (!ships.empty()) state["shown"] = core::format("{:016x}", core::hash64(ships));
    return state;
  }

  [[nodiscard]] mobula_status status() {
    mobula_status status{};
    status.struct_size = sizeof status;
    check("status", mobula_client_status(client_, &status));
    return status;
  }

  [[nodiscard]] std::uint64_t mismatched_ticks() {
    mobula_statistics statistics{};
    statistics.struct_size = sizeof statistics;
    check("statistics", mobula_client_statistics(client_, &statistics));
    return statistics.mismatched_ticks;
  }

  [[nodiscard]] bool has(mobula_entity entity) {
    mobula_entity_info info{};
    info.struct_size = sizeof info;
    return mobula_client_entity(client_, entity, &info) == MOBULA_OK;
  }

  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  void check(const char* call, mobula_result result) {
    if (result < 0 && failure_.empty())
      failure_ = core::format("{} at {} ms: {}", call, now_ / millisecond, mobula_strerror(result));
  }

  // The server of the file has received what is recorded: datagrams are dropped.
  void update() {
    const mobula_result result = mobula_client_update(client_, now_);
    if (result != MOBULA_ERROR_CLOSED) check("update", result);  // a lost connection is closed until it is resumed
    std::array<unsigned char, MOBULA_DATAGRAM_BYTES_MAX> datagram;
    std::uint32_t size = 0;
    while (mobula_client_next_datagram(client_, datagram.data(), datagram.size(), &size) == MOBULA_OK) continue;
  }

  // Returns the values of all ships, by ascending index.
  core::Bytes read_ships() {
    std::uint32_t ships = 0;
    if (mobula_client_find_component(client_, "Ship", nullptr, &ships) != MOBULA_OK) return {};
    std::array<mobula_entity, 64> entities{};
    std::array<std::array<std::byte, ship_bytes>, 64> values{};
    std::uint32_t count = 0;
    check("read_column", mobula_client_read_column(client_, ships, entities.data(), values.data(), ship_bytes,
                                                   entities.size(), &count));
    std::vector<std::pair<std::uint32_t, std::size_t>> by_index;
    for (std::size_t i = 0; i < count; ++i) by_index.emplace_back(static_cast<std::uint32_t>(entities[i]), i);
    std::ranges::sort(by_index);
    core::Bytes all;
    for (const auto& [index, at] : by_index) all.insert(all.end(), values[at].begin(), values[at].end());
    return all;
  }

  mobula_client client_{};
  std::int64_t now_ = 0;
  std::string failure_;
};

}  // namespace

std::string replay_in_c(const Json& file, const Json& session) {
  CClient client(file, session);
  for (const Json& step : session.at("steps")) {
    client.play(step);
    if (!client.failure().empty()) return client.failure();
    if (step.contains("then") && client.state() != step.at("then"))
      return core::format("at {} ms: {} instead of {}", step.at("at").get<std::uint64_t>(), client.state().dump(),
                          step.at("then").dump());
  }
  for (const Json& entity : session.at("entities")) {
    const auto [index, generation] = entity.at("entity").get<std::pair<std::uint64_t, std::uint64_t>>();
    if (!client.has(generation << 32 | index)) return core::format("{}.{} is missing", index, generation);
  }
  if (client.mismatched_ticks() != 0) return "the server's hashes differ";
  return client.failure();
}

}  // namespace mobula::test
