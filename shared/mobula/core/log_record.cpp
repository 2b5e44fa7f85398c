#include <chrono>
#include <mobula/core/format.hpp>
#include <mobula/core/json_text.hpp>
#include <mobula/core/log_record.hpp>
#include <mobula/core/text.hpp>

namespace mobula::core {
namespace {

std::string handle(LogFields::Entity entity) { return core::format("{}.{}", entity.index, entity.generation); }

}  // namespace

std::string to_iso_time(std::uint64_t unix_ms) {
  using namespace std::chrono;
  const sys_time<milliseconds> time{milliseconds(unix_ms)};
  const sys_days day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  return core::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                      clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

std::string to_json(const LogRecord& record) {
  const LogFields& fields = record.fields;
  std::string line = core::format(R"({{"time":"{}","level":"{}","module":{},"message":{})", to_iso_time(record.unix_ms),
                                  to_string(record.level), json_text(record.module, log_text_bytes_max),
                                  json_text(record.text, log_text_bytes_max));
  if (!fields.world.empty()) line += ",\"world\":" + json_text(fields.world);
  if (fields.tick != LogFields::none) line += core::format(",\"tick\":{}", fields.tick);
  if (fields.session != LogFields::none) line += core::format(",\"session\":{}", fields.session);
  if (fields.entity.generation != 0) line += core::format(",\"entity\":\"{}\"", handle(fields.entity));
  if (!fields.running.empty()) line += ",\"running\":" + json_text(fields.running);
  return line + '}';
}

std::string to_text(const LogRecord& record) {
  const LogFields& fields = record.fields;
  std::string about;
  if (!fields.world.empty()) about += core::format(" world={}", shown(fields.world, 40));
  if (fields.tick != LogFields::none) about += core::format(" tick={}", fields.tick);
  if (fields.session != LogFields::none) about += core::format(" session={}", fields.session);
  if (fields.entity.generation != 0) about += core::format(" entity={}", handle(fields.entity));
  if (!fields.running.empty()) about += core::format(" running={}", shown(fields.running, 60));
  return core::format("{:<9} {}{}{}", shown(record.module, 40), shown(record.text, log_text_bytes_max),
                      about.empty() ? "" : " ", about);
}

}  // namespace mobula::core
