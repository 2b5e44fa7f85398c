#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mobula/core/failure.hpp>
#include <mobula/core/log.hpp>

namespace mobula::core {
namespace {

void report_on_standard_error(std::string_view text) {
  const std::string line = to_text({.module = "failure", .text = text, .fields = log_fields()});
  std::fprintf(stderr, "%s\n", line.c_str());
}

std::atomic<FailureReport> report = report_on_standard_error;

}  // namespace

void set_failure_report(FailureReport wanted) { report.store(wanted, std::memory_order_relaxed); }

void fail(std::string_view text) {
  report.load(std::memory_order_relaxed)(text);
  std::abort();
}

}  // namespace mobula::core
