// Line chart over time as an SVG element for an HTML page. Colours come from the page's style sheet, by the classes
// "line a", "line b", "grid", "axis", "limit" and "step". The browser shows values as tooltips.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::client {

struct ChartLine {
  std::string name;
  std::vector<double> values;  // one per time; NaN is a gap
};

struct Chart {
  std::string title;
  std::string unit;                  // suffix of values, such as " ms"
  std::vector<double> times;         // seconds, rising
  std::vector<ChartLine> lines;      // one or two
  std::optional<double> limit = {};  // horizontal line
  std::vector<double> steps = {};    // seconds at which steps begin
};

std::string to_svg(const Chart& chart);

/// Escapes text for HTML and its attributes.
std::string escape_html(std::string_view text);

/// Returns the distance of an axis' marks: 1, 2 or 5 times a power of ten. At most `count` marks reach `greatest`.
double axis_step(double greatest, int count);
/// Formats a value of an axis: "0", "12.5", "1.2k", "3M".
std::string axis_label(double value);

}  // namespace mobula::client
