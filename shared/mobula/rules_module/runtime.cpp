// All that a module has in place of the C and C++ libraries. Another function of theirs is an undefined symbol, and the
// linker names it: sin() of one library has other bits than that of another.
#include <__verbose_abort>
#include <cstddef>
#include <cstdint>
#include <mobula/core/bytes.hpp>
#include <mobula/rules_module/arena.hpp>
#include <mobula/rules_module/host.hpp>
#include <new>

extern "C" std::byte __heap_base;  // set by the linker: behind data and stack

namespace mobula::rules_module {
namespace {

constexpr std::size_t page = 65536;
constexpr std::uintptr_t alignment = 16;

std::uintptr_t end = 0;  // 0 before the first allocation

std::uintptr_t align_up(std::uintptr_t at) { return (at + alignment - 1) / alignment * alignment; }

bool grow_to(std::uintptr_t size) {
  const std::size_t pages = (size + page - 1) / page;
  const std::size_t have = __builtin_wasm_memory_size(0);
  return pages <= have || __builtin_wasm_memory_grow(0, pages - have) != ~std::size_t{0};
}

}  // namespace

std::uintptr_t arena_mark() {
  if (end == 0) end = align_up(reinterpret_cast<std::uintptr_t>(&__heap_base));
  return end;
}

void reset_arena(std::uintptr_t mark) { end = mark; }

void* allocate(std::size_t size) {
  const std::uintptr_t begin = arena_mark();
  if (size > PTRDIFF_MAX || !grow_to(align_up(begin + size))) host::fail("the module's memory is full");
  end = align_up(begin + size);
  void* const memory = reinterpret_cast<void*>(begin);
  return __builtin_memset(memory, 0, size);
}

}  // namespace mobula::rules_module

namespace host = mobula::rules_module::host;

void* operator new(std::size_t size) { return mobula::rules_module::allocate(size); }
void* operator new[](std::size_t size) { return mobula::rules_module::allocate(size); }
void operator delete(void* /*memory*/) noexcept {}
void operator delete(void* /*memory*/, std::size_t /*size*/) noexcept {}
void operator delete[](void* /*memory*/) noexcept {}
void operator delete[](void* /*memory*/, std::size_t /*size*/) noexcept {}

// The standard library calls it in place of an exception.
void std::__libcpp_verbose_abort(const char* format, ...) { host::fail(format); }

// Bytes. The builtins become the instructions memory.copy and memory.fill.
extern "C" {
void* memcpy(void* to, const void* from, std::size_t size) { return __builtin_memcpy(to, from, size); }
void* memmove(void* to, const void* from, std::size_t size) { return __builtin_memmove(to, from, size); }
void* memset(void* at, int value, std::size_t size) { return __builtin_memset(at, value, size); }
int memcmp(const void* a, const void* b, std::size_t size) {
  const auto* left = static_cast<const unsigned char*>(a);
  const auto* right = static_cast<const unsigned char*>(b);
  for (; size > 0; --size, ++left, ++right)
    if (*left != *right) return *left - *right;
  return 0;
}
std::size_t strlen(const char* text) {
  std::size_t size = 0;
  while (text[size] != 0) ++size;
  return size;
}
// libc++ searches arrays of numbers by these.
void* memchr(const void* bytes, int value, std::size_t size) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  for (; size > 0; --size, ++at)
    if (*at == static_cast<unsigned char>(value)) return const_cast<unsigned char*>(at);
  return nullptr;
}
wchar_t* wmemchr(const wchar_t* at, wchar_t value, std::size_t count) {
  for (; count > 0; --count, ++at)
    if (*at == value) return const_cast<wchar_t*>(at);
  return nullptr;
}

// Functions whose results the standard determines to the last bit. Square roots, floor, ceil, trunc, rint, fabs and
// copysign are instructions.
float roundf(float value) {
  const float whole = __builtin_truncf(value);
  return __builtin_fabsf(value - whole) >= 0.5f ? whole + __builtin_copysignf(1, value) : whole;
}
double round(double value) {
  const double whole = __builtin_trunc(value);
  return __builtin_fabs(value - whole) >= 0.5 ? whole + __builtin_copysign(1, value) : whole;
}
float nextafterf(float from, float to) {
  if (from != from || to != to) return from + to;
  if (from == to) return to;
  if (from == 0) return __builtin_copysignf(__FLT_DENORM_MIN__, to);
  const auto bits = mobula::core::load<std::uint32_t>(&from);
  const bool outwards = (from < to) == (from > 0);
  const std::uint32_t next = outwards ? bits + 1 : bits - 1;
  return mobula::core::load<float>(&next);
}
}
