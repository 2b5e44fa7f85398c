// Arbitrary text as a file of settings: the result is bounded, and a setting is the same after writing and reading it.
#include <array>
#include <fuzz/fuzz.hpp>
#include <mobula/core/text.hpp>
#include <mobula/process/settings_file.hpp>

namespace fuzz_settings {

using namespace mobula;

namespace {

// A setting for each kind of value, by the value's index.
struct Kinds {
  bool flag = false;
  std::int64_t whole = 0;
  double real = 0;
  std::string text;
  std::vector<std::string> list;
  std::array<process::SettingTarget, 5> targets{&flag, &whole, &real, &text, &list};
};

void check_refusal(const auto& result) {
  fuzz::require(result.ok() || !result.error().message.empty(), "a refusal has a message");
}

// Checks an entry against each kind of setting: it is accepted or refused with a message. Sets, writes and rereads it.
void set_and_reread(const process::SettingsFile::Entry& entry) {
  Kinds kinds;
  for (const process::SettingTarget& target : kinds.targets)
    check_refusal(process::check_setting({entry.key, target, "", {.least = 2, .most = 7}}, entry.value));
  const process::Setting setting{entry.key, kinds.targets[entry.value.index()], ""};
  if (!process::check_setting(setting, entry.value)) return;
  process::assign_setting(setting, entry.value);
  const process::SettingsFile again = process::parse_settings(entry.key + " = " + process::to_toml(setting));
  fuzz::require(again.problems.empty() && again.entries.size() == 1, "a setting can be written and read");
  fuzz::require(again.entries[0].key == entry.key && again.entries[0].value == entry.value, "with the same value");
}

// Reads the text as the value of a flag or a variable.
void read_each_kind(std::string_view text) {
  Kinds kinds;
  for (const process::SettingTarget& target : kinds.targets)
    check_refusal(process::read_setting({"key", target, ""}, text));
}

int run_target(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const process::SettingsFile file = process::parse_settings(text);
  const auto lines = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  fuzz::require(file.problems.size() <= process::settings_problems_max + 1, "mistakes are bounded");
  for (const process::SettingsFile::Problem& problem : file.problems) {
    fuzz::require(problem.line >= 1 && problem.line <= lines, "a mistake has a line of the file");
    fuzz::require(!problem.message.empty(), "and a message");
  }
  for (const process::SettingsFile::Entry& entry : file.entries) {
    fuzz::require(entry.line >= 1 && entry.line <= lines && !entry.key.empty(), "an entry has a line and a key");
    set_and_reread(entry);
  }
  read_each_kind(text);
  return 0;
}

const mobula::fuzz::Target target("settings", run_target);

}  // namespace
}  // namespace fuzz_settings
