// Writes the seeds of every fuzz target below a folder: make-fuzz-seeds tests/fuzz/corpus
// The same bytes on every run. Needed again only when a format changes.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <fuzz/seeds.hpp>

namespace mobula::fuzz {
namespace {

std::filesystem::path root;

}  // namespace

std::string seed_path(const std::string& target, const std::string& name) {
  std::filesystem::create_directories(root / target);
  return (root / target / name).string();
}

void write_seed(const std::string& target, const std::string& name, core::ByteView bytes) {
  std::ofstream file(seed_path(target, name), std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace mobula::fuzz

int main(int argc, char** argv) {
  using namespace mobula;
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  fuzz::root = argv[1];
  fuzz::write_message_seeds();
  fuzz::write_level_seeds();
  fuzz::write_network_seeds();
  fuzz::write_stream_seeds();
  fuzz::write_file_seeds();
  fuzz::write_conversation_seeds();
  fuzz::write_c_client_seeds();
  fuzz::write_prediction_seeds();
}
