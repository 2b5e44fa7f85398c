// A report as one HTML file that needs nothing else: no network, no script. Light and dark by the reader's choice, and
// fit for paper.
#pragma once

#include <bots/limit.hpp>

namespace mobula::client {

std::string to_html(const BotsReport& report, const std::vector<LimitVerdict>& verdicts);

}  // namespace mobula::client
