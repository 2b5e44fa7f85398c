// A prediction in C++ and one of the C interface, beside a Twin. Both step the same rules over the same mirror. They
// must predict the same values, with the same notices and counters.
#pragma once

#include <client/c/court_host.hpp>
#include <conformance/twin.hpp>
#include <mobula/client/prediction/prediction.hpp>

namespace mobula::conformance {

class PredictedTwin {
 public:
  /// `rules` is the name of compiled-in rules; null for those of the CourtHost. All must outlive it.
  PredictedTwin(const client::Connection& connection, const client::Prediction& prediction, mobula_client c,
                const client::PredictionConfig& config, const char* rules);

  /// Updates the one in C, after that in C++, and compares. `now` is the time of the latter.
  void update(core::Nanoseconds now);
  void set_predicted(ecs::Entity entity, bool predicted) const;
  /// Returns the first difference; empty if there was none.
  [[nodiscard]] const std::string& difference() const { return difference_; }
  /// Returns the numbers of values and of notices that were compared.
  [[nodiscard]] std::uint64_t values() const { return values_; }
  [[nodiscard]] std::uint64_t notices() const { return notices_; }

 private:
  void expect(bool equal, const std::string& what);
  void compare_state();
  void compare_counters();
  void compare_entity(ecs::Entity entity);
  void compare_value(ecs::Entity entity, const char* type);
  void compare_column(const char* type);
  void compare_effects();
  void compare_spawns();

  const client::Connection& connection_;
  const client::Prediction& prediction_;
  mobula_client c_;
  test::CourtHost host_;
  std::string difference_;
  std::uint64_t values_ = 0;
  std::uint64_t notices_ = 0;
};

}  // namespace mobula::conformance
