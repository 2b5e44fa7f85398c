// Report as JSON: each measure that --require knows, under its name.
#pragma once

#include <bots/limit.hpp>

namespace mobula::client {

/// Returns one line. A measure without measurements is null.
std::string to_json(const BotsReport& report, const std::vector<LimitVerdict>& verdicts);

}  // namespace mobula::client
