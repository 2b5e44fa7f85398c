// Log of a repeated error: one line when it begins and one when it is over, none per failed attempt.
#pragma once

#include <mobula/core/clock.hpp>
#include <mobula/core/log.hpp>
#include <mobula/core/text.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace mobula::cluster {

class TroubleLog {
 public:
  /// Time without an error after which a trouble is over. Attempts may fail and succeed in turn.
  static constexpr core::Nanoseconds quiet_time = 5 * core::second;

  /// `subject` is the subject of the lines. `module` is that of the log, a static text.
  explicit TroubleLog(std::string subject, std::string_view module = "server")
      : subject_(std::move(subject)), module_(module) {}

  /// Takes the present trouble, empty for none.
  void update(std::string_view trouble, core::Nanoseconds now) {
    if (!trouble.empty()) {
      if (!began_) core::log_warn(module_, "{}: {}", subject_, core::shown(trouble, shown_bytes_max));
      if (!began_) began_ = now;
      last_ = now;
    } else if (began_ && now >= last_ + quiet_time) {
      core::log_info(module_, "{}: works again, after {} s of errors", subject_, (last_ - *began_) / core::second);
      began_.reset();
    }
  }

 private:
  static constexpr std::size_t shown_bytes_max = 500;

  std::string subject_;
  std::string_view module_;
  std::optional<core::Nanoseconds> began_;  // null without trouble
  core::Nanoseconds last_ = 0;              // time of the last error
};

}  // namespace mobula::cluster
