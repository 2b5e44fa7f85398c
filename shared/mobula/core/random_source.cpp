#include <sodium.h>

#include <atomic>
#include <mobula/core/random_source.hpp>

namespace mobula::core {
namespace {

void read_system(MutableBytes out) { randombytes_buf(out.data(), out.size()); }

std::atomic<RandomSource> source_now = read_system;

}  // namespace

void random_bytes(MutableBytes out) {
  if (!out.empty()) source_now.load(std::memory_order_relaxed)(out);  // libsodium must not get a null pointer
}

void set_random_source(RandomSource source) {
  source_now.store(source != nullptr ? source : read_system, std::memory_order_relaxed);
}

}  // namespace mobula::core
