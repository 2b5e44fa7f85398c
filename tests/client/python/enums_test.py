"""The enums against the constants of the header."""

import unittest

from header import Header
from mobula import enums

# Enum and the beginning of its constants, the most particular first.
GROUPS = (("MOBULA_REASON_", enums.Reason), ("MOBULA_ERROR_", enums.Code), ("MOBULA_FIELD_", enums.FieldFlags),
          ("MOBULA_LOG_", enums.LogLevel), ("MOBULA_EFFECT_", enums.EffectKind), ("MOBULA_SPAWN_", enums.SpawnKind))
ALONE = (enums.PredictionFlags, enums.PredictedState, enums.ClientFlags, enums.State, enums.ChangeKind, enums.Presence, enums.FieldKind, enums.Code)


def python_value(constant):
    """Returns the value that this package has for a constant of the header."""
    for prefix, numbers in GROUPS:
        if constant.startswith(prefix):
            return numbers.__members__.get(constant[len(prefix):])
    name = constant.removeprefix("MOBULA_")
    if hasattr(enums, name):
        return getattr(enums, name)
    return next((numbers[name] for numbers in ALONE if name in numbers.__members__), None)


class Enums(unittest.TestCase):
    def test_every_constant_of_the_header_has_its_value(self):
        constants = Header().constants
        self.assertGreater(len(constants), 60)
        for name, value in constants.items():
            self.assertEqual(python_value(name), value, name)

    def test_no_enum_has_a_member_that_the_header_lacks(self):
        members = sum(len(each) for each in (*dict(GROUPS).values(), *ALONE[:-1]))
        self.assertEqual(members, sum(not hasattr(enums, name.removeprefix("MOBULA_")) for name in Header().constants))

    def test_an_unknown_number_stays_a_number(self):
        self.assertIs(enums.name_of(enums.Reason, 6), enums.Reason.KICKED)
        self.assertEqual(enums.name_of(enums.Reason, 99), 99)


if __name__ == "__main__":
    unittest.main()
