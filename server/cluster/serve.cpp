#include <cluster/map_topic.hpp>
#include <cluster/player_sender.hpp>
#include <cluster/serve.hpp>
#include <cluster/service.hpp>
#include <mobula/core/log.hpp>
#include <mobula/process/key_file.hpp>
#include <mobula/server/admin/documents.hpp>
#include <mobula/server/admin/http_server.hpp>
#include <mobula/server/admin/listen_address.hpp>
#include <mobula/server/cluster/trouble_log.hpp>

namespace mobula::cluster {
namespace {

namespace admin = server::admin;

constexpr core::Nanoseconds interval = 2 * core::millisecond;  // between two looks at the request queue
constexpr core::Nanoseconds serve_budget = core::millisecond;

core::Result<admin::HttpServerConfig> http_config(const ServeOptions& options) {
  const core::Result<transport::Address> listen = admin::listen_address(options.address, options.port);
  if (!listen) return core::Error{listen.error().reason, "--address: " + listen.error().message};
  core::Result<std::string> token = admin::load_token(options.token_file, *listen, "cluster");
  if (!token) return token.error();
  return admin::HttpServerConfig{
      .name = "cluster", .listen = *listen, .bearer_token = std::move(*token), .answer_timeout = answer_patience};
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
    const core::Result<core::SecretKey> loaded = process::load_shared_key(options.key_file, "cluster");
    if (!loaded) return core::Error{loaded.error().reason, "--key-file: " + loaded.error().message};
    key = *loaded;
  }
  core::Result<admin::HttpServerConfig> config = http_config(options);
  if (!config) return config.error();
  core::Result<std::string> bearer = load_node_token(options.node_token_file, config->bearer_token);
  if (!bearer) return bearer.error();
  EtcdSession session(options.at, true, change_patience);
  NodeAddresses addresses(look_up_host);
  NodeFigures figures(session.events(), addresses, *bearer);
  PlayerSender sender(session.events(), addresses, session.control(), *bearer);
  const MapWatch::Context watched{session.events(), session.control(), addresses, *bearer};
  MapTopic map(watched);
  bool stopping = false;
  session.events().on_stop_signal([&] { stopping = true; });
  config->routes = service_routes(session.control(), figures, sender, key);
  for (admin::Route& file : admin::file_routes(admin::inspector_files(), "cluster.html"))
    config->routes.push_back(std::move(file));
  config->topics = {map.topic()};
  const core::Result<std::unique_ptr<admin::HttpServer>> http = admin::HttpServer::start(std::move(*config));
  if (!http) return http.error();
  core::log_info("cluster", "HTTP address http://{}:{}, cluster '{}', etcd {}", options.address, (*http)->local_port(),
                 options.at.cluster, options.at.etcd);
  ContactLog contact;
  TroubleLog records("keys in etcd", "cluster");
  while (!stopping) {
    session.run(interval);
    contact.update(session.control());
    records.update(session.control().directory().unreadable(), session.control().now());
    figures.update(session.control().now());
    map.update(session.control().now());
    (*http)->serve(serve_budget);
  }
  core::log_info("cluster", "stopped by a signal");
  return core::Done{};
}

}  // namespace mobula::cluster
