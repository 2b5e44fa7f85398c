#!/usr/bin/env python3
"""The page of a cluster in a headless Chromium: page_test.py BIN OUT_DIR

A world of four zones with bots. A node is killed, and another one drained by the page. Screenshots are left in OUT_DIR.
Status 77 without Chromium or etcd.
"""
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "inspector"))
import browser  # noqa: E402
from land import LEVEL, MAP, NODES  # noqa: E402
from real_cluster import ETCD, Cluster, folder_of_logs  # noqa: E402
from show import Show  # noqa: E402

NOTE = "document.querySelector('.view-head .note').innerText"


class Page:
    def __init__(self, url, window, out):
        self.url, self.window, self.out = url, window, out

    def look_at(self, view, form="desktop", theme="light"):
        self.window.take_form(form, theme)
        self.window.open(f"{self.url}/#/{view}")
        self.window.wait("document.body.dataset.feed === 'open' && document.querySelector('h1')")

    def keep(self, name):
        assert not self.window.run("document.documentElement.scrollWidth > innerWidth"), f"{name} is too wide"
        self.window.screenshot(self.out / f"cluster-{name}.png")

    def shows_the_map(self):
        for form, theme in (("phone", "dark"), ("desktop", "light")):
            self.look_at("", form, theme)
            self.window.wait(f"/4 of 4 zones open, [1-9]/.test({NOTE})")
            self.window.wait("[...document.querySelectorAll('.zone-card')].filter((each) => /load \\d+%/.test(each.innerText)).length === 4")
            self.window.wait("document.querySelector('canvas[role=application]').ariaLabel.includes('in 4 zones')")
            time.sleep(1)  # the camera moves
            self.keep(f"map-{form}-{theme}")

    def shows_a_kill(self, show):
        show.kill()
        self.window.wait("/is open on n0.2|goes to|has left/.test(document.querySelector('.happenings').innerText)")
        self.window.wait(f"/4 of 4 zones open/.test({NOTE})")
        self.keep("map-after-a-kill")

    def shows_an_entity_and_its_zone(self):
        self.look_at("map/ne")
        self.window.wait("document.querySelector('.zone-card.chosen .name')?.innerText === 'ne'")

    def drains_a_node(self):
        self.look_at("map")
        button = "[...document.querySelectorAll('.zone-card button')].find((each) => each.innerText === 'Drain n3.1')"
        self.window.wait(button)
        self.window.run(f"{button}.click()")
        self.window.wait("document.querySelector('dialog[open]')")
        self.window.run("document.querySelector('dialog .danger').click()")
        self.window.wait("/drains|goes to|is open on/.test(document.querySelector('.happenings').innerText)")
        self.look_at("nodes")
        self.window.wait("/n3.1[^]*drains/.test(document.querySelector('tbody').innerText)")
        self.keep("nodes")

    def lists_the_worlds(self):
        self.look_at("worlds")
        self.window.wait("document.querySelectorAll('tbody tr').length === 4")
        self.window.press("/", "land.sw")
        self.window.wait("document.querySelectorAll('tbody tr').length === 1")
        self.keep("worlds")


def main(programs, out):
    out.mkdir(parents=True, exist_ok=True)
    with folder_of_logs("mobula-page-", 0) as (folder, clusters):
        cluster = Cluster(programs, folder, NODES, LEVEL)
        clusters.append(cluster)
        cluster.create_zones("land", MAP)
        show = Show(cluster, 1000)
        show.let_bots_in()
        window = browser.Browser()
        try:
            page = Page(cluster.url, window, out)
            page.shows_the_map()
            page.shows_a_kill(show)
            page.shows_an_entity_and_its_zone()
            page.drains_a_node()
            page.lists_the_worlds()
            # A drain may be answered late on a slow machine; its effect was waited for.
            complaints = [each for each in window.complaints() if "504 (Gateway Timeout)" not in each]
            assert not complaints, complaints
        finally:
            window.close()


if __name__ == "__main__":
    if not os.path.exists(ETCD) or not browser.is_there():
        sys.exit(77)
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]))
