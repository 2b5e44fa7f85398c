"""check_api.py names each parameter and property without a description, and lets the described ones pass."""

import unittest

import check_api

GOOD = {"type": "string", "description": "A name"}
BARE = {"type": "string"}


class Descriptions(unittest.TestCase):
    def problems(self, schema, parameters=(), shared=None, body=None):
        operation = {"summary": "x", "parameters": list(parameters),
                     "responses": {"200": {"content": {"application/json": {"schema": body or {"$ref": "#/x/Thing"}}}}}}
        components = {"schemas": {"Thing": schema}, "parameters": shared or {}}
        return check_api.check({"paths": {"/a": {"get": operation}}, "components": components})

    def test_described_properties_pass(self):
        reference = {"$ref": "#/x/Thing", "description": "The next one"}
        self.assertEqual(self.problems({"properties": {"name": GOOD, "next": reference}},
                                       [{"name": "limit", "description": "Most"}, {"$ref": "#/x/cursor"}]), [])

    def test_a_property(self):
        self.assertEqual(self.problems({"properties": {"name": GOOD, "kind": BARE}}), ["Thing.kind has no description"])

    def test_a_property_that_is_a_reference(self):
        self.assertEqual(self.problems({"properties": {"next": {"$ref": "#/x/Thing"}}}), ["Thing.next has no description"])

    def test_a_blank_description(self):
        self.assertEqual(self.problems({"properties": {"name": {**BARE, "description": " "}}}),
                         ["Thing.name has no description"])

    def test_a_property_of_an_inner_object(self):
        inner = {"description": "An object", "properties": {"kind": BARE}}
        self.assertEqual(self.problems({"properties": {"inner": inner}}), ["Thing.inner.kind has no description"])

    def test_a_property_of_the_items_of_an_array(self):
        array = {"description": "Objects", "items": {"properties": {"kind": BARE}}}
        self.assertEqual(self.problems({"properties": {"all": array}}), ["Thing.all.kind has no description"])

    def test_a_property_of_a_map_and_of_an_alternative(self):
        self.assertEqual(self.problems({"additionalProperties": {"properties": {"a": BARE}}}), ["Thing.a has no description"])
        self.assertEqual(self.problems({"oneOf": [{"properties": {"b": BARE}}, {"type": "null"}]}),
                         ["Thing.b has no description"])

    def test_a_closed_object_has_no_inner_schema(self):
        self.assertEqual(self.problems({"properties": {"name": GOOD}, "additionalProperties": False}), [])

    def test_a_property_of_a_body(self):
        self.assertEqual(self.problems({}, body={"properties": {"kind": BARE}}), ["GET /a.kind has no description"])

    def test_a_parameter(self):
        self.assertEqual(self.problems({}, [{"name": "limit"}], {"cursor": {"name": "cursor"}}),
                         ["parameter cursor has no description", "GET /a: parameter limit has no description"])


if __name__ == "__main__":
    unittest.main()
