"""The manual's pictures, by name."""

import course_picture
import house_picture
import interest_picture
import session_picture
import tick_picture


def make(root):
    """Returns {file name: SVG}."""
    table = (root / "tests/layering.sh").read_text(encoding="utf-8")
    return {
        "courses.svg": course_picture.make(),
        "house.svg": house_picture.make(table),
        "web-house.svg": house_picture.make(table, {"web"}),
        "page-house.svg": house_picture.make(table, {"play", "inspector"}),
        "interest.svg": interest_picture.make(),
        "session.svg": session_picture.make(),
        "tick.svg": tick_picture.make(),
    }
