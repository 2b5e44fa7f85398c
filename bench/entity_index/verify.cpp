#include "entity_index/verify.hpp"

#include <algorithm>

namespace mobula::bench {

std::string first_difference(std::string_view who, std::span<const std::uint32_t> answers,
                             std::span<const std::uint32_t> expected) {
  const auto [wrong, right] = std::ranges::mismatch(answers, expected);
  if (wrong == answers.end() && right == expected.end()) return {};
  const auto text_of = [](auto at, std::span<const std::uint32_t> all) {
    if (at == all.end()) return std::string("nothing");
    return *at == no_component ? std::string("none") : std::to_string(*at);
  };
  return std::string(who) + ": answer " + std::to_string(wrong - answers.begin()) + " of a step is " +
         text_of(wrong, answers) + " instead of " + text_of(right, expected);
}

}  // namespace mobula::bench
