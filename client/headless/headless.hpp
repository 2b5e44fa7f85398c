// A client without a picture: mirrors a server over UDP, says once per second how it goes, and
// ends with a line of JSON.
#pragma once

#include <cstdint>
#include <memory>
#include <mobula/client/pipe/access.hpp>
#include <mobula/reflect/schema.hpp>
#include <string>

namespace mobula::client {

struct HeadlessOptions {
  Access access;
  std::uint64_t ticks = 0;  // end after so many mirrored ticks; 0: when told to stop
  bool json_only = false;
  bool events = false;  // tell of each that comes
  std::string name = "headless";
  bool spectate = false;
  // Folder in which the server's resources are kept; empty: they are not asked for. While recording they come anew, to
  // be in the recording, and this folder is left alone.
  std::string resources;
  std::string recording;                          // file; empty: none is made
  std::shared_ptr<const reflect::Schema> schema;  // null: whichever the server has
};

// Exit status: 0 if at least one tick was verified, none was another than the server's, and all the ticks
// that were asked for came; else 1.
int run_headless(const HeadlessOptions& options);

}  // namespace mobula::client
