"""Where the C library is looked for."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import mobula
from mobula import _library

PACKAGE = pathlib.Path(mobula.__file__).parent


class Library(unittest.TestCase):
    def test_a_given_path_excludes_all_others(self):
        with mock.patch.dict(os.environ, {"MOBULA_CLIENT_LIBRARY": "/some/where.so"}):
            self.assertEqual(_library.candidates(), ["/some/where.so"])

    def test_a_file_beside_the_package_precedes_the_system_s(self):
        with mock.patch.dict(os.environ), tempfile.TemporaryDirectory() as folder:
            os.environ.pop("MOBULA_CLIENT_LIBRARY", None)
            with mock.patch.object(_library, "__file__", str(pathlib.Path(folder) / "_library.py")):
                self.assertEqual(_library.candidates(), [_library.NAME])
                beside = pathlib.Path(folder) / _library.NAME
                beside.touch()
                self.assertEqual(_library.candidates(), [str(beside), _library.NAME])

    def test_a_missing_library_is_an_import_error_at_the_first_use(self):
        script = "import mobula\ntry:\n mobula.connect(token=b'x')\nexcept ImportError as error:\n print(error)"
        self.assertIn("/no/where.so: cannot open shared object file", self.run_python(script, "/no/where.so"))
        self.assertIn("MOBULA_CLIENT_LIBRARY", self.run_python(script, "/no/where.so"))

    def test_another_library_is_refused(self):
        script = "from mobula import _library\ntry:\n _library.load()\nexcept ImportError as error:\n print(error)"
        self.assertIn("libm.so.6 is not a library of this package's version", self.run_python(script, "libm.so.6"))

    def test_numpy_is_not_imported_before_columns_are_read(self):
        self.assertEqual(self.run_python("import sys, mobula, mobula.aio; print('numpy' in sys.modules)", ""), "False\n")

    @staticmethod
    def run_python(script, library):
        environment = os.environ | {"MOBULA_CLIENT_LIBRARY": library, "PYTHONPATH": str(PACKAGE.parent)}
        done = subprocess.run([sys.executable, "-B", "-c", script], env=environment, capture_output=True, text=True,
                              timeout=60, check=True)
        return done.stdout


if __name__ == "__main__":
    unittest.main()
