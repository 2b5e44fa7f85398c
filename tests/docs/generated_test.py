"""Generated pages and pictures: settings, the HTTP API, the rooms, and the links of the site."""

import sys
import unittest
from pathlib import Path

from tree import Tree

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "tools"))
import configuration_page  # noqa: E402
import docs  # noqa: E402
import house_picture  # noqa: E402
import http_api_page  # noqa: E402
import pictures  # noqa: E402
import stage_site  # noqa: E402

PRINTED = """# --- World ---

# ticks per second (1 to 240)
tick_rate = 20  # default

# file of <the> world
# db = ""  # default

# --- Log ---

# where
# key_file =  # default

"""
HELP = "Options:\n  --tick-rate N [20]  ticks\n  --db FILE\n  --key-file FILE ...  x\n"


class Configuration(unittest.TestCase):
    def test_settings_are_read(self):
        settings = configuration_page.parse(PRINTED)
        configuration_page.add_types(settings, HELP)
        facts = [(each.group, each.key, each.value, each.range, each.type) for each in settings]
        self.assertEqual(facts, [("World", "tick_rate", "20", "1 to 240", "N"), ("World", "db", '""', "", "FILE"),
                                 ("Log", "key_file", "", "", "FILE")])

    def test_a_setting_has_its_three_names(self):
        settings = configuration_page.parse(PRINTED)
        configuration_page.add_types(settings, HELP)
        page = configuration_page.render(settings)
        self.assertIn("### `tick_rate`\n\nTicks per second.\n", page)
        self.assertIn("| `--tick-rate N` | `MOBULA_TICK_RATE` | `20` | 1 to 240 |", page)
        self.assertIn("File of \\<the\\> world.", page)
        self.assertIn("| `--db FILE` | `MOBULA_DB` | none | – |", page)

    def test_refusals_show_needs_and_words(self):
        settings = configuration_page.parse("""# text, json, or auto: text on a terminal; net=debug sets <one>
log_format = "auto"  # default

# chain of --key_file
# certificate = ""  # default
""")
        configuration_page.add_types(settings, "  --log-format FORMAT\n  --certificate FILE\n")
        answers = {("--log-format", "?"): "s: --log-format: '?' is not one of auto, text, json\n",
                   ("--certificate", "x"): "s: --certificate: requires --ws-port\ns: --certificate: requires --key\n"}
        configuration_page.add_refusals(settings, lambda flag, value: answers.get((flag, value), ""))
        page = configuration_page.render(settings)
        self.assertIn("\n`text`, `json`, or `auto`: `text` on a terminal; `net=debug` sets \\<one\\>.\n", page)
        self.assertIn("| `\"auto\"` | `auto`, `text`, `json` |", page)
        self.assertIn("Requires `--ws-port` and `--key`.\n", page)

    def test_a_list_of_words_may_end_with_or(self):
        settings = configuration_page.parse('# x\nlog_level = "info"  # default\n')
        configuration_page.add_refusals(
            settings, lambda flag, value: "s: --log-level: '?' is not a log level: expected info, warn or off\n")
        self.assertEqual(settings[0].words, ["info", "warn", "off"])

    def test_an_unknown_setting_is_refused(self):
        with self.assertRaises(ValueError):
            configuration_page.parse("tick_rate 20\n")

    def test_an_option_that_help_lacks_is_refused(self):
        with self.assertRaises(ValueError):
            configuration_page.add_types(configuration_page.parse(PRINTED), "")


class HttpApi(unittest.TestCase):
    def test_each_operation_and_schema_has_a_heading(self):
        page = http_api_page.make(ROOT / docs.OPENAPI)
        import json
        document = json.loads((ROOT / docs.OPENAPI).read_text(encoding="utf-8"))
        for method, path, _ in http_api_page.operations(document):
            self.assertIn(f"### `{method} {path}`\n", page)
        for name in document["components"]["schemas"]:
            self.assertIn(f"### {name} <a id", page)

    def test_limits_are_listed(self):
        self.assertEqual(http_api_page.type_text({"type": "integer", "minimum": 1, "maximum": 5}), "integer, 1 to 5")
        self.assertEqual(http_api_page.type_text({"type": "string", "maxLength": 5}), "string, at most 5 characters")
        self.assertEqual(http_api_page.type_text({"type": ["string", "null"]}), "string or null")
        self.assertEqual(http_api_page.type_text({"type": "array", "items": {"$ref": "#/x/Ban"}}), "array of [Ban](#schema-ban)")


class House(unittest.TestCase):
    TABLE = "rooms='\ncore\necs  core\ngame core ecs\n'\n"

    def test_an_arrow_that_another_leads_along_is_left_out(self):
        rooms = house_picture.rooms_of(self.TABLE)
        self.assertEqual(house_picture.reduced(rooms), {"core": [], "ecs": ["core"], "game": ["ecs"]})

    def test_a_header_of_its_own_stands_between(self):
        table = "rooms='\ncore\ngame core\ndemo\nx.hpp game\n'\nothers='\nmobula/x.hpp demo\n'\n"
        rooms = house_picture.rooms_of(table)
        self.assertEqual(rooms, {"core": [], "game": ["core"], "x.hpp": ["game"], "demo": ["x.hpp"]})
        self.assertEqual(list(rooms).index("demo"), 3)

    def test_every_room_of_the_table_is_in_a_picture(self):
        table = (ROOT / "tests/layering.sh").read_text(encoding="utf-8")
        drawn = "".join(picture for name, picture in pictures.make(ROOT).items() if name.endswith("house.svg"))
        for room in house_picture.rooms_of(table):
            if "/headers/" not in room:
                self.assertIn(f">{room}</text>", drawn)

    def test_rooms_of_a_root_are_in_its_picture_alone(self):
        table = "rooms='\ncore\nweb/core\nweb/wire web/core\nplay/ui\n'\nroots='\nclient/web/src web\nclient/play/src play\n'\n"
        self.assertEqual(house_picture.chosen(table, {"web"}), {"web/core": [], "web/wire": ["web/core"]})
        self.assertEqual(house_picture.chosen(table, house_picture.CPP), {"core": []})

    def test_a_script_without_a_table_is_refused(self):
        with self.assertRaises(ValueError):
            house_picture.rooms_of("#!/bin/bash\n")


class Site(unittest.TestCase):
    FILES = {
        "docs/a.md": "# A b\n\n[s](../src/x.cpp) [m](../bench/README.md#t) `[n](../src/x.cpp)` [h](https://x.org) [f](../src)\n"
                     "[![p](../src/p.png)](b.md)\n```\n[c](../src/x.cpp)\n```\n",
        "docs/b.md": "# B\n[self](#b) [a](a.md#a-b)\n",
        "bench/README.md": "# T\n[back](../docs/a.md)\n",
        "src/x.cpp": "int x;\n",
        "src/p.png": "",
        "docs/tools/site/style.css": "",
        "docs/tools/site/search.js": "",
        "client/inspector/icon.svg": "",
    }

    def stage(self):
        with Tree(self.FILES) as root:
            stage_site.Stage(root, root / "out", list(self.FILES)).run()
            return {path.relative_to(root / "out").as_posix(): path.read_text(encoding="utf-8")
                    for path in (root / "out").rglob("*") if path.is_file()}

    def test_links_lead_to_pages_of_the_site(self):
        page = self.stage()["a.md"]
        self.assertIn("[s](tree/src/x.cpp.md) [m](benchmarks.md#t) `[n](../src/x.cpp)` [h](https://x.org) [f](tree/src.md)", page)
        self.assertIn("[![p](tree/src/p.png)](b.md)", page)
        self.assertIn("```\n[c](../src/x.cpp)\n```", page)

    def test_headings_have_their_anchors(self):
        self.assertTrue(self.stage()["a.md"].startswith("# A b { #a-b }\n"))

    def test_linked_pages_are_shown(self):
        site = self.stage()
        self.assertEqual(site["tree/src/x.cpp.md"], "# src/x.cpp\n\n```cpp\nint x;\n```\n")
        self.assertEqual(site["tree/src.md"], "# src\n\n- [p.png](src/p.png)\n- [x.cpp](src/x.cpp.md)\n")
        self.assertIn("[back](a.md)", site["benchmarks.md"])
        self.assertEqual(site["b.md"], "# B { #b }\n[self](#b) [a](a.md#a-b)\n")


if __name__ == "__main__":
    unittest.main()
