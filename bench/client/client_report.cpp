#include <mobula/core/format.hpp>

#include "client/client_bench.hpp"

namespace mobula::bench {

std::string to_json(const ClientReport& report) {
  return core::format(
      R"({{"entities":{},"cpp_us_per_tick":{:.3f},"c_us_per_tick":{:.3f},"c_by_cpp":{:.4f},"cpp_least_us":{:.3f},)"
      R"("c_least_us":{:.3f},"changes_per_tick":{:.1f},"first_entity_cpp_ms":{:.2f},"first_entity_c_ms":{:.2f},)"
      R"("shared_library_bytes":{},"static_library_bytes":{},"verified_ticks":{},"mismatches":{}}})",
      report.entities, report.cpp.median, report.c.median, report.c_by_cpp, report.cpp.least, report.c.least,
      report.c.changes, report.first_entity_cpp_ms, report.first_entity_c_ms, report.shared_bytes, report.static_bytes,
      report.verified_ticks, report.mismatches);
}

std::string to_table(const ClientReport& report) {
  std::string text =
      core::format("{} moving entities; receive, update, read {:.0f} changes and a column of Transforms\n\n",
                   report.entities, report.c.changes);
  text += "us per tick       C++        C\n";
  text += core::format("  median   {:10.2f}{:9.2f}     C by C++ {:.3f}\n", report.cpp.median, report.c.median,
                       report.c_by_cpp);
  text += core::format("  least    {:10.2f}{:9.2f}\n", report.cpp.least, report.c.least);
  text += core::format("first entity over loopback, ms\n           {:10.2f}{:9.2f}\n\n", report.first_entity_cpp_ms,
                       report.first_entity_c_ms);
  text += core::format("shared library {} bytes, static library {} bytes\n", report.shared_bytes, report.static_bytes);
  text += core::format("{} ticks verified by the server's hashes: {} mismatches\n", report.verified_ticks,
                       report.mismatches);
  return text;
}

}  // namespace mobula::bench
