#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mobula/core/assert.hpp>
#include <mobula/core/log.hpp>
#include <simulation/cluster/cluster_simulation.hpp>
#include <simulation/trial.hpp>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace mobula::sim {
namespace {

void write_all(int to, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(to, at, size);
    if (written <= 0) ::_exit(3);
    at += written;
    size -= static_cast<std::size_t>(written);
  }
}

client::TemporaryFolder make_folder() {
  core::Result<client::TemporaryFolder> made = client::TemporaryFolder::make();
  if (!made) throw std::runtime_error(made.error().message);
  return std::move(*made);
}

// Files in a trial's folder: the output of its process, and its current tick.
std::string output_path(const std::string& folder) { return folder + "/output"; }
std::string tick_path(const std::string& folder) { return folder + "/tick"; }

int create(const std::string& path) {
  const int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0) ::_exit(3);
  return file;
}

// Limits CPU time, as the machine may be busy. Waiting is limited to four times as long.
void end_within(std::uint32_t seconds) {
  const itimerval limit{.it_interval = {}, .it_value = {.tv_sec = seconds, .tv_usec = 0}};
  ::setitimer(ITIMER_PROF, &limit, nullptr);
  ::alarm(4 * seconds);
}

[[noreturn]] void play(const Plan& plan, int to, const std::string& folder, const std::string& trace_path) {
  core::set_log_level(core::LogLevel::off);
  ::dup2(create(output_path(folder)), STDERR_FILENO);
  end_within(plan.seconds_max);
  Listener listener;
  const int tick_file = create(tick_path(folder));
  listener.tick = [&](std::uint32_t tick) {
    if (::pwrite(tick_file, &tick, sizeof(tick), 0) != sizeof(tick)) ::_exit(3);
  };
  std::ofstream trace;
  if (!trace_path.empty()) {
    trace.open(trace_path);
    listener.event = [&](std::uint32_t tick, const std::string& what, ecs::Entity entity) {
      trace << tick << '\t' << what;
      if (entity) trace << '\t' << to_string(entity);
      trace << std::endl;
    };
  }
  const Outcome outcome =
      plan.zones > 0 ? ClusterSimulation(plan, listener, folder).run() : Simulation(plan, listener, folder).run();
  const Results& results = outcome;  // the text of the violation follows
  write_all(to, &results, sizeof(results));
  write_all(to, outcome.wrong.data(), outcome.wrong.size());
  ::_exit(0);
}

std::string read_all(int from) {
  std::string all;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(from, buffer, sizeof(buffer))) > 0;)
    all.append(buffer, static_cast<std::size_t>(got));
  return all;
}

std::string read_file(const std::string& path) {
  std::stringstream all;
  all << std::ifstream(path).rdbuf();
  return all.str();
}

// Returns the first line that contains more than a rule.
std::string first_line(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line))
    if (std::ranges::any_of(line, [](unsigned char c) { return std::isalnum(c) != 0; })) return line;
  return {};
}

constexpr std::string_view hung = "did not end in ";

// Returns the text of a violation without numbers, addresses and handles, to compare kinds.
std::string kind_of(std::string wrong) {
  std::erase_if(wrong, [](unsigned char c) { return std::isxdigit(c) != 0; });
  return wrong;
}

std::string how_ended(int status, const Plan& plan) {
  if (!WIFSIGNALED(status)) return "ended with status " + std::to_string(WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGALRM)
    return std::string(hung) + std::to_string(plan.seconds_max) + " seconds";
  return "ended by signal " + std::to_string(WTERMSIG(status));
}

}  // namespace

RunningTrial::RunningTrial(Plan plan, const std::string& trace_path)
    : plan_(std::move(plan)), trace_path_(trace_path), folder_(make_folder()) {
  int ends[2] = {-1, -1};
  std::fflush(nullptr);
  if (::pipe(ends) != 0 || (child_ = ::fork()) < 0) throw std::system_error(errno, std::generic_category(), "a trial");
  if (child_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // ends the child with this process
    ::close(ends[0]);
    play(plan_, ends[1], folder_.path(), trace_path);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
}

RunningTrial::RunningTrial(RunningTrial&& other) noexcept
    : plan_(std::move(other.plan_)),
      trace_path_(std::move(other.trace_path_)),
      folder_(std::move(other.folder_)),
      child_(std::exchange(other.child_, -1)),
      pipe_(std::exchange(other.pipe_, -1)) {}

RunningTrial& RunningTrial::operator=(RunningTrial&& other) noexcept {
  std::swap(plan_, other.plan_);
  std::swap(trace_path_, other.trace_path_);
  std::swap(folder_, other.folder_);
  std::swap(child_, other.child_);
  std::swap(pipe_, other.pipe_);
  return *this;
}

RunningTrial::~RunningTrial() {
  if (child_ >= 0) static_cast<void>(finish());
}

Trial RunningTrial::finish() {
  const std::string report_bytes = read_all(pipe_);
  ::close(std::exchange(pipe_, -1));
  int status = 0;
  ::waitpid(std::exchange(child_, -1), &status, 0);
  Trial trial = ended(status);
  MOBULA_ASSERT(report_bytes.size() >= sizeof(Results) || !trial.outcome.wrong.empty(),
                "a trial that ends well reports all");
  if (report_bytes.size() >= sizeof(Results)) {
    Results results;
    std::memcpy(&results, report_bytes.data(), sizeof(results));
    const std::string wrong = report_bytes.substr(sizeof(results));
    const bool is_both = !wrong.empty() && !trial.outcome.wrong.empty();
    trial.outcome = {results, wrong + (is_both ? "; " : "") + trial.outcome.wrong};
  }
  if (!trace_path_.empty() && !trial.outcome.wrong.empty())
    std::ofstream(trace_path_, std::ios::app) << trial.outcome.ticks << "\tWRONG: " << trial.outcome.wrong << '\n'
                                              << trial.output;
  return trial;
}

// Describes the end of the process. The tick is the one in which it failed or printed something, as sanitizers do.
Trial RunningTrial::ended(int status) const {
  Trial trial{plan_, {}, read_file(output_path(folder_.path()))};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && trial.output.empty()) return trial;
  const std::string tick = read_file(tick_path(folder_.path()));
  if (tick.size() == sizeof(trial.outcome.ticks)) std::memcpy(&trial.outcome.ticks, tick.data(), tick.size());
  trial.outcome.wrong = how_ended(status, plan_);
  const std::string line = first_line(trial.output);
  if (!line.empty()) trial.outcome.wrong += ": " + line;
  return trial;
}

// Removes hostile peers, and ever smaller parts of the faults, while the same violation occurs (Zeller's delta
// debugging, without its complements). Faults after the violation are removed at once.
Plan shrink(Plan plan, std::uint32_t trials_max, const std::function<void(std::uint32_t, std::size_t)>& tried) {
  std::uint32_t trials = 0;
  std::string kind;
  const auto take_if_fails = [&](Plan candidate) {
    const Outcome outcome = run_trial(candidate).outcome;
    tried(++trials, candidate.faults.size());
    const std::string now = kind_of(outcome.wrong);
    if (now.empty() || (!kind.empty() && now != kind)) return false;
    kind = now;
    if (outcome.ticks > 0)
      std::erase_if(candidate.faults, [&](const Fault& fault) { return fault.at > outcome.ticks; });
    plan = std::move(candidate);
    return true;
  };
  if (!take_if_fails(plan) || kind.starts_with(kind_of(std::string(hung))))
    return plan;  // shrinking a plan that hangs would take hours
  for (std::uint32_t Plan::* const who : {&Plan::unauthenticated_peers, &Plan::hostile_clients}) {
    Plan fewer = plan;
    if (std::exchange(fewer.*who, 0) > 0) take_if_fails(std::move(fewer));
  }
  for (std::size_t part = plan.faults.size(); part > 0; part /= 2) {
    for (std::size_t first = 0; first < plan.faults.size() && trials < trials_max;) {
      Plan fewer = plan;
      const auto begin = fewer.faults.begin() + static_cast<std::ptrdiff_t>(first);
      fewer.faults.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(part, plan.faults.size() - first)));
      if (!take_if_fails(std::move(fewer))) first += part;
    }
  }
  return plan;
}

}  // namespace mobula::sim
