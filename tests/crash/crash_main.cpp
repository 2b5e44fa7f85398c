// The crash loop: a server with a store under load is killed at random moments and restarted, many times.
//
//   mobula-crash BIN_DIR LEVEL FOLDER [ROUNDS] [SEED]
//
// After each kill the restored world must be that of the last checkpoint in the log, or of a later one whose line the
// kill has cut off. No handle that a client has seen may refer to another entity: a handle of an older start must be in
// the file, with an entity of the same kind. Status 0 if all rounds pass.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <mobula/client/pipe/pipe_client.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/random.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/server/store/database.hpp>
#include <set>
#include <sstream>

namespace {

using namespace mobula;
namespace fs = std::filesystem;

constexpr double checkpoint_seconds = 0.25;
constexpr core::Nanoseconds start_timeout = 60 * core::second;

// A child process that is killed when this process ends.
class Child {
 public:
  Child(std::vector<std::string> arguments, const fs::path& output) {
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, STDOUT_FILENO);
    ::dup2(file, STDERR_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ~Child() { kill(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, 0), nullptr, 0);
  }
  [[nodiscard]] bool ended() {
    if (pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = 0;
    return pid_ <= 0;
  }

 private:
  pid_t pid_ = 0;
};

std::string read(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// Returns the text after the last occurrence of `words`, up to a blank or a punctuation mark.
std::string after_last(const std::string& text, const std::string& words) {
  const std::size_t at = text.rfind(words);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + words.size();
  return text.substr(begin, text.find_first_of(" ,:;\n", begin) - begin);
}

std::uint64_t number(const std::string& text, int base = 10) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return value;
}

struct Moment {
  std::uint64_t tick = 0;
  std::string state;
};

// Returns the last checkpoint of the log: "tick 120 is on the disk: state 0123456789abcdef". Ignores a partial line.
Moment last_saved(std::string log) {
  log.resize(log.rfind('\n') == std::string::npos ? 0 : log.rfind('\n'));
  const std::size_t at = log.rfind(" is on the disk: state ");
  if (at == std::string::npos) return {};
  const std::size_t begin = log.rfind("tick ", at) + 5;
  return {number(log.substr(begin, at - begin)), after_last(log, " is on the disk: state ")};
}

using Handle = std::pair<std::uint32_t, std::uint32_t>;

// Returns the handles in the file.
std::set<Handle> saved_handles(const std::string& path) {
  std::set<Handle> handles;
  core::Result<store::Database> database = store::Database::open(path, store::Database::Access::existing);
  if (!database) return handles;
  database->keep_log_at_close(true);
  store::Statement rows = database->prepare("SELECT entity, generation FROM saved_entity");
  while (rows.next())
    handles.emplace(static_cast<std::uint32_t>(rows.integer(0)), static_cast<std::uint32_t>(rows.integer(1)));
  return handles;
}

// Describes what never changes about an entity of the demo.
std::string kind_of(const ecs::Registry& registry, ecs::Entity entity) {
  if (const auto* avatar = registry.try_get<const demo::Avatar>(entity))
    return "the avatar of player " + std::to_string(avatar->player);
  if (const auto* pickup = registry.try_get<const demo::Pickup>(entity))
    return "a pickup of kind " + std::to_string(static_cast<int>(pickup->kind));
  return registry.has<demo::Target>(entity)     ? "a mob that hunts"
         : registry.has<demo::Velocity>(entity) ? "a mob"
                                                : "scenery";
}

class CrashLoop {
 public:
  CrashLoop(fs::path bin, fs::path level, fs::path folder, std::uint64_t seed)
      : bin_(std::move(bin)), level_(std::move(level)), folder_(std::move(folder)), random_(seed) {}

  bool run(std::uint32_t rounds) {
    for (round_ = 1; round_ <= rounds && good_; ++round_) {
      life();
      if (round_ % 10 == 0 || round_ == rounds)
        std::cout << core::format(
                         "round {}: {} ticks, {} handles seen, {} saved; at most {} ticks lost, {} log lines cut\n",
                         round_, saved_.tick, seen_.size(), on_disk_.size(), lost_max_, cut_)
                  << std::flush;
    }
    return good_;
  }

 private:
  void fail(const std::string& what) {
    good_ = false;
    std::cout << core::format("round {}: {}\nthe server's log is in {}\n", round_, what, log_.string());
  }

  void life() {
    log_ = folder_ / "server.log";
    fs::remove(log_);  // else the log of the previous server would be read as this one's
    Child server({bin_ / "mobula-server", "--db", folder_ / "world.db", "--level", level_, "--port", "0",
                  "--admin-port", "0", "--checkpoint-seconds", std::to_string(checkpoint_seconds),
                  "--rejoin-grace-seconds", "5", "--log-format", "text", "--log-level", "info,store=debug"},
                 log_);
    if (!wait_for_start(server)) return fail("the server did not start");
    check_restored();
    if (!good_) return;
    const std::string log = read(log_);
    const std::string port = after_last(log, "listening on udp port ");
    const std::string admin = "http://" + admin_address(log);
    Child bots({bin_ / "mobula-bots", "--connect", "127.0.0.1:" + port, "--admin", admin, "--clients", "20",
                "--seconds", "60", "--verify", "0"},
               folder_ / "bots.log");
    watch(port, admin, core::monotonic_now() + (50 + random_.below(2500)) * core::millisecond);
    server.kill();
    bots.kill();
    // Without a checkpoint the world stays as it was.
    if (const Moment saved = last_saved(read(log_)); saved.tick != 0) saved_ = saved;
    on_disk_ = saved_handles(folder_ / "world.db");
  }

  static std::string admin_address(const std::string& log) {
    const std::size_t at = log.rfind("admin address http://");
    const std::size_t begin = at + std::string("admin address http://").size();
    return log.substr(begin, log.find(": ", begin) - begin);
  }

  bool wait_for_start(Child& server) {
    const core::Nanoseconds end = core::monotonic_now() + start_timeout;
    while (core::monotonic_now() < end) {
      const std::string log = read(log_);
      const std::size_t at = log.find("admin address");
      if (at != std::string::npos && log.find('\n', at) != std::string::npos) return true;
      if (server.ended()) return false;
      ::usleep(2000);
    }
    return false;
  }

  void check_restored() {
    const std::string log = read(log_);
    const std::uint32_t before = start_;
    start_ = static_cast<std::uint32_t>(number(after_last(log, "; start ")));
    // A server that is killed before it opens the world does not count as a start.
    if (start_ <= before || start_ > round_)
      return fail(core::format("round {}, after start {}, logs start {}", round_, before, start_));
    const std::uint64_t tick = number(after_last(log, "restored as of tick "));
    const std::string state = after_last(log, " entities, state ");
    if (tick < saved_.tick) return fail(core::format("restored as of tick {}, saved was {}", tick, saved_.tick));
    if (tick == saved_.tick && state != saved_.state)
      return fail(core::format("restored with state {}, saved was {}", state, saved_.state));
    cut_ += tick > saved_.tick ? 1 : 0;
    if (last_tick_ > tick) lost_max_ = std::max(lost_max_, last_tick_ - tick);
  }

  // Observes the world as a client until `end`.
  void watch(const std::string& port, const std::string& admin, core::Nanoseconds end) {
    net::EventLoop loop;
    client::AccessOptions options;
    options.connect = "127.0.0.1:" + port;
    options.admin = admin;
    const auto access = client::parse_access(std::move(options));
    client::ConnectionConfig config;
    config.name = "watch";
    auto entered = access ? client::enter(loop, *access, config)
                          : core::Result<std::unique_ptr<client::PipeClient>>(access.error());
    if (!entered) return fail("the observing client cannot join: " + entered.error().message);
    client::PipeClient& client = **entered;
    const std::array all{&client};
    while (core::monotonic_now() < end && good_) {
      client::run_until(loop, core::monotonic_now() + 25 * core::millisecond, all);
      client.update();
      if (client::Mirror* mirror = client.connection().mirror()) check(mirror->registry());
    }
  }

  void check(const ecs::Registry& registry) {
    last_tick_ = std::max<std::uint64_t>(last_tick_, registry.tick());
    registry.entities().each([&](ecs::Entity entity) {
      const Handle handle{entity.index, entity.generation};
      const std::uint32_t start = entity.generation >> 20;
      const std::string kind = kind_of(registry, entity);
      if (start > start_) return fail("a handle of a later start: " + to_string(entity));
      if (start < start_ && !on_disk_.contains(handle))
        return fail("a handle of start " + std::to_string(start) + " that was not saved: " + to_string(entity));
      const auto [known, is_new] = seen_.try_emplace(handle, kind);
      if (!is_new && known->second != kind)
        return fail(to_string(entity) + " was " + known->second + ", and is " + kind);
    });
  }

  fs::path bin_;
  fs::path level_;
  fs::path folder_;
  fs::path log_;
  core::Random random_;
  std::uint32_t round_ = 0;
  std::uint32_t start_ = 0;
  Moment saved_;
  std::uint64_t last_tick_ = 0;  // newest tick that the client has seen
  std::set<Handle> on_disk_;
  std::map<Handle, std::string> seen_;
  std::uint64_t lost_max_ = 0;
  std::uint32_t cut_ = 0;
  bool good_ = true;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: mobula-crash BIN_DIR LEVEL FOLDER [ROUNDS] [SEED]\n";
    return 2;
  }
  const std::uint32_t rounds = argc > 4 ? static_cast<std::uint32_t>(number(argv[4])) : 5;
  const std::uint64_t seed = argc > 5 ? number(argv[5]) : static_cast<std::uint64_t>(core::monotonic_now());
  std::cout << core::format("{} rounds, seed {}, a checkpoint each {} s\n", rounds, seed, checkpoint_seconds)
            << std::flush;
  const bool good = CrashLoop(argv[1], argv[2], argv[3], seed).run(rounds);
  std::cout << (good ? "nothing was lost\n" : "failed\n");
  return good ? 0 : 1;
}
