#include <algorithm>
#include <c/result.hpp>
#include <c/written.hpp>
#include <cstring>
#include <mobula/core/format.hpp>

namespace mobula::c {
namespace {

// Plain bytes: a thread that ends has nothing to destroy.
struct ThreadError {
  std::uint32_t length;
  char text[512];
};
thread_local ThreadError thread_error{};

}  // namespace

mobula_result fail(mobula_result code, std::string_view text) {
  const std::string_view kept = fitting_text(text, sizeof thread_error.text - 1);
  std::memcpy(thread_error.text, kept.data(), kept.size());
  thread_error.length = static_cast<std::uint32_t>(kept.size());
  return code;
}

mobula_result refuse_null(std::string_view parameter) {
  return fail(MOBULA_ERROR_INVALID_ARGUMENT, core::format("{} is null", parameter));
}

}  // namespace mobula::c

// Sets no text of its own: the one that is read would be lost.
mobula_result mobula_error_text(char* text, uint32_t capacity, uint32_t* length) {
  using namespace mobula::c;
  if (length == nullptr || (text == nullptr && capacity > 0)) return MOBULA_ERROR_INVALID_ARGUMENT;
  if (thread_error.length == 0) return MOBULA_NOTHING;
  const bool all = copy_text({thread_error.text, thread_error.length}, {text, capacity, length});
  return all ? MOBULA_OK : MOBULA_ERROR_BUFFER_TOO_SMALL;
}

const char* mobula_strerror(mobula_result result) {
  switch (result) {
    case MOBULA_OK: return "done";
    case MOBULA_NOTHING: return "there is none now";
    case MOBULA_ERROR_INVALID_ARGUMENT: return "invalid argument";
    case MOBULA_ERROR_INVALID_CLIENT: return "there is no such client";
    case MOBULA_ERROR_BUFFER_TOO_SMALL: return "the buffer is too small";
    case MOBULA_ERROR_BUSY: return "another thread uses this client";
    case MOBULA_ERROR_CLOSED: return "the connection is closed";
    case MOBULA_ERROR_WRONG_STATE: return "not allowed in this state";
    case MOBULA_ERROR_BAD_TOKEN: return "not a connect token";
    case MOBULA_ERROR_BAD_SCHEMA: return "not a schema, or none was given";
    case MOBULA_ERROR_BAD_JSON: return "not JSON, or not what the schema declares";
    case MOBULA_ERROR_BAD_LEVEL: return "not a level, or damaged";
    case MOBULA_ERROR_BAD_ADDRESS: return "not an address, or an unknown host";
    case MOBULA_ERROR_SOCKET: return "the system refused a socket operation";
    case MOBULA_ERROR_NO_MIRROR: return "there is no mirror";
    case MOBULA_ERROR_NO_ENTITY: return "the entity is not in the mirror";
    case MOBULA_ERROR_NO_COMPONENT: return "there is no such component";
    case MOBULA_ERROR_NO_PROPERTY: return "there is no such property";
    case MOBULA_ERROR_TOO_LARGE: return "beyond a limit of the protocol";
    case MOBULA_ERROR_TOO_MANY_CLIENTS: return "the process has too many clients";
    case MOBULA_ERROR_NO_ACCESS: return "the step may not access the component";
    case MOBULA_ERROR_BAD_RULES: return "there are no such rules, or they do not fit the schema";
    default: return "unknown result";
  }
}
