#include <exception>
#include <mobula/core/failure.hpp>
#include <mobula/core/log.hpp>
#include <mobula/process/failure_report.hpp>
#include <mobula/process/log_output.hpp>

namespace mobula::process {

struct Started {
  Started() {
    core::set_log_output(write_log_record);
    core::set_failure_report(report_failure);
    std::set_terminate(report_uncaught);
    report_signals();
  }
};

}  // namespace mobula::process

// The room's target requests this symbol, so each program that links the room has this object. No main() can forget it.
// The priority puts it before other statics, which may log.
extern "C" {
[[gnu::init_priority(101), gnu::used]] mobula::process::Started mobula_process_started;
}
