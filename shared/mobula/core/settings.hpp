// All that a program can be told, from a table of rows: flags before environment variables before a file of TOML before
// the defaults. Every mistake in any of them is told at once, with its origin, and then nothing has been set.
// Used by main before there are threads.
#pragma once

#include <mobula/core/setting.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace mobula::core {

class Settings {
 public:
  // The targets live as long as this. Asserts that no key is there twice.
  explicit Settings(std::vector<Setting> rows);

  // One option per row, --config and --print-config. Once, before read(); the app may have options of its own besides.
  void add_options(CLI::App& app);
  // Nothing: the program goes on, all targets hold what was told. Else its exit status: 0 after --help or
  // --print-config, 2 after mistakes, all told by the app's name on standard error, a line each.
  // `environment` is as main's: "NAME=value"..., null. Of it, names that begin with MOBULA_ are read, and empty ones
  // are as if they were not there.
  std::optional<int> read(CLI::App& app, int argc, const char* const* argv, const char* const* environment);
  // A file that says all this again, with where each value comes from.
  [[nodiscard]] std::string to_toml() const;

 private:
  struct Row {
    Setting setting;
    CLI::Option* option = nullptr;
    CLI::Option* former_option = nullptr;  // null: the setting has always had its key
    std::optional<SettingValue> told;
    std::string origin;   // of what was told
    unsigned source = 0;  // the last that told it: by its key and its former key it would be told twice
  };

  std::optional<int> parse(CLI::App& app, std::vector<std::string> arguments);
  void read_file(const std::string& path);
  void read_environment(std::span<const std::string> variables);
  void read_flags();
  void read_extras(const CLI::App& app);
  void check_needs();
  void tell(Row& row, const std::string& origin, const Result<SettingValue>& value);
  [[nodiscard]] Row* find(std::string_view key);
  [[nodiscard]] std::string meant(std::string_view typed, std::string (*name_of)(std::string_view key)) const;
  [[nodiscard]] std::string config_path(std::span<const std::string> variables);

  std::vector<Row> rows_;
  CLI::Option* config_ = nullptr;
  CLI::Option* print_ = nullptr;
  std::vector<std::string> problems_;
  unsigned source_ = 0;  // counts file, environment and flags
};

}  // namespace mobula::core
