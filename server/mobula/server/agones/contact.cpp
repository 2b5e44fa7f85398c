#include <mobula/core/log.hpp>
#include <mobula/server/agones/contact.hpp>
#include <mobula/server/agones/sidecar_messages.hpp>
#include <string_view>

namespace mobula::agones {

Outcome Contact::note(const core::Result<std::string>& answer) {
  if (answer && !is_object(*answer)) {
    note_unanswered(url_ + ": the answer is no JSON object");
    return Outcome::unknown;
  }
  if (!answer && std::string_view(answer.error().reason) != "refused") {
    note_unanswered(answer.error().message);
    return Outcome::unknown;
  }
  ++(answer ? stats_.answered : stats_.refused);
  unanswered_ = 0;
  if (!stats_.answers) core::log_info("agones", "{}: the sidecar answers", url_);
  stats_.answers = true;
  lost_ = false;
  return answer ? Outcome::done : Outcome::refused;
}

void Contact::note_unanswered(const std::string& why) {
  ++stats_.unanswered;
  if (++unanswered_ < unanswered_max || lost_) return;
  lost_ = true;
  stats_.answers = false;
  ++stats_.times_lost;
  core::log_warn("agones", "the sidecar does not answer; the game goes on without it: {}", why);
}

}  // namespace mobula::agones
