"""A network of a test's own, in which every port is free, no other machine can be reached, and packets may be dropped.
File systems that are mounted in it end with it."""
import os
import subprocess
import sys


def enter():
    """Starts this program again in a network of its own, unless it is in one. Returns whether that is possible."""
    if os.environ.get("OWN_NETWORK"):
        return True
    unshare = ["unshare", "--net", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
    if subprocess.run([*unshare, "ip", "link", "set", "lo", "up"], capture_output=True, check=False).returncode != 0:
        return False
    os.environ["OWN_NETWORK"] = "1"
    os.execvp(unshare[0], [*unshare, "sh", "-c", 'ip link set lo up && exec "$@"', "sh", sys.executable, "-B", *sys.argv])


def may_drop():
    """Returns whether this program is in a network of its own and can filter its packets."""
    listing = ["iptables", "-w", "-L", "-n"]
    return bool(os.environ.get("OWN_NETWORK")) and subprocess.run(listing, capture_output=True, check=False).returncode == 0


def mount_memory(folder, mebibytes):
    """Mounts a file system of its own on a folder, of a size. Returns whether that is possible."""
    if not os.environ.get("OWN_NETWORK"):
        return False
    mount = ["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "tmpfs", folder]
    return subprocess.run(mount, capture_output=True, check=False).returncode == 0


def unmount(folder):
    subprocess.run(["umount", "--lazy", folder], check=True)  # a test may have files of it open


def drop(protocol, ports, begin=True):
    """Begins or ends to drop all packets to and from ports."""
    for port in ports:
        for direction in ("--dport", "--sport"):
            subprocess.run(["iptables", "-w", "-A" if begin else "-D", "INPUT", "-p", protocol, direction, str(port), "-j", "DROP"],
                           check=True)
