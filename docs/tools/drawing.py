"""A small writer of SVG: boxes, arrows and text in the colours of the manual, for light and dark themes."""

from html import escape

STYLE = """
  svg { color-scheme: light dark; }
  text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: #1a1f26; }
  .small { font-size: 11.5px; fill: #57616d; }
  .strong { font-weight: 600; }
  .code { font-family: ui-monospace, "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 12px; }
  .ground { fill: #ffffff; stroke: #dfe3e8; }
  .band { fill: #f3f5f8; stroke: none; }
  .box { fill: #ffffff; stroke: #858f9b; }
  .shared { fill: #eef1f4; stroke: #858f9b; }
  .server { fill: #e2eefb; stroke: #2f6fb5; }
  .client { fill: #dff3ee; stroke: #2a9d8f; }
  .program { fill: #fbeedd; stroke: #d9822b; }
  .line { fill: none; stroke: #57616d; stroke-width: 1.4; }
  .faint { fill: none; stroke: #a7b0bb; stroke-width: 1.2; }
  .lost { fill: none; stroke: #c0483f; stroke-width: 1.4; stroke-dasharray: 5 4; }
  .dashed { stroke-dasharray: 5 4; }
  .head { fill: #57616d; }
  .losthead { fill: #c0483f; }
  .losttext { fill: #b3261e; font-size: 11.5px; }
  .hot { fill: #2f6fb5; } .warm { fill: #d9822b; } .cold { fill: #a7b0bb; } .away { fill: none; stroke: #a7b0bb; }
  .reach { fill: #2f6fb5; fill-opacity: 0.10; stroke: #2f6fb5; }
  .wide { fill: #d9822b; fill-opacity: 0.07; stroke: #d9822b; }
  .cell { fill: none; stroke: #dfe3e8; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e4e8ed; }
    .small { fill: #a9b4c0; }
    .ground { fill: #12161b; stroke: #2b323b; }
    .band { fill: #191e25; }
    .box { fill: #171b21; stroke: #6b7684; }
    .shared { fill: #20262e; stroke: #6b7684; }
    .server { fill: #1a3350; stroke: #5b9be0; }
    .client { fill: #153b36; stroke: #4cc3b4; }
    .program { fill: #40301c; stroke: #e8a35a; }
    .line { stroke: #9aa5b1; }
    .faint { stroke: #66717e; }
    .lost { stroke: #f07f76; }
    .head { fill: #9aa5b1; }
    .losthead { fill: #f07f76; }
    .losttext { fill: #ff8a80; }
    .hot { fill: #5b9be0; } .warm { fill: #e8a35a; } .cold { fill: #66717e; } .away { stroke: #66717e; }
    .reach { fill: #5b9be0; fill-opacity: 0.14; stroke: #5b9be0; }
    .wide { fill: #e8a35a; fill-opacity: 0.10; stroke: #e8a35a; }
    .cell { stroke: #2b323b; }
  }
"""


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


class Drawing:
    def __init__(self, width, height, title, description):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'role="img">',
            f"<title>{escape(title)}</title>",
            f"<desc>{escape(description)}</desc>",
            f"<style>{STYLE}</style>",
            '<defs>',
            '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
            '<path class="head" d="M0 0.8 7.4 4 0 7.2z"/></marker>',
            '<marker id="losthead" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="9" markerHeight="9">'
            '<path class="lost" style="stroke-dasharray:none" d="M1 1 7 7M7 1 1 7"/></marker>',
            "</defs>",
            f'<rect class="ground" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>',
        ]

    def rect(self, x, y, width, height, kind, radius=5):
        self.parts.append(f'<rect class="{kind}" x="{number(x)}" y="{number(y)}" width="{number(width)}" '
                          f'height="{number(height)}" rx="{radius}"/>')

    def text(self, x, y, text, kind="", anchor="start"):
        self.parts.append(f'<text class="{kind}" x="{number(x)}" y="{number(y)}" text-anchor="{anchor}">{escape(text)}</text>')

    def box(self, x, y, width, height, lines, kind="box"):
        """A box with centred lines, the first of them strong."""
        self.rect(x, y, width, height, kind)
        top = y + height / 2 - (len(lines) - 1) * 8.5 + 4.5
        for place, line in enumerate(lines):
            self.text(x + width / 2, top + place * 17, line, "small" if place else "strong", "middle")

    def path(self, points, kind="line", head="head"):
        """An arrow along points; `head` may be empty."""
        way = "M" + " L".join(f"{number(x)} {number(y)}" for x, y in points)
        self.curve(way, kind, head)

    def curve(self, way, kind="line", head="head"):
        marker = f' marker-end="url(#{head})"' if head else ""
        self.parts.append(f'<path class="{kind}" d="{way}"{marker}/>')

    def circle(self, x, y, radius, kind):
        self.parts.append(f'<circle class="{kind}" cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"/>')

    def svg(self):
        return "\n".join(self.parts + ["</svg>"]) + "\n"
