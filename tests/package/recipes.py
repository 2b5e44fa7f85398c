#!/usr/bin/env python3
"""Checks what no test of ours can install: recipes.py ROOT

Recipes and manifests of packages have the project's version, and the vcpkg manifest has the form of vcpkg format-manifest.
"""
import json
import re
import sys
from pathlib import Path

FEATURE_MEMBERS = {"description", "supports", "dependencies"}
VERSIONS = {
    "client/python/pyproject.toml": r'^version = "(.*)"$',
    "client/csharp/Mobula.Client.nuspec": r"<version>(.*)</version>",
    "client/csharp/Mobula.Client.csproj": r"<Version>(.*)</Version>",
    "cmake/package/vcpkg/vcpkg.json": r'"version-semver": "(.*)"',
}


def wrong_versions(root, version):
    for path, pattern in VERSIONS.items():
        found = re.search(pattern, (root / path).read_text(encoding="utf-8"), re.MULTILINE)
        if not found or found[1] != version:
            yield f"{path}: the version is {found and found[1]}, that of the project {version}"


def sort_key(dependency):
    return (dependency, False) if isinstance(dependency, str) else (dependency["name"], dependency.get("host", False))


def wrong_manifest(manifest):
    """Rules of vcpkg's reference of vcpkg.json."""
    lists = {"the port": manifest["dependencies"]}
    for name, feature in manifest["features"].items():
        lists[name] = feature["dependencies"]
        if not re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", name) or set(feature) - FEATURE_MEMBERS:
            yield f"vcpkg.json: the feature '{name}' has a wrong name or unknown members"
    for owner, dependencies in lists.items():
        keys = [sort_key(each) for each in dependencies]
        if keys != sorted(set(keys)):
            yield f"vcpkg.json: the dependencies of {owner} are not sorted, or one is there twice"


def main():
    root = Path(sys.argv[1])
    version = re.search(r"project\(mobula VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    manifest = json.loads((root / "cmake/package/vcpkg/vcpkg.json").read_text(encoding="utf-8"))
    compile((root / "cmake/package/conan/conanfile.py").read_text(encoding="utf-8"), "conanfile.py", "exec")
    problems = [*wrong_versions(root, version), *wrong_manifest(manifest)]
    print("\n".join(problems))
    return bool(problems)


sys.exit(main())
