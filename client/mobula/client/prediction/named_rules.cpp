#include <algorithm>
#include <array>
#include <mobula/client/prediction/named_rules.hpp>
#include <mobula/core/assert.hpp>
#include <mobula/core/spin_lock.hpp>
#include <span>

namespace mobula::client {
namespace {

struct Named {
  std::string name;
  const prediction::Rules* rules = nullptr;
};

// Rules are only added. So a child of fork() has a table that is valid up to `count`.
struct Table {
  core::SpinLock lock;
  std::array<Named, named_rules_max> rules;
  std::size_t count = 0;
};

Table& table() {
  static Table all;
  return all;
}

// Calls function(the table, the rules in it).
template <class Function>
auto with_rules(Function&& function) {
  Table& all = table();
  const core::SpinLock::Guard locked(all.lock, [] {});
  return function(all, std::span<const Named>(all.rules).first(all.count));
}

const Named* find(std::span<const Named> all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &Named::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

void add_rules(std::string_view name, const prediction::Rules& rules) {
  with_rules([&](Table& all, std::span<const Named> known) {
    if (const Named* const found = find(known, name)) {
      MOBULA_CHECK(found->rules == &rules, "a name belongs to other rules: " + found->name);
      return;
    }
    MOBULA_CHECK(rules.step != nullptr, "rules that are compiled in have a step");
    MOBULA_CHECK(all.count < named_rules_max, "a process has room for more rules");
    all.rules[all.count] = {std::string(name), &rules};
    ++all.count;
  });
}

const prediction::Rules* find_rules(std::string_view name) {
  return with_rules([&](const Table& /*all*/, std::span<const Named> known) {
    const Named* const found = find(known, name);
    return found == nullptr ? nullptr : found->rules;
  });
}

std::string rules_names() {
  return with_rules([](const Table& /*all*/, std::span<const Named> known) {
    std::string names;
    for (const Named& each : known) names += (names.empty() ? "" : ", ") + each.name;
    return names.empty() ? std::string("none") : names;
  });
}

}  // namespace mobula::client
