#include <chrono>
#include <mobula/core/format.hpp>
#include <mobula/core/log_record.hpp>
#include <mobula/core/text.hpp>

namespace mobula::core {
namespace {

// Control characters are written \uXXXX here, so that nothing is lost.
std::string json_string(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    if (result.size() >= log_text_bytes_max) return result + "...\"";
    std::string_view rest = text;
    const std::uint32_t point = take_code_point(rest);
    if (point == no_code_point) {
      result += "\uFFFD";
      rest.remove_prefix(1);
    } else if (point == '"' || point == '\\') {
      result += {'\\', static_cast<char>(point)};
    } else if (point == '\n') {
      result += "\\n";
    } else if (is_control(point)) {
      result += format("\\u{:04x}", point);
    } else {
      result += text.substr(0, text.size() - rest.size());
    }
    text = rest;
  }
  return result + '"';
}

std::string handle(LogFields::Entity entity) { return format("{}.{}", entity.index, entity.generation); }

}  // namespace

std::string to_iso_time(std::uint64_t unix_ms) {
  using namespace std::chrono;
  const sys_time<milliseconds> time{milliseconds(unix_ms)};
  const sys_days day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  return format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

std::string to_json(const LogRecord& record) {
  const LogFields& fields = record.fields;
  std::string line = format(R"({{"time":"{}","level":"{}","module":{},"message":{})", to_iso_time(record.unix_ms),
                            to_string(record.level), json_string(record.module), json_string(record.text));
  if (!fields.world.empty()) line += ",\"world\":" + json_string(fields.world);
  if (fields.tick != LogFields::none) line += format(",\"tick\":{}", fields.tick);
  if (fields.session != LogFields::none) line += format(",\"session\":{}", fields.session);
  if (fields.entity.generation != 0) line += format(",\"entity\":\"{}\"", handle(fields.entity));
  return line + '}';
}

std::string to_text(const LogRecord& record) {
  const LogFields& fields = record.fields;
  std::string about;
  if (!fields.world.empty()) about += format(" world={}", shown(fields.world, 40));
  if (fields.tick != LogFields::none) about += format(" tick={}", fields.tick);
  if (fields.session != LogFields::none) about += format(" session={}", fields.session);
  if (fields.entity.generation != 0) about += format(" entity={}", handle(fields.entity));
  return format("{:<9} {}{}{}", shown(record.module, 40), shown(record.text, log_text_bytes_max),
                about.empty() ? "" : " ", about);
}

}  // namespace mobula::core
