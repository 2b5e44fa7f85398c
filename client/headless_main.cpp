#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <mobula/client/headless.hpp>
#include <mobula/core/log.hpp>
#include <mobula/net/resolve.hpp>

namespace {

constexpr int bad_input = 2;
// Without a bound CLI11 takes -1 for the greatest number there is.
const CLI::Range count(std::uint64_t{0}, std::uint64_t{1'000'000'000'000'000'000});

int refuse(const std::string& message) {
  std::cerr << "mobula-client: " << message << '\n';
  return bad_input;
}

mobula::core::Result<std::shared_ptr<const mobula::reflect::Schema>> load_schema(const std::string& path) {
  using mobula::reflect::Limits;
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);  // an error for what is no regular file
  if (error) return mobula::core::Error{"missing", path + ": " + error.message()};
  if (size > Limits::schema_bytes) return mobula::core::Error{"bad schema", path + ": too large for a schema"};
  std::string text(size, '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(text.data(), static_cast<std::streamsize>(size)))
    return mobula::core::Error{"missing", path + ": cannot be read"};
  auto schema = mobula::reflect::Schema::load(mobula::core::as_bytes(text.data(), text.size()));
  if (!schema) return mobula::core::Error{schema.error().reason, path + ": " + schema.error().message};
  return schema;
}

}  // namespace

int main(int argc, char** argv) {
  mobula::client::HeadlessOptions options;
  std::string server;
  std::string schema_path;
  CLI::App app(
      "Mirrors a server's world and checks it. Ends with a line of JSON; status 0 only if the mirror was verified.");
  app.add_option("--connect", server, "HOST:PORT of the server")->required();
  app.add_option("--ticks", options.ticks, "end after so many ticks; 0: when told to stop")
      ->check(count)
      ->capture_default_str();
  app.add_flag("--json", options.json_only, "print nothing but the JSON line");
  app.add_option("--name", options.name, "what the player is called")->capture_default_str();
  app.add_option("--schema", schema_path, "accept only a server with this schema (.bfbs)");
  app.footer(
      "Examples:\n"
      "  mobula-client --connect 127.0.0.1:7777\n"
      "  mobula-client --connect localhost:7777 --ticks 100 --json");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return 0;
  } catch (const CLI::ParseError& error) {
    return refuse(std::string(error.what()) + " (see --help)");
  }
  const auto address = mobula::net::resolve(server);
  if (!address) return refuse(address.error().message);
  options.server = *address;
  if (!schema_path.empty()) {
    const auto schema = load_schema(schema_path);
    if (!schema) return refuse(schema.error().message);
    options.schema = *schema;
  }
  if (options.json_only) mobula::core::set_log_level(mobula::core::LogLevel::warn);
  return mobula::client::run_headless(options);
}
