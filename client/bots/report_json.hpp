// A report as JSON: each measure under its name; what is written is all that --require knows.
#pragma once

#include <bots/limit.hpp>

namespace mobula::client {

// One line. A measure of which nothing was measured is null.
std::string to_json(const BotsReport& report, const std::vector<LimitVerdict>& verdicts);

}  // namespace mobula::client
