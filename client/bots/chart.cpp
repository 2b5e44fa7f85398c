#include <algorithm>
#include <bots/chart.hpp>
#include <cmath>
#include <mobula/core/format.hpp>

namespace mobula::client {
namespace {

// Size of the drawing in its own units, each about a pixel in a column of the page.
constexpr double width = 420;
constexpr double height = 210;
constexpr double left = 46;
constexpr double right = 8;
constexpr double top = 10;
constexpr double bottom = 24;
constexpr std::size_t hints_max = 150;

struct Scale {
  double seconds = 1;
  double greatest = 1;

  [[nodiscard]] double x(double time) const { return left + time / seconds * (width - left - right); }
  [[nodiscard]] double y(double value) const {
    return height - bottom - std::min(value / greatest, 1.0) * (height - top - bottom);
  }
};

Scale scale_of(const Chart& chart) {
  double greatest = chart.limit.value_or(0);
  for (const ChartLine& line : chart.lines)
    for (const double value : line.values)
      if (std::isfinite(value)) greatest = std::max(greatest, value);
  if (greatest <= 0) greatest = 1;
  const double step = axis_step(greatest, 5);
  return {chart.times.empty() ? 1 : std::max(chart.times.back(), 1e-3), std::ceil(greatest / step - 1e-9) * step};
}

std::string time_label(double seconds, double end) {
  if (end < 120) return core::format("{:g} s", seconds);
  const auto whole = static_cast<long>(seconds);
  if (end < 7200) return core::format("{}:{:02}", whole / 60, whole % 60);
  return core::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

double time_step(double end) {
  if (end < 120) return axis_step(end, 5);
  constexpr double steps[] = {30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800};
  for (const double step : steps)
    if (end / step <= 5) return step;
  return axis_step(end / 3600, 5) * 3600;
}

std::string axes(const Scale& scale, double end) {
  std::string svg;
  for (double step = axis_step(scale.greatest, 5), value = 0; value <= scale.greatest * 1.001; value += step)
    svg += core::format(
        "<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/><text class=\"axis\" x=\"{:.1f}\" "
        "y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
        left, scale.y(value), width - right, left - 6, scale.y(value) + 4, axis_label(value));
  for (double step = time_step(end), time = 0; time <= end * 1.001; time += step) {
    const bool last = scale.x(time) > width - right - 20;
    svg += core::format("<text class=\"axis\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", scale.x(time),
                        height - 6, last ? "end" : "middle", time_label(time, end));
  }
  return svg;
}

// Draws the curve in pieces between gaps. A piece of one value is a dot.
std::string curve(const Scale& scale, const Chart& chart, const ChartLine& line, std::string_view name) {
  std::string svg;
  std::string path;
  std::size_t points = 0;
  const auto finish = [&] {
    if (points > 0)
      svg += core::format("<path class=\"line {}{}\" d=\"{}{}\"/>\n", name, points == 1 ? " dot" : "", path,
                          points == 1 ? "h0" : "");
    path.clear();
    points = 0;
  };
  for (std::size_t i = 0; i < line.values.size(); ++i) {
    if (!std::isfinite(line.values[i])) {
      finish();
      continue;
    }
    path +=
        core::format("{}{:.1f} {:.1f}", points++ == 0 ? "M" : "L", scale.x(chart.times[i]), scale.y(line.values[i]));
  }
  finish();
  return svg;
}

// Draws transparent strips whose tooltips show the values.
std::string hints(const Scale& scale, const Chart& chart) {
  std::string svg;
  const std::size_t every = std::max<std::size_t>(1, (chart.times.size() + hints_max - 1) / hints_max);
  for (std::size_t i = 0; i < chart.times.size(); i += every) {
    const double begin = i == 0 ? left : scale.x(chart.times[i - every]);
    std::string text = time_label(std::round(chart.times[i] * 10) / 10, chart.times.back());
    for (const ChartLine& line : chart.lines)
      if (std::isfinite(line.values[i]))
        text += core::format("\n{} {}{}", line.name, axis_label(line.values[i]), chart.unit);
    svg += core::format("<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\"><title>{}</title></rect>\n", begin,
                        top, std::max(scale.x(chart.times[i]) - begin, 0.5), height - top - bottom, escape_html(text));
  }
  return svg;
}

}  // namespace

double axis_step(double greatest, int count) {
  const double least = greatest / count;
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

std::string axis_label(double value) {
  const auto rounded = [](double number) { return std::round(number * 100) / 100; };
  if (std::abs(value) >= 1e9) return core::format("{:g}G", rounded(value / 1e9));
  if (std::abs(value) >= 1e6) return core::format("{:g}M", rounded(value / 1e6));
  if (std::abs(value) >= 1e4) return core::format("{:g}k", rounded(value / 1e3));
  return core::format("{:g}", rounded(value));
}

std::string escape_html(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&#39;"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

std::string to_svg(const Chart& chart) {
  constexpr std::string_view names[] = {"a", "b"};
  const Scale scale = scale_of(chart);
  std::string svg = core::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", width, height,
                                 escape_html(chart.title));
  svg += axes(scale, scale.seconds);
  for (const double time : chart.steps)
    svg += core::format("<path class=\"step\" d=\"M{0:.1f} {1}V{2}\"/>\n", scale.x(time), top, height - bottom);
  if (chart.limit)
    svg += core::format("<path class=\"limit\" d=\"M{} {:.1f}H{}\"/>\n", left, scale.y(*chart.limit), width - right);
  for (std::size_t i = 0; i < chart.lines.size(); ++i)
    svg += curve(scale, chart, chart.lines[i], names[std::min<std::size_t>(i, 1)]);
  return svg + hints(scale, chart) + "</svg>\n";
}

}  // namespace mobula::client
