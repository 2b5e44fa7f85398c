"""A tree of files in a temporary folder, for tests of checkers."""

import tempfile
from pathlib import Path


class Tree:
    """`with Tree({"a.md": "# A"}) as root`: the files exist below `root` until the block ends."""

    def __init__(self, files):
        self.files = files
        self.folder = tempfile.TemporaryDirectory()

    def __enter__(self):
        root = Path(self.folder.name).resolve()
        for name, text in self.files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return root

    def __exit__(self, *error):
        self.folder.cleanup()
