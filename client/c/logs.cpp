// The log of all clients of the process, which its host drains.
#include <c/written.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>

using namespace mobula;
using namespace mobula::c;

namespace {

static_assert(static_cast<int>(core::LogLevel::trace) == MOBULA_LOG_TRACE);
static_assert(static_cast<int>(core::LogLevel::warn) == MOBULA_LOG_WARN);
static_assert(static_cast<int>(core::LogLevel::off) == MOBULA_LOG_OFF);

// Set when the library is loaded. A host that never reads the log has no use for more. The log is made then, since a
// child of fork() could wait for ever for a thread of its parent that makes it.
[[maybe_unused]] const bool is_quiet = [] {
  core::set_log_level(core::LogLevel::warn);
  core::read_log({});
  return true;
}();

// Returns the length of a text that was cut after `size` bytes, without a last character that may be cut.
std::size_t whole_length(const char* text, std::size_t size) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  while (size > 0 && (byte(size - 1) & 0xc0) == 0x80) --size;
  return size > 0 && byte(size - 1) >= 0xc0 ? size - 1 : size;
}

}  // namespace

mobula_result mobula_set_log_level(int32_t level) {
  if (level < MOBULA_LOG_TRACE || level > MOBULA_LOG_OFF)
    return fail(MOBULA_ERROR_INVALID_ARGUMENT, core::format("{} is no log level", level));
  core::set_log_level(static_cast<core::LogLevel>(level));
  return MOBULA_OK;
}

mobula_result mobula_next_log(int32_t* level, char* text, uint32_t capacity, uint32_t* length) {
  if (level == nullptr) return refuse_null("the level");
  if (const mobula_result checked = check_array(text != nullptr, capacity, length); checked != MOBULA_OK)
    return checked;
  const std::size_t room = capacity > 0 ? capacity - 1 : 0;
  const std::optional<core::LogBuffer::Line> line = core::read_log({text, room});
  if (!line) return MOBULA_NOTHING;
  *level = static_cast<std::int32_t>(line->level);
  *length = static_cast<std::uint32_t>(line->length);
  if (capacity > 0) text[line->length <= room ? line->length : whole_length(text, room)] = '\0';
  if (line->length <= room && capacity > 0) return MOBULA_OK;
  return fail(MOBULA_ERROR_BUFFER_TOO_SMALL,
              core::format("the buffer holds {}; {} are needed", capacity, line->length + 1));
}
