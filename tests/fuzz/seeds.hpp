// Writers of the seeds: make_seeds.cpp and its parts.
#pragma once

#include <mobula/core/bytes.hpp>
#include <string>

namespace mobula::fuzz {

void write_seed(const std::string& target, const std::string& name, core::ByteView bytes);
inline void write_seed(const std::string& target, const std::string& name, const std::string& text) {
  write_seed(target, name, core::as_bytes(text.data(), text.size()));
}

void write_conversation_seeds();  // for targets that receive messages: connection, server
void write_file_seeds();          // for targets that read files: bans, snapshots, stores
void write_stream_seeds();        // for targets that read streams: admin port, stream pipes

}  // namespace mobula::fuzz
