#include <bots/report_json.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

namespace mobula::client {
namespace {

using Json = nlohmann::ordered_json;

// Writes whole numbers as such, others rounded to a thousandth.
Json number(double value) {
  if (std::isnan(value)) return nullptr;
  if (value == std::floor(value) && std::abs(value) < 9e15) return static_cast<std::int64_t>(value);
  return std::round(value * 1000) / 1000;
}

Json measures(const IntervalStats& interval) {
  Json json = Json::object();
  for (const IntervalMeasure& each : interval_measures()) json[std::string(each.name)] = number(each.value(interval));
  return json;
}

Json reasons(const ReasonCounts& counts) {
  Json json = Json::object();
  for (const auto& [reason, count] : counts.by_reason()) json[reason] = count;
  return json;
}

Json steps(const BotsReport& report) {
  Json json = Json::array();
  for (const BotsStep& step : report.steps) {
    Json one = {{"from", step.step.from}, {"to", step.step.to}};
    one.update(measures(step.measured));
    json.push_back(std::move(one));
  }
  return json;
}

Json of(const Distribution& distribution, double Distribution::* part) {
  return distribution.count == 0 ? Json(nullptr) : number(distribution.*part);
}

Json samples(const BotsReport& report) {
  Json json = Json::array();
  for (const BotsSample& each : report.samples)
    json.push_back({{"seconds", number(each.seconds)},
                    {"wanted", each.wanted},
                    {"playing", each.playing},
                    {"p50_interval_ms", of(each.intervals, &Distribution::p50)},
                    {"p99_interval_ms", of(each.intervals, &Distribution::p99)},
                    {"p99_join_ms", of(each.joins, &Distribution::p99)},
                    {"p50_rtt_ms", of(each.rtts, &Distribution::p50)},
                    {"bytes_in_per_second", number(std::round(each.bytes_in_per_second))},
                    {"bytes_out_per_second", number(std::round(each.bytes_out_per_second))},
                    {"loss_in_percent", number(each.loss_in_percent)},
                    {"loss_out_percent", number(each.loss_out_percent)},
                    {"mismatches", each.mismatches},
                    {"p99_lag_ms", of(each.lags, &Distribution::p99)},
                    {"cpu_percent", number(each.cpu_percent)}});
  return json;
}

Json limits(const std::vector<LimitVerdict>& verdicts) {
  Json json = Json::array();
  for (const LimitVerdict& each : verdicts)
    json.push_back({{"limit", to_string(each.limit)}, {"value", number(each.value)}, {"met", each.met}});
  return json;
}

}  // namespace

std::string to_json(const BotsReport& report, const std::vector<LimitVerdict>& verdicts) {
  Json json;
  for (const RunMeasure& each : run_measures()) json[std::string(each.name)] = number(each.value(report));
  json.update(measures(report.whole));
  json["last_step"] = report.steps.empty() ? Json(nullptr) : measures(report.steps.back().measured);
  json["refused"] = reasons(report.refusals);
  json["disconnected"] = reasons(report.disconnects);
  json["warning"] = lateness_warning(report.whole);
  json["good"] = all_met(verdicts);
  json["limits"] = limits(verdicts);
  json["steps"] = steps(report);
  json["samples"] = samples(report);
  json["run"] = {{"command_line", report.info.command_line}, {"server", report.info.server},
                 {"behaviours", report.info.behaviours},     {"simulated", report.info.simulated},
                 {"version", report.info.version},           {"seed", report.info.seed},
                 {"began_at", report.info.began_at}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace mobula::client
