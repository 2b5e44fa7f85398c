#include <examples/demo/demo_game.hpp>
#include <mobula/server/host/application.hpp>

int main(int argc, char** argv) {
  demo::DemoGame game;
  return mobula::server::run(argc, argv, game);
}
