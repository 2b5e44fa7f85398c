#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <mobula/core/did_you_mean.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/process/service_links.hpp>
#include <mobula/process/settings.hpp>
#include <mobula/process/settings_file.hpp>
#include <mobula/process/standard_output.hpp>
#include <utility>

namespace mobula::process {
namespace {

constexpr int bad_input = 2;
constexpr std::string_view prefix = "MOBULA_";
constexpr std::string_view client_prefix =
    "MOBULA_CLIENT_";  // client libraries read these; their users run programs too
constexpr std::string_view config_variable = "MOBULA_CONFIG";
constexpr std::size_t shown_bytes = 60;

// Returns the non-empty variables of settings. The names of those that Kubernetes sets go to `service_links`.
std::vector<std::string> variables_in(const char* const* environment, std::vector<std::string>& service_links) {
  std::vector<std::string> variables;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view variable = *environment;
    const std::size_t equals = variable.find('=');
    if (variable.starts_with(client_prefix)) continue;
    if (!variable.starts_with(prefix) || equals == std::string_view::npos || equals + 1 == variable.size()) continue;
    const std::string_view name = variable.substr(0, equals);
    is_service_link(name, variable.substr(equals + 1)) ? service_links.emplace_back(name)
                                                       : variables.emplace_back(variable);
  }
  std::sort(variables.begin(), variables.end());  // deterministic order of errors
  return variables;
}

// Splits "--flag=" into the flag and an empty value. CLI11 would use the next argument as the value.
std::vector<std::string> split_empty_values(int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    const bool empty_value =
        argument.starts_with("--") && argument.size() > 3 && argument.find('=') == argument.size() - 1;
    if (empty_value) argument.pop_back();
    arguments.push_back(std::move(argument));
    if (empty_value) arguments.emplace_back();
  }
  return arguments;
}

// Returns whether a value is set. An empty text or list counts as not set: a printed configuration has such defaults.
bool is_set(const std::optional<SettingValue>& value) {
  if (!value) return false;
  if (const auto* const text = std::get_if<std::string>(&*value)) return !text->empty();
  const auto* const list = std::get_if<std::vector<std::string>>(&*value);
  return list == nullptr || !list->empty();
}

bool is_boolean(const Setting& setting) { return std::holds_alternative<bool*>(setting.target); }

std::string default_of(const Setting& setting) {
  if (setting.rules.secret) return {};
  if (const auto* const* text = std::get_if<std::string*>(&setting.target)) return **text;
  const std::string value = to_toml(setting);
  return value == "[]" ? std::string() : value;
}

// CLI11 throws if an option is defined twice.
void check_is_new(const CLI::App& app, const std::string& flag) {
  MOBULA_CHECK(app.get_option_no_throw(flag) == nullptr, "a setting has the flag of another option: " + flag);
}

CLI::Option* add_option(CLI::App& app, const Setting& setting) {
  check_is_new(app, flag_of(setting.key));
  const std::string range = range_of(setting);
  const std::string help = range.empty() ? setting.help : setting.help + " " + range;
  CLI::Option* const option = is_boolean(setting) ? app.add_flag(flag_of(setting.key), help)
                                                  : app.add_option(flag_of(setting.key), CLI::callback_t(), help);
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  if (!is_boolean(setting)) option->type_name(type_of(setting))->default_str(default_of(setting));
  if (!setting.rules.group.empty()) option->group(setting.rules.group);
  return option;
}

// An empty group hides an option from the help.
CLI::Option* add_former_option(CLI::App& app, const Setting& setting) {
  const std::string flag = flag_of(setting.rules.former_key);
  check_is_new(app, flag);
  CLI::Option* const option = is_boolean(setting) ? app.add_flag(flag) : app.add_option(flag, CLI::callback_t(), "");
  return option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->group("");
}

bool is_called(const Setting& setting, std::string_view name, std::string (*name_of)(std::string_view key)) {
  const std::string& former = setting.rules.former_key;
  return name_of(setting.key) == name || (!former.empty() && name_of(former) == name);
}

std::string key_of(std::string_view key) { return std::string(key); }

}  // namespace

Settings::Settings(std::vector<Setting> rows) {
  for (Setting& setting : rows) {
    const core::Status defined = check_definition(setting);
    MOBULA_CHECK(defined.ok(), defined.error().message);
    MOBULA_CHECK(find(setting.key) == nullptr, "a setting is defined twice: " + setting.key);
    rows_.push_back({.setting = std::move(setting),
                     .option = nullptr,
                     .former_option = nullptr,
                     .value = {},
                     .origin = {},
                     .source = 0});
  }
}

Settings::Row* Settings::find(std::string_view key) {
  const auto found = std::ranges::find_if(rows_, [&](const Row& row) { return is_called(row.setting, key, key_of); });
  return found == rows_.end() ? nullptr : &*found;
}

void Settings::add_options(CLI::App& app) {
  config_ = app.add_option("--config", CLI::callback_t(), "read settings from this TOML file; or MOBULA_CONFIG")
                ->type_name("FILE")
                ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  const std::string print_help = "print all settings and their origins as a TOML file, and exit";
  print_ = app.add_flag("--print-config", print_help);
  for (Row& row : rows_) {
    row.option = add_option(app, row.setting);
    if (!row.setting.rules.former_key.empty()) row.former_option = add_former_option(app, row.setting);
  }
}

std::optional<int> Settings::read(CLI::App& app, int argc, const char* const* argv, const char* const* environment) {
  const std::vector<std::string> variables = variables_in(environment, service_links_);
  if (const auto ended = parse(app, split_empty_values(argc, argv))) return ended;
  if (const std::string path = config_path(variables); !path.empty()) read_file(path);
  read_environment(variables);
  read_flags();
  read_extras(app);
  check_needs();
  for (const std::string& problem : problems_) std::cerr << app.get_name() << ": " << problem << '\n';
  if (!problems_.empty()) return bad_input;
  for (const Row& row : rows_)
    if (row.value) assign_setting(row.setting, *row.value);
  if (print_->count() == 0) return std::nullopt;
  print(to_toml());
  return end_output(app.get_name(), 0);
}

// A last flag without its value would end the parsing before all errors are found. It is reported and removed.
std::optional<int> Settings::parse(CLI::App& app, std::vector<std::string> arguments) {
  app.allow_extras();
  for (CLI::App* const command : app.get_subcommands({})) command->allow_extras();
  for (;;) {
    try {
      app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
      return std::nullopt;
    } catch (const CLI::CallForHelp&) {
      print(app.help());
      return end_output(app.get_name(), 0);
    } catch (const CLI::ArgumentMismatch& error) {
      const bool value_missing = !arguments.empty() && arguments.back().starts_with('-');
      problems_.push_back(value_missing ? arguments.back() + ": its value is missing" : error.what());
      if (!value_missing) return std::nullopt;
      arguments.pop_back();
    } catch (const CLI::ParseError& error) {
      problems_.push_back(core::format("{} (see --help)", error.what()));
      return std::nullopt;
    }
  }
}

void Settings::assign(Row& row, const std::string& origin, const core::Result<SettingValue>& value) {
  if (std::exchange(row.source, source_) == source_) return problems_.push_back(origin + ": given more than once");
  const core::Status checked = value ? check_setting(row.setting, *value) : value.error();
  if (!checked) return problems_.push_back(core::format("{}: {}", origin, checked.error().message));
  row.value = *value;
  row.origin = origin;
}

std::string Settings::suggestion(std::string_view typed, std::string (*name_of)(std::string_view key)) const {
  std::vector<std::string> names;
  for (const Row& row : rows_) names.push_back(name_of(row.setting.key));
  return core::did_you_mean(typed, std::vector<std::string_view>(names.begin(), names.end()));
}

std::string Settings::config_path(std::span<const std::string> variables) {
  if (config_->count() > 1) problems_.emplace_back("--config: given more than once");
  if (config_->count() > 0) return config_->results().back();
  const std::string start = std::string(config_variable) + '=';
  for (const std::string& variable : variables)
    if (variable.starts_with(start)) return variable.substr(start.size());
  return {};
}

void Settings::read_file(const std::string& path) {
  ++source_;
  const core::Result<std::string> text = read_settings_file(path);
  if (!text) return problems_.push_back(text.error().message);
  const SettingsFile file = parse_settings(*text);
  for (const SettingsFile::Problem& problem : file.problems)
    problems_.push_back(core::format("{}:{}: {}", core::shown(path, 1000), problem.line, problem.message));
  for (const SettingsFile::Entry& entry : file.entries) {
    const std::string origin = core::format("{}:{}", core::shown(path, 1000), entry.line);
    if (Row* const row = find(entry.key))
      assign(*row, core::format("{}: {}", origin, entry.key), entry.value);
    else
      problems_.push_back(core::format("{}: unknown setting '{}'{}", origin, core::shown(entry.key, shown_bytes),
                                       suggestion(entry.key, key_of)));
  }
}

void Settings::read_environment(std::span<const std::string> variables) {
  ++source_;
  for (const std::string& variable : variables) {
    const std::string name = variable.substr(0, variable.find('='));
    const auto row =
        std::ranges::find_if(rows_, [&](const Row& each) { return is_called(each.setting, name, variable_of); });
    if (name == config_variable) continue;
    if (row != rows_.end())
      assign(*row, "environment variable " + name,
             read_setting(row->setting, std::string_view(variable).substr(name.size() + 1)));
    else
      problems_.push_back(core::format("environment variable {}: unknown setting{}", core::shown(name, shown_bytes),
                                       suggestion(name, variable_of)));
  }
}

void Settings::read_flags() {
  ++source_;
  for (Row& row : rows_) {
    std::vector<std::string> texts = row.option->results();
    if (row.former_option != nullptr)
      texts.insert(texts.end(), row.former_option->results().begin(), row.former_option->results().end());
    const bool list = std::holds_alternative<std::vector<std::string>*>(row.setting.target);
    const std::string flag = flag_of(row.setting.key);
    if (texts.size() > 1 && !list) problems_.push_back(flag + ": given more than once");
    if (list && !texts.empty())
      assign(row, flag, SettingValue(texts));
    else if (!texts.empty())
      assign(row, flag, read_setting(row.setting, texts.back()));
  }
}

// Reports arguments unknown to CLI11. An argument after an unknown option may be its value and is not reported.
void Settings::read_extras(const CLI::App& app) {
  bool after_option = false;
  for (const std::string& extra : app.remaining(true)) {
    const bool option = extra.size() > 1 && extra[0] == '-';
    const std::string name = extra.substr(0, extra.find('='));
    if (option)
      problems_.push_back(
          core::format("{}: unknown option{}", core::shown(name, shown_bytes), suggestion(name, flag_of)));
    else if (!after_option)
      problems_.push_back(core::format("unexpected argument '{}' (see --help)", core::shown(extra, shown_bytes)));
    after_option = option && name == extra;
  }
}

void Settings::check_needs() {
  for (const Row& row : rows_) {
    if (!is_set(row.value)) continue;
    for (const std::string& needed : row.setting.rules.needs) {
      const Row* const other = find(needed);
      MOBULA_CHECK(other != nullptr, "a setting needs an undefined one: " + needed);
      if (!is_set(other->value) && other->source == 0)
        problems_.push_back(core::format("{}: requires {}", row.origin, flag_of(needed)));
    }
  }
}

std::string Settings::to_toml() const {
  std::string text;
  std::string group;
  for (const Row& row : rows_) {
    const Setting& setting = row.setting;
    if (!setting.rules.group.empty() && setting.rules.group != group)
      text += core::format("# --- {} ---\n\n", group = setting.rules.group);
    const std::string range = range_of(setting);
    text += core::format("# {}{}{}\n", setting.help, range.empty() ? "" : " ", range);
    const std::string value = mobula::process::to_toml(setting);
    const std::string origin = row.value ? row.origin : "default";
    const bool hidden = setting.rules.secret || value.empty();
    text += core::format("{}{} ={}{}  # {}\n\n", hidden ? "# " : "", setting.key, hidden ? "" : " ",
                         hidden ? "" : value, setting.rules.secret ? origin + ", not shown" : origin);
  }
  return text;
}

}  // namespace mobula::process
