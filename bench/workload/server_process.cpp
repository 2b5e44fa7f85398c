#include "workload/server_process.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <ctime>
#include <mobula/core/assert.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/net/server_pipes.hpp>
#include <mobula/server/game/game.hpp>
#include <mobula/server/host/worlds.hpp>
#include <mobula/server/session/server.hpp>

namespace mobula::bench {
namespace {

constexpr core::Nanoseconds start_patience = 20 * core::second;

core::Nanoseconds process_cpu_now() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * core::second + time.tv_nsec;
}

void sleep_a_little() {
  const timespec time{.tv_sec = 0, .tv_nsec = core::millisecond};
  ::nanosleep(&time, nullptr);
}

// All clients see all objects, and have no entity of their own.
class PurrnetGame final : public server::Game {
 public:
  explicit PurrnetGame(const PurrnetOptions& options)
      : movers_(options.motion, options.objects, options.ticks_per_second, options.seed),
        reckoned_(options.tolerance.reckons() ? reckoned_schema("Mover", mover_range, options.tolerance)
                                              : core::Bytes()) {}

  [[nodiscard]] core::ByteView schema() const override {
    return reckoned_.empty() ? purrnet::schema_bytes() : core::ByteView(reckoned_);
  }
  core::Status start(server::World& world) override {
    for (const purrnet::Mover& mover : movers_.poses()) {
      const core::Result<ecs::Entity> object = world.create(mover);
      if (!object) return object.error();
      objects_.push_back(*object);
    }
    return core::Done{};
  }
  core::Result<ecs::Entity> join(server::World& /*world*/, const server::Player& /*player*/) override {
    return ecs::Entity();
  }
  void leave(server::World& /*world*/, const server::Player& /*player*/) override {}
  // In tick n the objects have moved n times.
  void tick(server::World& world) override {
    for (; moved_ < world.tick(); ++moved_) movers_.step();
    for (std::size_t i = 0; i < objects_.size(); ++i)
      world.registry().get<purrnet::Mover>(objects_[i]) = movers_.poses()[i];
  }

  [[nodiscard]] std::span<const ecs::Entity> objects() const { return objects_; }

 private:
  Movers movers_;
  core::Bytes reckoned_;  // empty without dead reckoning
  std::vector<ecs::Entity> objects_;
  ecs::Tick moved_ = 0;
};

server::HostConfig host_config(const PurrnetOptions& options) {
  server::HostConfig config;
  config.port = 0;
  config.tick_rate = options.ticks_per_second;
  config.public_addresses = {"127.0.0.1"};
  config.clients_max = options.clients;
  return config;
}

}  // namespace

// Memory of both processes. The child writes everything but `wanted`; what a phase needs is written before it begins.
struct ServerProcess::Page {
  std::atomic<ServerPhase> wanted;
  std::atomic<ServerPhase> phase;
  std::uint16_t port;
  std::array<char, 256> error;  // why it failed, ends with a zero
  ServerUse begin;              // since the start, when measuring began and ended
  ServerUse end;
  std::array<ecs::Entity, purrnet_objects_max> objects;
  std::array<std::array<std::byte, transport::connect_token_bytes>, purrnet_clients_max> tokens;
};

class ServerProcess::Child {
 public:
  Child(Page& page, const PurrnetOptions& options) : page_(page), options_(options), game_(options) {}

  void run() {
    if (const core::Status opened = open(); !opened) return fail(opened.error());
    page_.phase = ServerPhase::serving;
    worlds_.on_tick([this] { follow(); });
    worlds_.run();
    page_.phase = ServerPhase::ended;
  }

 private:
  core::Status open() {
    const core::Result<server::HostedWorld*> world = worlds_.open("purrnet", host_config(options_), game_);
    if (!world) return world.error();
    world_ = *world;
    page_.port = world_->udp_port();
    std::ranges::copy(game_.objects(), page_.objects.begin());
    for (std::uint32_t i = 0; i < options_.clients; ++i) {
      const core::Result<core::Bytes> token = server::make_token(world_->token_issuer(), {.client_id = i + 1});
      if (!token) return token.error();
      std::ranges::copy(*token, page_.tokens[i].begin());
    }
    return core::Done{};
  }
  void fail(const core::Error& error) {
    std::strncpy(page_.error.data(), error.message.c_str(), page_.error.size() - 1);
    page_.phase = ServerPhase::failed;
  }
  // Enters the phase that the parent asks for. Called after each tick.
  void follow() {
    const ServerPhase wanted = page_.wanted;
    if (wanted <= page_.phase.load()) return;
    if (wanted == ServerPhase::measuring) page_.begin = use_so_far();
    if (wanted == ServerPhase::measured) page_.end = use_so_far();
    if (wanted == ServerPhase::ended) return worlds_.stop();
    page_.phase = wanted;
  }
  [[nodiscard]] ServerUse use_so_far() const {
    const net::UdpCounters& udp = world_->pipes().udp_counters();
    server::Server& server = world_->server();
    ServerUse use{.ticks = server.world().tick(),
                  .datagrams_down = udp.datagrams_sent,
                  .bytes_down = udp.bytes_sent,
                  .datagrams_up = udp.datagrams_received,
                  .bytes_up = udp.bytes_received,
                  .delta_bytes = server.stats().delta_bytes_sent,
                  .cpu = process_cpu_now(),
                  .phases = {}};
    for (std::size_t i = 0; i < use.phases.size(); ++i)
      use.phases[i] = server.phases().spent(static_cast<server::TickPhase>(i));
    return use;
  }

  Page& page_;
  const PurrnetOptions& options_;
  PurrnetGame game_;
  server::Worlds worlds_;
  server::HostedWorld* world_ = nullptr;
};

core::Result<std::unique_ptr<ServerProcess>> ServerProcess::start(const PurrnetOptions& options) {
  MOBULA_CHECK(options.clients <= purrnet_clients_max && options.objects <= purrnet_objects_max, "too many for a page");
  void* const memory = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return core::Error{"cannot fork", core::format("no shared memory: {}", std::strerror(errno))};
  std::unique_ptr<ServerProcess> server(new ServerProcess(new (memory) Page{}, options));
  const pid_t parent = ::getpid();
  server->pid_ = ::fork();
  if (server->pid_ < 0) return core::Error{"cannot fork", std::strerror(errno)};
  if (server->pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() == parent) Child(*server->page_, server->options_).run();
    ::_exit(0);  // the parent's objects are the parent's
  }
  for (core::Nanoseconds end = core::monotonic_now() + start_patience; server->phase() == ServerPhase::starting;) {
    if (server->over() || core::monotonic_now() > end)
      return core::Error{"server ended", "the server's process does not listen"};
    sleep_a_little();
  }
  if (server->phase() == ServerPhase::failed) return core::Error{"server ended", server->page_->error.data()};
  return server;
}

ServerProcess::~ServerProcess() {
  ask(ServerPhase::ended);
  const core::Nanoseconds end = core::monotonic_now() + start_patience;
  while (!over() && core::monotonic_now() < end) sleep_a_little();
  if (!over()) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::munmap(page_, sizeof(Page));
}

bool ServerProcess::over() {
  if (pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) != 0) pid_ = 0;
  return pid_ <= 0;
}

std::uint16_t ServerProcess::port() const { return page_->port; }

transport::ConnectToken ServerProcess::take_token() {
  MOBULA_CHECK(tokens_ < options_.clients, "there is one token for each client");
  return transport::read_token(page_->tokens[tokens_++]).value();
}

std::span<const ecs::Entity> ServerProcess::objects() const {
  return std::span(page_->objects).first(options_.objects);
}

void ServerProcess::ask(ServerPhase phase) { page_->wanted = phase; }
ServerPhase ServerProcess::phase() const { return page_->phase; }

ServerUse ServerProcess::use() const {
  const ServerUse& begin = page_->begin;
  ServerUse use = page_->end;
  use.ticks -= begin.ticks;
  use.datagrams_down -= begin.datagrams_down;
  use.bytes_down -= begin.bytes_down;
  use.datagrams_up -= begin.datagrams_up;
  use.bytes_up -= begin.bytes_up;
  use.delta_bytes -= begin.delta_bytes;
  use.cpu -= begin.cpu;
  for (std::size_t i = 0; i < use.phases.size(); ++i) use.phases[i] -= begin.phases[i];
  return use;
}

}  // namespace mobula::bench
