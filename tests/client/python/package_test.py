"""The wheel: what it contains, and that it works without the tree."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

PACKAGE = pathlib.Path(__file__).resolve().parents[3] / "client/python"
BUILD = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"


class Package(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def build(self, beside=()):
        """Builds the wheel of a copy, so that nothing is left in the tree. Returns its path."""
        copy = self.folder / "copy"
        shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        for name in beside:
            (copy / "mobula" / name).write_bytes(b"a library")
        done = subprocess.run([sys.executable, "-B", "-c", BUILD, str(self.folder)], cwd=copy, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / done.stdout.split()[-1]

    def test_a_wheel_has_all_modules_and_the_marker_of_types(self):
        with zipfile.ZipFile(self.build()) as wheel:
            names = set(wheel.namelist())
        modules = {f"mobula/{path.name}" for path in (PACKAGE / "mobula").glob("*.py")}
        self.assertEqual({name for name in names if name.startswith("mobula/")}, modules | {"mobula/py.typed"})

    def test_a_wheel_takes_a_library_that_lies_beside_the_package(self):
        with zipfile.ZipFile(self.build(["libmobula-client.so.0", "mobula-client.dll"])) as wheel:
            self.assertLessEqual({"mobula/libmobula-client.so.0", "mobula/mobula-client.dll"}, set(wheel.namelist()))

    def test_a_wheel_is_imported_without_the_tree(self):
        target = self.folder / "installed"
        with zipfile.ZipFile(self.build()) as wheel:
            wheel.extractall(target)
        script = "import mobula, mobula.aio; print(mobula.__version__, mobula.__file__)"
        done = subprocess.run([sys.executable, "-B", "-c", script], cwd=target, env={"PYTHONPATH": str(target)},
                              capture_output=True, text=True, check=True)
        version, path = done.stdout.split()
        self.assertTrue(pathlib.Path(path).is_relative_to(target.resolve()))
        self.assertIn(f'version = "{version}"', (PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
