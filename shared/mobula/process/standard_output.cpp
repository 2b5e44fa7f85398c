#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mobula/core/format.hpp>
#include <mobula/process/standard_output.hpp>

namespace mobula::process {
namespace {

constexpr int output_lost = 1;

int first_error = 0;  // as of errno; stdio keeps none

}  // namespace

void print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written && first_error == 0) first_error = errno;
}

core::Status printed() {
  if (first_error == 0) return core::Done{};
  return core::Error{"not written", core::format("standard output: {}", std::strerror(first_error))};
}

int end_output(std::string_view program, int status) {
  const core::Status written = printed();
  if (written) return status;
  const std::string line = core::format("{}: {}\n", program, written.error().message);
  std::fputs(line.c_str(), stderr);
  return status != 0 ? status : output_lost;
}

}  // namespace mobula::process
