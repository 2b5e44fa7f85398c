#!/usr/bin/env python3
"""Checks the dashboard of docker/cluster.yaml: its metrics are those that servers and mobula-cluster have.

  check_dashboard.py ROOT
"""
import json
import re
import sys
from pathlib import Path

SUFFIXES = r"(_bucket|_sum|_count)$"  # added by histograms


def main(root):
    sources = ["server/mobula/server/api/metrics.cpp", "server/cluster/metrics.cpp"]
    known = {name for source in sources for name in re.findall(r'"(mobula_\w+)"', (root / source).read_text())}
    dashboard = json.loads((root / "docker/cluster/grafana/dashboards/cluster.json").read_text())
    used = {name for panel in dashboard["panels"] for target in panel["targets"] for name in re.findall(r"mobula_\w+", target["expr"])}
    strangers = sorted(name for name in used if name not in known and re.sub(SUFFIXES, "", name) not in known)
    assert used and not strangers, f"no server has the metrics {strangers}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
