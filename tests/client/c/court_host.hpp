// A host that steps the rules of the court (court_rules.cpp) through the C interface alone.
#pragma once

#include <client/c/calls.hpp>
#include <court/components.hpp>
#include <mobula/core/bytes.hpp>
#include <mobula/core/clock.hpp>
#include <vector>

namespace mobula::test {

class CourtHost {
 public:
  explicit CourtHost(mobula_client client) : client_(client) {}

  /// Updates the prediction, and steps the ticks that are due. Returns their number; -1 after an unexpected error.
  int update(core::Nanoseconds now);
  /// Steps the tick that mobula_prediction_next_step has begun.
  void step(const mobula_step& step);
  /// Returns the first call that has failed; empty if all were right.
  [[nodiscard]] const char* failed() const { return failed_; }

 private:
  // Numbers of components, found anew in each step: a new mirror has others.
  struct Numbers {
    std::uint32_t body, heading, thrower, stone, crate, surface;
  };

  void check(mobula_result result, const char* call) {
    if (result != MOBULA_OK && *failed_ == '\0') failed_ = call;
  }
  void find_numbers();
  [[nodiscard]] std::vector<mobula_entity> entities(std::vector<std::uint32_t> components, bool visible);
  template <class T>
  bool read(mobula_entity entity, std::uint32_t component, T& value);
  template <class T>
  void write(mobula_entity entity, std::uint32_t component, const T& value);
  void run_command(const mobula_command& command);
  void walk(mobula_entity avatar, float x, float z);
  void throw_stone(const mobula_command& command, float x, float z);
  void move(float seconds);
  void push_crates(std::uint32_t tick);
  void push(mobula_entity crate, const std::vector<mobula_entity>& throwers, std::uint32_t tick);
  void end_ticks();

  mobula_client client_;
  Numbers numbers_{};
  const char* failed_ = "";
};

}  // namespace mobula::test
