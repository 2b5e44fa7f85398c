// Parts of make-fuzz-seeds.
#pragma once

#include <mobula/core/bytes.hpp>
#include <string>

namespace mobula::fuzz {

// Returns the path of a seed and creates its folder.
std::string seed_path(const std::string& target, const std::string& name);
void write_seed(const std::string& target, const std::string& name, core::ByteView bytes);
inline void write_seed(const std::string& target, const std::string& name, const std::string& text) {
  write_seed(target, name, core::as_bytes(text.data(), text.size()));
}

void write_message_seeds();
void write_level_seeds();
void write_network_seeds();
void write_stream_seeds();
void write_file_seeds();  // ban lists, snapshots, stores
void write_conversation_seeds();
void write_c_client_seeds();
void write_prediction_seeds();

}  // namespace mobula::fuzz
