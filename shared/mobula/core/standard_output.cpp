#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mobula/core/format.hpp>
#include <mobula/core/standard_output.hpp>

namespace mobula::core {
namespace {

constexpr int not_written = 1;

int first_error = 0;  // as of errno; stdio keeps none

}  // namespace

void print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written && first_error == 0) first_error = errno;
}

Status printed() {
  if (first_error == 0) return Done{};
  return Error{"not written", format("standard output: {}", std::strerror(first_error))};
}

int end_output(std::string_view program, int status) {
  const Status written = printed();
  if (written) return status;
  const std::string line = format("{}: {}\n", program, written.error().message);
  std::fputs(line.c_str(), stderr);
  return status != 0 ? status : not_written;
}

}  // namespace mobula::core
