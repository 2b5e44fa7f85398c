#include <CLI/CLI.hpp>
#include <mobula/client/pipe/access_options.hpp>

namespace mobula::client {

void add_access_options(CLI::App& app, AccessOptions& options) {
  app.add_option("--connect", options.connect, "[udp:|tcp:|ws:|wss:]HOST:PORT of the server")->required();
  app.add_option("--admin", options.admin, "the server's admin address, which hands out connect tokens in development")
      ->type_name("URL")
      ->capture_default_str();
  app.add_option("--admin-token-file", options.admin_token_file,
                 "the bearer token that the admin address asks for, as the file's first line")
      ->type_name("FILE");
  CLI::Option* key =
      app.add_option("--key-file", options.key_file, "the key that backend and server share: makes tokens of its own");
  app.add_option("--token", options.token_file, "a connect token from the backend")->type_name("FILE")->excludes(key);
  app.add_option("--ca-file", options.ca_file, "certificates that vouch for a wss server, instead of the system's");
  app.add_option(
         "--simulate", options.simulate,
         "a worse network, both ways: \"latency=80ms jitter=20ms loss=5% dup=1% reorder=2%\"; also corrupt, burst, "
         "bandwidth, queue")
      ->type_name("CONDITIONS");
}

}  // namespace mobula::client
