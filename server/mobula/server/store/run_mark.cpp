#include <mobula/core/text.hpp>
#include <mobula/server/store/run_mark.hpp>
#include <utility>

namespace mobula::store {
namespace {

constexpr std::string_view running = "running\n";
constexpr std::size_t shown_bytes = 1000;

std::string end_of(const std::string& text) {
  if (text.empty()) return {};
  if (text == running) return "it was killed or ended by a second Ctrl-C, or the machine stopped";
  return core::shown(text, shown_bytes);
}

}  // namespace

RunMark::RunMark(FileLock lock)
    : lock_(std::move(lock)),
      last_end_(end_of(lock_.text())),
      listener_([this](std::string_view line) { fail(line); }) {}

void RunMark::begin() {
  if (!std::exchange(begun_, true)) lock_.set_text(running);
}

void RunMark::fail(std::string_view line) { lock_.set_text(line); }

void RunMark::finish() { lock_.set_text({}); }

}  // namespace mobula::store
