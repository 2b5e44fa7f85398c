#include <headless/temporary_folder.hpp>
#include <mobula/client/connection/connection.hpp>
#include <mobula/client/files/resource_folder.hpp>
#include <mobula/core/log.hpp>
#include <mobula/server/session/server.hpp>
#include <optional>

#include "bench_secrets.hpp"
#include "cpu_clock.hpp"
#include "join/field.hpp"
#include "join/join_line.hpp"

namespace mobula::bench {
namespace {

constexpr core::Nanoseconds step = core::millisecond;
constexpr core::Nanoseconds client_interval = 25 * core::millisecond;  // as in mobula-client
constexpr core::Nanoseconds patience = 60 * core::second;
const transport::Address server_address = transport::Address::v4(10, 255, 0, 1, 7777);
const transport::Address client_address = transport::Address::v4(10, 0, 0, 1, 5000);

server::ServerConfig server_config(const JoinOptions& options, std::shared_ptr<const resource::Resource> level) {
  server::ServerConfig config;
  config.level = std::move(level);
  config.ticks_per_second = options.ticks_per_second;
  config.verify_one_in = 0;
  set_bench_secrets(config, server_address);
  return config;
}

// Counts the server's entities that the mirror lacks or has with other values.
std::uint64_t count_mismatches(server::Published& published, client::Mirror& mirror) {
  std::uint64_t count = published.size() == mirror.size() ? 0 : 1;
  wire::SchemaCodecs codecs(mirror.registry(), mirror.schema());
  ecs::PrototypeTable& prototypes = mirror.registry().prototypes();
  std::vector<std::uint32_t> here;
  std::vector<std::uint32_t> there;
  for (std::uint32_t index = 0; index < published.index_end(); ++index) {
    const server::PublishedEntity& entity = published.entity(index);
    if (!entity.entity) continue;
    if (mirror.tick_of(entity.entity) == 0) {
      ++count;
      continue;
    }
    there.resize(published.codecs().entity(entity.prototype).words);
    published.words_now(index, there.data());
    const ecs::PrototypeId prototype = prototypes.canonical(mirror.registry().prototype(entity.entity));
    here.resize(codecs.entity(prototype).words);
    codecs.words(entity.entity, prototype, here.data());
    count += here == there ? 0 : 1;
  }
  return count;
}

class Join {
 public:
  Join(const JoinCase& join, const JoinOptions& options, server::Server& server)
      : options_(options), server_(server), line_(options.round_trip / 2) {
    report_.of = join;
  }

  core::Status prepare(const resource::Resource& level);
  core::Result<JoinReport> run();

 private:
  void serve();
  void receive(core::ByteView datagram);
  void note_hello();

  JoinOptions options_;
  server::Server& server_;
  JoinLine line_;
  std::optional<client::TemporaryFolder> folder_;
  std::optional<client::ResourceFolder> store_;
  std::optional<client::Connection> connection_;
  core::Nanoseconds now_ = core::second;
  core::Nanoseconds begin_ = 0;
  core::Nanoseconds hello_ = 0;  // 0 before it is sent
  JoinReport report_;
};

// Prepares the world before the client joins.
core::Status Join::prepare(const resource::Resource& level) {
  const core::Nanoseconds tick_length = core::second / options_.ticks_per_second;
  for (int tick = 0; tick < 2; ++tick, now_ += tick_length) {
    line_.set_now(now_);
    server_.tick(now_, line_.down());
    if (tick == 0) disturb(server_.world(), report_.of, options_.seed);
  }
  client::ConnectionConfig config;
  config.transport.token = bench_token(0, server_address);
  config.name = "somebody";
  config.verify = false;
  if (report_.of.cache != JoinCache::none) {
    core::Result<client::TemporaryFolder> folder = client::TemporaryFolder::make();
    if (!folder) return folder.error();
    folder_ = std::move(*folder);
    core::Result<client::ResourceFolder> store = client::ResourceFolder::open(folder_->path());
    if (!store) return store.error();
    store_ = std::move(*store);
    config.resources = &*store_;
  }
  if (report_.of.cache == JoinCache::has_it) {
    core::Result<std::unique_ptr<client::ResourceStore::Reception>> reception =
        store_->receive(level.identity(), level.clients_bytes().size());
    if (!reception) return reception.error();
    if (const core::Result<bool> kept = (*reception)->append(0, level.clients_bytes()); !kept) return kept.error();
  }
  begin_ = now_;
  connection_.emplace(config, now_);
  return core::Done{};
}

void Join::receive(core::ByteView datagram) {
  connection_->receive(server_address, datagram, now_);
  std::uint64_t& bytes = hello_ == 0                        ? report_.handshake_bytes
                         : connection_->stats().deltas == 0 ? report_.welcome_bytes
                                                            : report_.delta_bytes;
  bytes += datagram.size();
}

void Join::note_hello() {
  if (hello_ != 0 || connection_->state() == client::Connection::State::connecting) return;
  hello_ = now_;
  report_.handshake_round_trips = line_.round_trips();
}

void Join::serve() {
  const core::Nanoseconds before = thread_cpu_now();
  line_.deliver_up([&](core::ByteView datagram) { server_.receive(client_address, datagram, now_, line_.down()); });
  const bool ticks = (now_ - begin_) % (core::second / options_.ticks_per_second) == 0;
  if (ticks) server_.tick(now_, line_.down());
  report_.server_cpu_ms += core::in_ms(thread_cpu_now() - before);
}

core::Result<JoinReport> Join::run() {
  for (; !connection_->complete(); now_ += step) {
    if (now_ - begin_ > patience)
      return core::Error{"not complete", "the client's mirror is not complete after a minute"};
    line_.set_now(now_);
    line_.deliver_down([&](core::ByteView datagram) { receive(datagram); });
    if (connection_->complete()) break;
    if ((now_ - begin_) % client_interval == 0) connection_->update(now_, line_.up());
    note_hello();
    serve();
  }
  const auto ms = [](core::Nanoseconds time) { return static_cast<double>(time) / 1e6; };
  report_.entities = server_.published().size();
  report_.bytes_up = line_.bytes_up();
  report_.round_trips = line_.round_trips() - report_.handshake_round_trips;
  report_.ms = ms(now_ - begin_);
  report_.join_ms = ms(now_ - hello_);
  report_.mismatches = count_mismatches(server_.published(), *connection_->mirror());
  return report_;
}

}  // namespace

std::vector<JoinCase> usual_joins() {
  return {{},
          {.moved_permille = 10},
          {.moved_permille = 100},
          {.moved_permille = 500},
          {.destroyed_permille = 10},
          {.moved_permille = 10, .cache = JoinCache::none},
          {.moved_permille = 10, .cache = JoinCache::fetches}};
}

core::Result<JoinReport> run_join(const JoinCase& join, const JoinOptions& options) {
  core::set_log_level(core::LogLevel::error);
  const auto level = compile_field(options.objects);
  if (!level) return level.error();
  Field game;
  const auto server = server::Server::start(server_config(options, *level), game);
  if (!server) return server.error();
  (*server)->set_unix_time(bench_unix_time);
  Join run(join, options, **server);
  if (const core::Status prepared = run.prepare(**level); !prepared) return prepared.error();
  return run.run();
}

}  // namespace mobula::bench
