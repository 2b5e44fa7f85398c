#include <token/token_tool.hpp>

int main(int argc, char** argv) { return mobula::server::run_token_tool(argc, argv); }
