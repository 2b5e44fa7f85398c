#include <mobula/server/application.hpp>
#include <mobula/server/game/demo_game.hpp>

int main(int argc, char** argv) {
  demo::DemoGame game;
  return mobula::server::run(argc, argv, game);
}
