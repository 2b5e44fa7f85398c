// Settings of a program, from a table of rows. Precedence: flags, environment variables, a TOML file, defaults.
// All errors are reported at once, each with its origin, and then no setting is changed.
// Used by main before it starts threads.
#pragma once

#include <mobula/process/setting.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace mobula::process {

/// Settings of a program, read from flags, environment variables and a TOML file.
class Settings {
 public:
  /// The targets must outlive this. Asserts that keys are unique.
  explicit Settings(std::vector<Setting> rows);

  /// Adds one option per row, --config and --print-config. Call it once, before read(). The app may have other options.
  void add_options(CLI::App& app);
  /// Reads all sources and assigns the targets. Returns nothing if the program should go on, otherwise its exit status.
  /// It is 0 after --help or --print-config, and 2 after errors, which are printed to standard error, one per line.
  /// Output that cannot be written has status 1.
  /// `environment` has the form of main's: "NAME=value"..., null. Only variables with the prefix MOBULA_ are read;
  /// empty ones, those of service_links.hpp and those that begin with MOBULA_CLIENT_ are ignored.
  std::optional<int> read(CLI::App& app, int argc, const char* const* argv, const char* const* environment);
  /// Returns the names of the variables that read() took for service links.
  [[nodiscard]] const std::vector<std::string>& service_links() const { return service_links_; }
  /// Returns a TOML file with all current settings and the origin of each.
  [[nodiscard]] std::string to_toml() const;

 private:
  struct Row {
    Setting setting;
    CLI::Option* option = nullptr;
    CLI::Option* former_option = nullptr;  // null if the key was never renamed
    std::optional<SettingValue> value;
    std::string origin;   // source of the value
    unsigned source = 0;  // last source that set it, to detect its key and former key in one source
  };

  std::optional<int> parse(CLI::App& app, std::vector<std::string> arguments);
  void read_file(const std::string& path);
  void read_environment(std::span<const std::string> variables);
  void read_flags();
  void read_extras(const CLI::App& app);
  void check_needs();
  void assign(Row& row, const std::string& origin, const core::Result<SettingValue>& value);
  [[nodiscard]] Row* find(std::string_view key);
  [[nodiscard]] std::string suggestion(std::string_view typed, std::string (*name_of)(std::string_view key)) const;
  [[nodiscard]] std::string config_path(std::span<const std::string> variables);

  std::vector<Row> rows_;
  CLI::Option* config_ = nullptr;
  CLI::Option* print_ = nullptr;
  std::vector<std::string> problems_;
  std::vector<std::string> service_links_;
  unsigned source_ = 0;  // counts file, environment and flags
};

}  // namespace mobula::process
