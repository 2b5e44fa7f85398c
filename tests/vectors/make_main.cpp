// Writes the session vectors anew, after the wire format or the client's way of sending has changed:
//   make-session-vectors schema/session_vectors.json
// The same bytes on every run of one build. Fails if a session does not end with an equal mirror.
#include <cstdio>
#include <fstream>
#include <mobula/core/log.hpp>
#include <vectors/scenarios.hpp>

int main(int argc, char** argv) {
  using namespace mobula;
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FILE\n", argv[0]);
    return 2;
  }
  core::set_log_level(core::LogLevel::off);
  test::Json sessions = test::Json::array();
  for (const test::Scenario& scenario : test::scenarios()) {
    test::MadeSession made = test::make_session(scenario);
    std::printf("%-8s %4zu steps, %3llu deltas, %3llu late, %3llu hashes verified\n", scenario.name,
                made.session["steps"].size(), static_cast<unsigned long long>(made.stats.deltas),
                static_cast<unsigned long long>(made.stats.late_deltas),
                static_cast<unsigned long long>(made.stats.verified_ticks));
    if (!made.mirrors || made.stats.mismatched_ticks > 0) {
      std::fprintf(stderr, "%s: the client's mirror differs from the server\n", scenario.name);
      return 1;
    }
    sessions.push_back(std::move(made.session));
  }
  std::ofstream file(argv[1], std::ios::binary);
  file << test::file_text(test::vectors_file(std::move(sessions)));
  file.close();
  if (file.good()) return 0;
  std::fprintf(stderr, "%s: not written\n", argv[1]);
  return 1;
}
