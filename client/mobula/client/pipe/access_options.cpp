#include <CLI/CLI.hpp>
#include <mobula/client/connection/connection_config.hpp>
#include <mobula/client/pipe/access_options.hpp>
#include <mobula/core/format.hpp>

namespace mobula::client {

void add_access_options(CLI::App& app, AccessOptions& options) {
  app.add_option(
         "--connect", options.connect,
         "address of the server: HOST[:PORT] for udp, or a URL such as tcp://HOST:PORT or wss://HOST/PATH, with "
         "udp, tcp, ws or wss; the default port is 7777, for ws 80, for wss 443")
      ->type_name("ADDRESS")
      ->required();
  app.add_option("--admin", options.admin,
                 "admin address of the server, which issues connect tokens during development")
      ->type_name("URL")
      ->capture_default_str();
  app.add_option("--admin-token-file", options.admin_token_file,
                 "file whose first line is the bearer token for the admin address")
      ->type_name("FILE");
  CLI::Option* key =
      app.add_option("--key-file", options.key_file,
                     "file with the key that backend and server share; the client makes its own tokens with it")
          ->type_name("FILE");
  app.add_option("--token", options.token_file, "file with a connect token from the backend")
      ->type_name("FILE")
      ->excludes(key);
  app.add_option("--ca-file", options.ca_file,
                 "file with certificate authorities for wss, instead of those of the system")
      ->type_name("FILE");
  app.add_option("--simulate", options.simulate,
                 "simulated network conditions, in both directions: \"latency=80ms jitter=20ms loss=5% dup=1% "
                 "reorder=2%\"; also "
                 "corrupt, burst, bandwidth, queue")
      ->type_name("CONDITIONS");
}

void add_cluster_options(CLI::App& app, AccessOptions& options) {
  CLI::Option* cluster =
      app.add_option(
             "--cluster", options.cluster,
             "address of mobula-cluster: the client joins --world there, and follows its player to other worlds")
          ->type_name("URL")
          ->excludes(app.get_option("--connect")->required(false))
          ->excludes(app.get_option("--key-file"))
          ->excludes(app.get_option("--token"));
  CLI::Option* world =
      app.add_option("--world", options.world, "world of the cluster")->type_name("NAME")->needs(cluster);
  cluster->needs(world);
  app.add_option("--account", options.account, "account of the player in the cluster; a guest cannot follow")
      ->type_name("ACCOUNT")
      ->needs(cluster);
}

CLI::Option* add_name_option(CLI::App& app, std::string& name) {
  const auto check = [](const std::string& text) {
    return text.size() <= player_name_bytes_max
               ? std::string()
               : core::format("{} bytes; at most {}", text.size(), player_name_bytes_max);
  };
  return app.add_option("--name", name, core::format("name of the player, at most {} bytes", player_name_bytes_max))
      ->check(CLI::Validator(check, ""));
}

}  // namespace mobula::client
