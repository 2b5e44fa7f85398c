// The entry point of libFuzzer, in a program with one target.
#include <fuzz/fuzz.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return mobula::fuzz::Target::first->run(data, size);
}
