"""check_links.py names every kind of dead link, and lets the good ones pass."""

import unittest

import check_links
from tree import Tree


class Links(unittest.TestCase):
    def problems(self, files):
        with Tree(files) as root:
            return check_links.check(root)

    def test_good_links_pass(self):
        page = (
            "# Title\n\n[a page](docs/b.md) [its part](docs/b.md#two-words) [here](#title) [folder](docs) ![p](p.png)\n"
            '[elsewhere](https://example.org/x) [ref][r] <a href="docs/b.md">b</a>\n\n[r]: docs/b.md\n'
        )
        files = {"a.md": page, "docs/b.md": "# B\n## Two words\n## Two words\n[second](#two-words-1)\n", "p.png": ""}
        self.assertEqual(self.problems(files), [])

    def test_a_missing_file(self):
        self.assertEqual(self.problems({"a.md": "x\n\n[b](b.md)\n"}), ["a.md:3: 'b.md' does not exist"])

    def test_a_missing_picture(self):
        self.assertEqual(self.problems({"a.md": "![p](p.png)"}), ["a.md:1: 'p.png' does not exist"])

    def test_a_picture_within_a_link(self):
        self.assertEqual(self.problems({"a.md": "[![p](p.png)](a.md)"}), ["a.md:1: 'p.png' does not exist"])

    def test_a_missing_file_of_html(self):
        self.assertEqual(self.problems({"a.md": '<img alt="p" src="p.png">'}), ["a.md:1: 'p.png' does not exist"])

    def test_a_missing_file_of_a_reference(self):
        self.assertEqual(self.problems({"a.md": "[r]\n\n[r]: b.md\n"}), ["a.md:3: 'b.md' does not exist"])

    def test_a_link_over_two_lines(self):
        self.assertEqual(self.problems({"a.md": "see\n[two\nlines](b.md)\n"}), ["a.md:2: 'b.md' does not exist"])

    def test_a_link_in_a_table(self):
        self.assertEqual(self.problems({"a.md": "| a | b |\n|---|---|\n| x | [b](b.md) |\n"}), ["a.md:3: 'b.md' does not exist"])

    def test_a_missing_heading(self):
        files = {"a.md": "[b](b.md#gone)", "b.md": "# B\n"}
        self.assertEqual(self.problems(files), ["a.md:1: 'b.md#gone': b.md has no heading '#gone'"])

    def test_a_missing_heading_of_the_page(self):
        self.assertEqual(self.problems({"a.md": "# A\n[b](#b)"}), ["a.md:2: '#b': a.md has no heading '#b'"])

    def test_a_heading_within_code_is_none(self):
        self.assertEqual(len(self.problems({"a.md": "[b](#b)\n```\n# b\n```\n"})), 1)

    def test_an_anchor_of_a_source(self):
        files = {"a.md": "[b](b.cpp#L3)", "b.cpp": ""}
        self.assertEqual(self.problems(files), ["a.md:1: 'b.cpp#L3': only Markdown pages have anchors"])

    def test_a_way_out_of_the_tree(self):
        self.assertEqual(self.problems({"a.md": "[b](../b.md)"}), ["a.md:1: '../b.md' leads out of the tree"])

    def test_an_absolute_path(self):
        self.assertEqual(len(self.problems({"a.md": "[b](/a.md)"})), 1)

    def test_code_has_no_links(self):
        self.assertEqual(self.problems({"a.md": "`[b](b.md)`\n```\n[b](b.md)\n```\n"}), [])

    def test_anchors_are_those_of_code_hosts(self):
        heading = "## The `GET /api/x`, and *more* (2)\n[x](#the-get-apix-and-more-2)\n"
        self.assertEqual(self.problems({"a.md": heading}), [])


if __name__ == "__main__":
    unittest.main()
