// Rules by name, for hosts in languages that cannot pass a C++ reference. The C interface finds them here.
//
// Rules use classes of the client core. So they are linked into one binary with it: a program or a shared library of
// the team that contains libmobula-client.a. That binary adds its rules before the first
// prediction is created.
#pragma once

#include <mobula/prediction/rules.hpp>
#include <string>
#include <string_view>

namespace mobula::client {

/// Most rules of a process.
inline constexpr std::size_t named_rules_max = 64;

/// Gives rules a name. They remain valid until the process ends. The same again changes nothing. Checks that the name
/// is not that of other rules, and that there are at most named_rules_max. Thread-safe.
void add_rules(std::string_view name, const prediction::Rules& rules);
/// Returns the rules of a name; null if there are none.
[[nodiscard]] const prediction::Rules* find_rules(std::string_view name);
/// Returns all names, in the order in which they were added: "court, track". "none" without rules.
[[nodiscard]] std::string rules_names();

}  // namespace mobula::client
