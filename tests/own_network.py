"""A network of a test's own, in which every port is free, no other machine can be reached, and packets may be dropped."""
import os
import subprocess
import sys


def enter():
    """Starts this program again in a network of its own, unless it is in one. Returns whether that is possible."""
    if os.environ.get("OWN_NETWORK"):
        return True
    unshare = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--net", "--map-root-user"]
    if subprocess.run([*unshare, "ip", "link", "set", "lo", "up"], capture_output=True, check=False).returncode != 0:
        return False
    os.environ["OWN_NETWORK"] = "1"
    os.execvp(unshare[0], [*unshare, "sh", "-c", 'ip link set lo up && exec "$@"', "sh", sys.executable, "-B", *sys.argv])


def may_drop():
    """Returns whether this program is in a network of its own and can filter its packets."""
    listing = ["iptables", "-w", "-L", "-n"]
    return bool(os.environ.get("OWN_NETWORK")) and subprocess.run(listing, capture_output=True, check=False).returncode == 0


def drop(protocol, ports, begin=True):
    """Begins or ends to drop all packets to and from ports."""
    for port in ports:
        for direction in ("--dport", "--sport"):
            subprocess.run(["iptables", "-w", "-A" if begin else "-D", "INPUT", "-p", protocol, direction, str(port), "-j", "DROP"],
                           check=True)
