#!/usr/bin/env python3
"""Missing descriptions of the HTTP API: check_api.py ROOT

Each parameter and each property of a schema in openapi.json has a description. Prints each that has none, and ends with
1 if there was one.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "tools"))
import docs  # noqa: E402
import http_api_page  # noqa: E402

NESTED = ("items", "additionalProperties")
ALTERNATIVES = ("oneOf", "anyOf", "allOf")


def properties(schema, path):
    """Yields (path, property) of each property, those of objects within it too."""
    for name, value in schema.get("properties", {}).items():
        yield f"{path}.{name}", value
        yield from properties(value, f"{path}.{name}")
    for part in [schema.get(each) for each in NESTED] + [each for name in ALTERNATIVES for each in schema.get(name, [])]:
        if isinstance(part, dict):
            yield from properties(part, path)


def parameters(document):
    """Yields (place, parameter) of each parameter that is not a reference."""
    for name, parameter in document["components"].get("parameters", {}).items():
        yield f"parameter {name}", parameter
    for method, path, operation in http_api_page.operations(document):
        for parameter in operation.get("parameters", []):
            if "$ref" not in parameter:
                yield f"{method} {path}: parameter {parameter['name']}", parameter


def bodies(document):
    """Yields (place, schema) of the bodies of requests and answers."""
    for method, path, operation in http_api_page.operations(document):
        for answer in (operation.get("requestBody", {}), *operation["responses"].values()):
            for body in answer.get("content", {}).values():
                yield f"{method} {path}", body.get("schema", {})


def check(document):
    """Returns a line for each parameter and property without a description."""
    described = list(parameters(document))
    for place, schema in [*document["components"]["schemas"].items(), *bodies(document)]:
        described += properties(schema, place)
    return [f"{place} has no description" for place, value in described if not value.get("description", "").strip()]


def main(arguments):
    if len(arguments) != 2:
        print("usage: check_api.py ROOT", file=sys.stderr)
        return 2
    problems = check(json.loads((Path(arguments[1]) / docs.OPENAPI).read_text(encoding="utf-8")))
    for problem in problems:
        print(f"{docs.OPENAPI}: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
