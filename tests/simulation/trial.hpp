// A plan played in a process of its own: what ends that process, an assertion or a sanitizer, is something found like
// any other.
#pragma once

#include <headless/temporary_folder.hpp>
#include <simulation/simulation.hpp>
#include <string>

namespace mobula::sim {

struct Trial {
  Plan plan;
  Outcome outcome;
  std::string said;  // by what ended the process, as it was
};

// One that runs. Its process ends with this.
class RunningTrial {
 public:
  // `trace_path`: where to write what happens; empty: nowhere.
  RunningTrial(Plan plan, const std::string& trace_path);
  ~RunningTrial();
  RunningTrial(RunningTrial&& other) noexcept;
  RunningTrial& operator=(RunningTrial&& other) noexcept;

  // Readable when it is over.
  [[nodiscard]] int descriptor() const { return pipe_; }
  // Waits for it.
  Trial finish();

 private:
  [[nodiscard]] Trial ended(int status) const;

  Plan plan_;
  std::string trace_path_;
  client::TemporaryFolder folder_;  // is removed however the process ends
  int child_ = -1;
  int pipe_ = -1;
};

inline Trial run_trial(Plan plan, const std::string& trace_path = {}) {
  return RunningTrial(std::move(plan), trace_path).finish();
}

// The same mistake with as few faults as can be found in so many trials. tried(trials, faults left) after each.
Plan shrink(Plan plan, std::uint32_t trials_max, const std::function<void(std::uint32_t, std::size_t)>& tried);

}  // namespace mobula::sim
