// The program mobula-token as a function. It mints connect tokens for backends in any language, makes the key that they
// share with the servers, and shows the contents of a token.
#pragma once

namespace mobula::server {

/// Runs the program. Returns the exit status: 0 if done, 2 if refused. Errors are written to standard error.
int run_token_tool(int argc, char** argv);

}  // namespace mobula::server
