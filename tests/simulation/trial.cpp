#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mobula/core/log.hpp>
#include <simulation/trial.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace mobula::sim {
namespace {

// What a child tells, in this order: the numbers, then the text of what is wrong.
struct Told {
  std::uint64_t hash = 0;
  std::uint64_t compared = 0;
  std::uint64_t rejoins = 0;
  std::uint32_t ticks = 0;
  std::uint32_t restarts = 0;
};

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

[[noreturn]] void play(const Plan& plan, int to, const std::string& folder, const std::string& trace_path) {
  core::set_log_level(core::LogLevel::off);
  std::ofstream file;
  Trace trace;
  if (!trace_path.empty()) {
    file.open(trace_path);
    trace = [&file](std::uint32_t tick, const std::string& what) { file << tick << '\t' << what << std::endl; };
  }
  Outcome outcome;
  {
    Simulation simulation(plan, trace, folder);
    outcome = simulation.run();
  }
  if (trace && !outcome.wrong.empty()) trace(outcome.ticks, "WRONG: " + outcome.wrong);
  const Told told{outcome.hash, outcome.compared, outcome.rejoins, outcome.ticks, outcome.restarts};
  write_all(to, &told, sizeof(told));
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

}  // namespace

RunningTrial::RunningTrial(Plan plan, const std::string& trace_path) : plan_(std::move(plan)), folder_(make_folder()) {
  int ends[2] = {-1, -1};
  std::fflush(nullptr);
  if (::pipe(ends) != 0 || (child_ = ::fork()) < 0) throw std::system_error(errno, std::generic_category(), "a trial");
  if (child_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // or it would go on when this process is ended
    ::close(ends[0]);
    play(plan_, ends[1], folder_.path(), trace_path);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
}

RunningTrial::RunningTrial(RunningTrial&& other) noexcept
    : plan_(std::move(other.plan_)),
      folder_(std::move(other.folder_)),
      child_(std::exchange(other.child_, -1)),
      pipe_(std::exchange(other.pipe_, -1)) {}

RunningTrial& RunningTrial::operator=(RunningTrial&& other) noexcept {
  std::swap(plan_, other.plan_);
  std::swap(folder_, other.folder_);
  std::swap(child_, other.child_);
  std::swap(pipe_, other.pipe_);
  return *this;
}

RunningTrial::~RunningTrial() {
  if (child_ >= 0) static_cast<void>(finish());
}

Trial RunningTrial::finish() {
  const std::string said = read_all(std::exchange(pipe_, -1));
  int status = 0;
  ::waitpid(std::exchange(child_, -1), &status, 0);
  Trial trial{plan_, {}};
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || said.size() < sizeof(Told)) {
    trial.outcome.wrong = WIFSIGNALED(status) ? "ended by signal " + std::to_string(WTERMSIG(status))
                                              : "ended with status " + std::to_string(WEXITSTATUS(status));
    return trial;
  }
  Told told;
  std::memcpy(&told, said.data(), sizeof(told));
  trial.outcome = {.ticks = told.ticks,
                   .hash = told.hash,
                   .wrong = said.substr(sizeof(told)),
                   .compared = told.compared,
                   .restarts = told.restarts,
                   .rejoins = told.rejoins};
  return trial;
}

// Leaves out who is not to blame, and ever smaller parts of the faults, as long as something still goes wrong (Zeller's
// delta debugging, without its complements). What comes after it is to blame for nothing.
Plan shrink(Plan plan, std::uint32_t trials_max, const std::function<void(std::uint32_t, std::size_t)>& tried) {
  std::uint32_t trials = 0;
  const auto take_if_fails = [&](Plan candidate) {
    const Outcome outcome = run_trial(candidate).outcome;
    tried(++trials, candidate.faults.size());
    if (outcome.wrong.empty()) return false;
    if (outcome.ticks > 0)
      std::erase_if(candidate.faults, [&](const Fault& fault) { return fault.at > outcome.ticks; });
    plan = std::move(candidate);
    return true;
  };
  if (!take_if_fails(plan)) return plan;
  for (std::uint32_t Plan::* const who : {&Plan::hostiles, &Plan::liars}) {
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
