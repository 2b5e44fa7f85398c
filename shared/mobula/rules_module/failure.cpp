// Failed checks: they end the call with an error of the host.
#include <cstddef>
#include <mobula/core/assert.hpp>
#include <mobula/core/format.hpp>
#include <mobula/ecs/misuse.hpp>
#include <mobula/rules_module/arena.hpp>
#include <mobula/rules_module/host.hpp>

namespace host = mobula::rules_module::host;

namespace mobula::core {
namespace {

// Writes a whole number in front of `end`. Returns where it begins.
char* write_number(char* end, const FormatValue& value) {
  std::uint64_t rest = value.number;
  do *--end = static_cast<char>('0' + rest % 10);
  while ((rest /= 10) > 0);
  if (value.is_negative) *--end = '-';
  return end;
}

}  // namespace

std::string_view format_values(std::string_view text, const FormatValue* values, std::uint32_t count) {
  constexpr std::size_t digits = 24;
  std::size_t room = text.size();
  for (std::uint32_t i = 0; i < count; ++i) room += values[i].text.size() + digits;
  char* const begin = static_cast<char*>(rules_module::allocate(room));
  char* to = begin;
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) != "{}" || value == count) {
      *to++ = text[i];
      continue;
    }
    char number[digits];
    char* const end = number + digits;
    const char* const first = write_number(end, values[value]);
    const std::string_view shown =
        values[value].is_number ? std::string_view(first, static_cast<std::size_t>(end - first)) : values[value].text;
    __builtin_memcpy(to, shown.data(), shown.size());
    to += shown.size();
    ++value;
    ++i;
  }
  return {begin, static_cast<std::size_t>(to - begin)};
}

void check_failed(std::string_view message) { host::fail(message); }
void check_failed(const char* /*file*/, int /*line*/, std::string_view message) { host::fail(message); }
void assert_failed(const char* /*expression*/, const char* /*file*/, int /*line*/, std::string_view message) {
  host::fail(message);
}

}  // namespace mobula::core

namespace mobula::ecs::misuse {

void nothing_to_get(Entity entity, std::string_view component) {
  host::fail(core::format("entity {}.{} is dead or has no component {}", entity.index, entity.generation, component));
}

}  // namespace mobula::ecs::misuse
