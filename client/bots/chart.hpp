// A line chart over time as an SVG element, to stand inside an HTML page: colours come from the page's style sheet, by
// the classes "line a", "line b", "grid", "axis", "limit" and "step". Values are shown by the browser itself when
// pointed at.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::client {

struct ChartLine {
  std::string name;
  std::vector<double> values;  // one for each time; NaN: a gap
};

struct Chart {
  std::string title;
  std::string unit;                  // behind a value, such as " ms"
  std::vector<double> times;         // seconds, rising
  std::vector<ChartLine> lines;      // one or two
  std::optional<double> limit = {};  // drawn across
  std::vector<double> steps = {};    // seconds at which something else began
};

std::string to_svg(const Chart& chart);

// What may stand in HTML and in its attributes.
std::string escape_html(std::string_view text);

// Round steps of an axis from 0 to at least `greatest`: at most `count`, each 1, 2 or 5 times a power of ten.
double axis_step(double greatest, int count);
// "0", "12.5", "1.2k", "3M".
std::string axis_label(double value);

}  // namespace mobula::client
