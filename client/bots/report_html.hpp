// Report as one self-contained HTML file, without network access or scripts. Light and dark follow the reader's choice;
// it can be printed.
#pragma once

#include <bots/limit.hpp>

namespace mobula::client {

std::string to_html(const BotsReport& report, const std::vector<LimitVerdict>& verdicts);

}  // namespace mobula::client
