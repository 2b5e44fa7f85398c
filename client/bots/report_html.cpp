#include <algorithm>
#include <bots/chart.hpp>
#include <bots/report_html.hpp>
#include <cmath>
#include <ctime>
#include <limits>
#include <mobula/core/format.hpp>

namespace mobula::client {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

constexpr std::string_view style = R"(
:root { color-scheme: light dark; --ground: #fff; --panel: #f5f6f8; --edge: #d9dce2; --text: #1b1f27; --soft: #5c6573;
  --a: #0b62c4; --b: #c2410c; --good: #146c36; --bad: #b3201c; --note: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171c; --panel: #1d2128; --edge: #363c47; --text: #e8eaee;
  --soft: #a4acb9; --a: #6cb1ff; --b: #ff9a5c; --good: #5fd38a; --bad: #ff8a80; --note: #f0c060; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1280px; padding: 20px 24px 40px; background: var(--ground); color: var(--text);
  font: 15px/1.45 system-ui, "Segoe UI", "Noto Sans", sans-serif; }
h1 { font-size: 24px; margin: 0 0 2px; } h2 { font-size: 17px; margin: 30px 0 10px; }
p { margin: 0 0 8px; } .soft { color: var(--soft); }
.verdict { display: block; margin: 14px 0; padding: 10px 14px; border-left: 5px solid; background: var(--panel);
  font-weight: 600; } .good { color: var(--good); } .bad { color: var(--bad); } .note { color: var(--note); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(125px, 1fr)); gap: 10px; }
.figures div, figure { background: var(--panel); border: 1px solid var(--edge); border-radius: 6px; padding: 10px 12px; }
.figures b { display: block; font-size: 22px; font-variant-numeric: tabular-nums; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(340px, 100%), 1fr)); gap: 12px; }
figure { margin: 0; } figcaption { font-weight: 600; }
.key { font-weight: 400; color: var(--soft); font-size: 13px; display: block; }
.key i { display: inline-block; width: 18px; border-top: 3px solid; vertical-align: middle; margin: 0 4px 0 0; }
.key span { margin-right: 12px; white-space: nowrap; } .key .a i { border-color: var(--a); }
.key .b i { border-color: var(--b); border-top-style: dashed; }
.key .l i { border-color: var(--bad); border-top-width: 1px; }
svg { display: block; width: 100%; height: auto; } svg text { font: 11px system-ui, sans-serif; fill: var(--soft); }
.grid { stroke: var(--edge); } .step { stroke: var(--soft); stroke-dasharray: 2 4; } .limit { stroke: var(--bad); }
.line { fill: none; stroke-width: 2; stroke-linejoin: round; } .line.a { stroke: var(--a); }
.line.b { stroke: var(--b); stroke-dasharray: 5 3; } .dot { stroke-width: 5; stroke-linecap: round; }
svg rect { fill: transparent; } svg rect:hover { fill: var(--soft); fill-opacity: .15; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 4px 14px 4px 0; border-bottom: 1px solid var(--edge); vertical-align: top; }
td.n, th.n { text-align: right; } td.n { white-space: nowrap; } code { font: 13px ui-monospace, monospace; overflow-wrap: anywhere; }
details { margin-top: 10px; } summary { cursor: pointer; }
@media (max-width: 520px) { body { padding: 14px 12px 30px; } h1 { font-size: 20px; } }
@media print { body { max-width: none; padding: 0; font-size: 12px; } figure, .figures div { break-inside: avoid; }
  .charts { grid-template-columns: 1fr 1fr; } details::details-content { content-visibility: visible; } }
)";

std::string shown(double value) {
  if (std::isnan(value)) return "–";
  if (value == std::floor(value) && std::abs(value) < 1e15) {
    std::string digits = core::format("{:.0f}", value);
    for (std::size_t place = digits.size(); place > 3 && digits[place - 4] != '-'; place -= 3)
      digits.insert(place - 3, ",");
    return digits;
  }
  return std::abs(value) >= 100 ? shown(std::round(value)) : core::format("{:.2f}", value);
}

std::string date_text(std::uint64_t unix_seconds) {
  const auto time = static_cast<std::time_t>(unix_seconds);
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[64];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
  return {text, size};
}

// --- Charts --------------------------------------------------------------------------------------------------------

using Value = double (*)(const BotsSample& sample);

struct LineRow {
  std::string_view name;
  Value value;
};
struct ChartRow {
  std::string_view title;
  std::string_view unit;
  std::string_view limited;  // measure whose limit is drawn; empty if none
  LineRow a;
  LineRow b;
};

double or_gap(const Distribution& distribution, double Distribution::* part) {
  return distribution.count == 0 ? no_number : distribution.*part;
}

using B = BotsSample;
using D = Distribution;
constexpr ChartRow charts[] = {
    {"Bots",
     "",
     "",
     {"wanted", [](const B& s) { return static_cast<double>(s.wanted); }},
     {"playing", [](const B& s) { return static_cast<double>(s.playing); }}},
    {"Patch interval, ms",
     " ms",
     "p99_interval_ms",
     {"p50", [](const B& s) { return or_gap(s.intervals, &D::p50); }},
     {"p99", [](const B& s) { return or_gap(s.intervals, &D::p99); }}},
    {"Bytes per second, all bots",
     " B/s",
     "",
     {"received", [](const B& s) { return s.bytes_in_per_second; }},
     {"sent", [](const B& s) { return s.bytes_out_per_second; }}},
    {"Join time, ms",
     " ms",
     "p99_join_ms",
     {"p50", [](const B& s) { return or_gap(s.joins, &D::p50); }},
     {"p99", [](const B& s) { return or_gap(s.joins, &D::p99); }}},
    {"Round trip, ms",
     " ms",
     "p99_rtt_ms",
     {"p50", [](const B& s) { return or_gap(s.rtts, &D::p50); }},
     {"p99", [](const B& s) { return or_gap(s.rtts, &D::p99); }}},
    {"Loss, %",
     "%",
     "loss_in_percent",
     {"in", [](const B& s) { return s.loss_in_percent; }},
     {"out", [](const B& s) { return s.loss_out_percent; }}},
    {"The bots' own lateness, ms",
     " ms",
     "p99_lag_ms",
     {"p50", [](const B& s) { return or_gap(s.lags, &D::p50); }},
     {"p99", [](const B& s) { return or_gap(s.lags, &D::p99); }}},
    {"CPU of the bots, % of a core",
     "%",
     "cpu_percent",
     {"CPU", [](const B& s) { return s.cpu_percent; }},
     {"", nullptr}},
    {"Mismatches",
     "",
     "mismatches",
     {"mismatches", [](const B& s) { return static_cast<double>(s.mismatches); }},
     {"", nullptr}},
};

std::optional<double> limit_on(std::string_view measure, const std::vector<LimitVerdict>& verdicts) {
  if (measure.empty()) return std::nullopt;
  for (const LimitVerdict& each : verdicts) {
    std::string_view name = each.limit.measure;
    if (name.starts_with(last_step_prefix)) name.remove_prefix(last_step_prefix.size());
    if (name == measure && each.limit.bound > 0) return each.limit.bound;
  }
  return std::nullopt;
}

std::string figure(const ChartRow& row, const BotsReport& report, const std::vector<LimitVerdict>& verdicts) {
  Chart chart{.title = std::string(row.title), .unit = std::string(row.unit), .times = {}, .lines = {}};
  for (const BotsSample& sample : report.samples) chart.times.push_back(sample.seconds);
  for (const LineRow* line : {&row.a, &row.b}) {
    if (line->value == nullptr) continue;
    ChartLine values{std::string(line->name), {}};
    for (const BotsSample& sample : report.samples) values.values.push_back(line->value(sample));
    chart.lines.push_back(std::move(values));
  }
  chart.limit = limit_on(row.limited, verdicts);
  double begin = 0;
  for (const BotsStep& step : report.steps) {
    if (begin > 0) chart.steps.push_back(begin);
    begin += core::in_seconds(step.measured.length);
  }
  std::string key = core::format("<span class=\"a\"><i></i>{}</span>", row.a.name);
  if (row.b.value != nullptr) key += core::format("<span class=\"b\"><i></i>{}</span>", row.b.name);
  if (chart.limit) key += core::format("<span class=\"l\"><i></i>limit {}</span>", shown(*chart.limit));
  return core::format("<figure><figcaption>{}<span class=\"key\">{}</span></figcaption>\n{}</figure>\n",
                      escape_html(row.title), key, to_svg(chart));
}

// --- The other parts -----------------------------------------------------------------------------------------------

std::string verdict(const BotsReport& report, const std::vector<LimitVerdict>& verdicts) {
  const auto missed = std::ranges::count(verdicts, false, &LimitVerdict::met);
  std::string html =
      missed == 0 ? core::format("<p class=\"verdict good\">✓ All {} limits met</p>\n", verdicts.size())
                  : core::format("<p class=\"verdict bad\">✗ {} of {} limits not met</p>\n", missed, verdicts.size());
  const std::string late = lateness_warning(report.whole);
  if (!late.empty()) html += core::format("<p class=\"verdict note\">⚠ Warning: {}.</p>\n", escape_html(late));
  if (report.foreign_game)
    html += "<p class=\"verdict note\">⚠ This server's game is not the demo: it refused the bots' commands.</p>\n";
  return html;
}

std::string key_figures(const BotsReport& report) {
  struct Row {
    std::string_view measure;
    std::string_view unit;
    std::string_view name;
    double factor;
  };
  constexpr Row rows[] = {{"joined", "", "bots joined", 1},
                          {"p50_interval_ms", " ms", "delta interval, median", 1},
                          {"p99_interval_ms", " ms", "delta interval, 99th percentile", 1},
                          {"p99_join_ms", " ms", "join time, 99th percentile", 1},
                          {"p50_rtt_ms", " ms", "round trip, median", 1},
                          {"bytes_in_per_bot_second", " KB/s", "received by each bot", 1e-3},
                          {"loss_in_percent", "%", "lost deltas of the server", 1},
                          {"verified_ticks", "", "ticks verified", 1},
                          {"mismatches", "", "mismatches", 1}};
  std::string html = "<div class=\"figures\">\n";
  for (const Row& row : rows)
    html += core::format("<div><b>{}{}</b>{}</div>\n",
                         shown(row.factor * measure(report, row.measure).value_or(no_number)), row.unit, row.name);
  return html + "</div>\n";
}

std::string predictions_table(const BotsReport& report) {
  constexpr std::string_view rows[] = {"predicted_ticks",     "replayed_ticks",        "rollbacks",
                                       "late_mispredictions", "remote_mispredictions", "level_mispredictions",
                                       "prediction_stalls",   "mean_correction_cm",    "p50_correction_cm",
                                       "p99_correction_cm",   "max_correction_cm",     "mean_input_delay_ms"};
  if (report.whole.counts[Count::predicted_ticks] == 0) return "";
  std::string html = "<h2>Predictions</h2>\n<div class=\"wide\"><table>\n";
  for (const std::string_view row : rows) {
    const auto found = std::ranges::find(interval_measures(), row, &IntervalMeasure::name);
    std::string words(row);
    std::ranges::replace(words, '_', ' ');
    html += core::format("<tr><td>{}</td><td class=\"n\">{}</td></tr>\n", words, shown(found->value(report.whole)));
  }
  return html + "</table></div>\n";
}

std::string limits_table(const std::vector<LimitVerdict>& verdicts) {
  std::string html =
      "<h2>Limits</h2>\n<div class=\"wide\"><table>\n<tr><th></th><th>limit</th><th class=\"n\">measured</th></tr>\n";
  for (const LimitVerdict& each : verdicts)
    html += core::format("<tr><td class=\"{}\">{}</td><td><code>{}</code></td><td class=\"n\">{}</td></tr>\n",
                         each.met ? "good" : "bad", each.met ? "✓ met" : "✗ not met",
                         escape_html(to_string(each.limit)), shown(each.value));
  return html + "</table></div>\n";
}

std::string steps_figure(const BotsReport& report) {
  constexpr std::string_view columns[] = {
      "seconds",    "p50_interval_ms",         "p99_interval_ms", "max_interval_ms", "p99_join_ms",
      "p50_rtt_ms", "bytes_in_per_bot_second", "loss_in_percent", "p99_lag_ms"};
  if (report.steps.size() < 2) return "";
  std::string html = "<h2>Steps of the ramp</h2>\n<div class=\"wide\"><table>\n<tr><th>bots</th>";
  for (const std::string_view column : columns) {
    std::string words(column);
    std::ranges::replace(words, '_', ' ');
    html += core::format("<th class=\"n\">{}</th>", words);
  }
  html += "</tr>\n";
  for (const BotsStep& step : report.steps) {
    const std::string bots =
        step.step.from == step.step.to ? shown(step.step.to) : shown(step.step.from) + " to " + shown(step.step.to);
    html += core::format("<tr><td>{}</td>", bots);
    for (const std::string_view column : columns) {
      const auto found = std::ranges::find(interval_measures(), column, &IntervalMeasure::name);
      html += core::format("<td class=\"n\">{}</td>", shown(found->value(step.measured)));
    }
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

std::string reasons_table(const BotsReport& report) {
  if (report.refusals.total() + report.disconnects.total() == 0) return "";
  std::string html = "<h2>Refused and disconnected</h2>\n<div class=\"wide\"><table>\n";
  for (const auto& [what, counts] : {std::pair{"refused", &report.refusals}, {"disconnected", &report.disconnects}})
    for (const auto& [reason, count] : counts->by_reason())
      html += core::format("<tr><td>{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n", what,
                           shown(static_cast<double>(count)), escape_html(reason));
  return html + "</table></div>\n";
}

std::string all_measures(const BotsReport& report) {
  std::string html = "<details><summary>All measures</summary>\n<div class=\"wide\"><table>\n";
  const auto row = [&](std::string_view name, double value, std::string_view help) {
    html += core::format("<tr><td><code>{}</code></td><td class=\"n\">{}</td><td class=\"soft\">{}</td></tr>\n", name,
                         shown(value), escape_html(help));
  };
  for (const RunMeasure& each : run_measures()) row(each.name, each.value(report), each.help);
  for (const IntervalMeasure& each : interval_measures()) row(each.name, each.value(report.whole), each.help);
  return html + "</table></div></details>\n";
}

std::string run_table(const BotsReport& report) {
  const BotsRunInfo& info = report.info;
  std::string html = "<h2>The run</h2>\n<div class=\"wide\"><table>\n";
  const auto row = [&](std::string_view name, const std::string& text) {
    html += core::format("<tr><td>{}</td><td><code>{}</code></td></tr>\n", name, escape_html(text));
  };
  row("command", info.command_line);
  row("server", info.server);
  row("behaviours", info.behaviours);
  row("simulated network", info.simulated.empty() ? "none" : info.simulated);
  row("verified by", core::format("{} of {} bots", report.verify, report.clients));
  row("seed", core::format("{}", info.seed));
  row("began", date_text(info.began_at));
  row("version", info.version);
  return html + "</table></div>\n";
}

}  // namespace

std::string to_html(const BotsReport& report, const std::vector<LimitVerdict>& verdicts) {
  const std::string title =
      core::format("Load test: {} bots, {:.0f} s", shown(report.clients), core::in_seconds(report.whole.length));
  std::string html = core::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n"
      "<h1>{0}</h1>\n<p class=\"soft\">{2}, {3}</p>\n",
      title, style, escape_html(report.info.server), date_text(report.info.began_at));
  html += verdict(report, verdicts) + key_figures(report) + "<h2>Over time</h2>\n<div class=\"charts\">\n";
  for (const ChartRow& row : charts) html += figure(row, report, verdicts);
  html += "</div>\n" + steps_figure(report) + predictions_table(report) + limits_table(verdicts) +
          reasons_table(report) + run_table(report) + all_measures(report) + "</body>\n</html>\n";
  return html;
}

}  // namespace mobula::client
