#include <examples/demo/demo_game.hpp>
#include <mobula/core/log.hpp>
#include <mobula/server/host/application.hpp>

int main(int argc, char** argv) {
  mobula::core::add_log_modules({"demo"});
  return mobula::server::run(argc, argv, [] { return std::make_unique<demo::DemoGame>(); });
}
