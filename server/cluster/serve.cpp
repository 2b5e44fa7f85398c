#include <cluster/commands.hpp>
#include <cluster/serve.hpp>
#include <cluster/service.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/net/bearer_token.hpp>
#include <mobula/net/resolve.hpp>
#include <mobula/server/admin/http_server.hpp>

namespace mobula::cluster {
namespace {

namespace admin = server::admin;

constexpr core::Nanoseconds interval = 2 * core::millisecond;  // between two looks at the request queue
constexpr core::Nanoseconds serve_budget = core::millisecond;

core::Result<admin::HttpServerConfig> http_config(const ServeOptions& options) {
  const bool v6 = options.address.find(':') != std::string::npos;
  const core::Result<transport::Address> listen =
      net::parse_listen(core::format("{}{}{}:{}", v6 ? "[" : "", options.address, v6 ? "]" : "", options.port));
  if (!listen) return core::Error{"bad address", core::format("--address: '{}' is not an IP address", options.address)};
  admin::HttpServerConfig config{.name = "cluster", .listen = *listen, .answer_timeout = answer_patience};
  if (!options.token_file.empty()) {
    core::Result<net::BearerTokenFile> file = net::load_bearer_token(options.token_file);
    if (!file) return core::Error{file.error().reason, "--admin-token-file: " + file.error().message};
    if (file->others_may_read)
      core::log_warn("cluster", "{}: other users can read this token; restrict it with chmod 600", options.token_file);
    config.bearer_token = std::move(file->token);
  }
  if (const core::Status good = admin::check_listen(*listen, config.bearer_token); !good)
    return core::Error{good.error().reason, "--admin-token-file: " + good.error().message};
  return config;
}

// Logs when the contact with etcd is lost and found.
class ContactLog {
 public:
  void update(const Control& control) {
    const std::optional<core::Error> trouble = control.trouble();
    if (!trouble && lost_)
      core::log_info("cluster", "contact with etcd; {} nodes, {} worlds", control.directory().nodes().size(),
                     control.directory().worlds().size());
    if (trouble && !lost_) core::log_warn("cluster", "{}", trouble->message);
    lost_ = trouble.has_value();
  }

 private:
  bool lost_ = true;
};

}  // namespace

core::Status serve(const ServeOptions& options) {
  std::optional<core::SecretKey> key;
  if (!options.key_file.empty()) {
    const core::Result<core::SecretKey> loaded = load_key(options.key_file);
    if (!loaded) return core::Error{loaded.error().reason, "--key: " + loaded.error().message};
    key = *loaded;
  }
  core::Result<admin::HttpServerConfig> config = http_config(options);
  if (!config) return config.error();
  EtcdSession session(options.at, true, change_patience);
  bool stopping = false;
  session.events().on_stop_signal([&] { stopping = true; });
  config->routes = service_routes(session.control(), key);
  const core::Result<std::unique_ptr<admin::HttpServer>> http = admin::HttpServer::start(std::move(*config));
  if (!http) return http.error();
  core::log_info("cluster", "HTTP address http://{}:{}, cluster '{}', etcd {}", options.address, (*http)->local_port(),
                 options.at.cluster, options.at.etcd);
  ContactLog contact;
  while (!stopping) {
    session.run(interval);
    contact.update(session.control());
    (*http)->serve(serve_budget);
  }
  core::log_info("cluster", "stopped by a signal");
  return core::Done{};
}

}  // namespace mobula::cluster
