// The program mobula-token, as a function: mints connect tokens for backends in whatever language, makes the key that
// they share with the servers, and shows what is in a token.
#pragma once

namespace mobula::server {

// The exit status: 0: done; 2: refused. What is wrong is told on standard error.
int run_token_tool(int argc, char** argv);

}  // namespace mobula::server
