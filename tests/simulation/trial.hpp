// Trial: a plan run in a process of its own. A crash of that process, by an assertion or a sanitizer, is a violation
// like any other.
#pragma once

#include <headless/temporary_folder.hpp>
#include <simulation/simulation.hpp>
#include <string>

namespace mobula::sim {

struct Trial {
  Plan plan;
  Outcome outcome;
  std::string output;  // standard error of the process
};

// A running trial. Its destructor waits for the process.
class RunningTrial {
 public:
  // `trace_path`: file for the trace; empty for none.
  RunningTrial(Plan plan, const std::string& trace_path);
  ~RunningTrial();
  RunningTrial(RunningTrial&& other) noexcept;
  RunningTrial& operator=(RunningTrial&& other) noexcept;

  // Descriptor that becomes readable at the end.
  [[nodiscard]] int descriptor() const { return pipe_; }
  // Waits for the end.
  Trial finish();

 private:
  [[nodiscard]] Trial ended(int status) const;

  Plan plan_;
  std::string trace_path_;
  client::TemporaryFolder folder_;  // removed however the process ends
  int child_ = -1;
  int pipe_ = -1;
};

inline Trial run_trial(Plan plan, const std::string& trace_path = {}) {
  return RunningTrial(std::move(plan), trace_path).finish();
}

// Returns a plan with the same violation and as few faults as found in `trials_max` trials. Calls tried(trials, faults
// left) after each.
Plan shrink(Plan plan, std::uint32_t trials_max, const std::function<void(std::uint32_t, std::size_t)>& tried);

}  // namespace mobula::sim
