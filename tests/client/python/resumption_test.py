"""Attempts after a loss, without a server."""

import unittest

from mobula import Reason, State, Status
from mobula.resumption import INTERVAL_SECONDS, WITHIN_SECONDS, Attempt, Resumption


def closed(can_rejoin=False, can_reconnect=False):
    return Status(State.CLOSED, can_rejoin, can_reconnect, 20, 1, True, 1, 1, None, 0, 0, 0, 3 if can_rejoin else 0)


class ResumptionTest(unittest.TestCase):
    def test_a_client_that_is_not_lost_is_closed_for_good(self):
        self.assertIsNone(Resumption(True, True).next(closed(), Reason.KICKED, 0))

    def test_without_tokens_only_a_rejoin_is_tried(self):
        resumption = Resumption(has_tokens=False, can_rejoin=True)
        for now in range(3):
            self.assertIs(resumption.next(closed(True, True), Reason.NO_ANSWER, now), Attempt.REJOIN)
        self.assertIsNone(resumption.next(closed(False, True), Reason.NO_ANSWER, 4))

    def test_while_there_is_no_answer_both_kinds_alternate(self):
        resumption, lost = Resumption(True, True), closed(True, True)
        made = [resumption.next(lost, Reason.TIMED_OUT, 0)]
        made += [resumption.next(lost, Reason.NO_ANSWER, now) for now in range(1, 5)]
        self.assertEqual(made, [Attempt.REJOIN, Attempt.RECONNECT] * 2 + [Attempt.REJOIN])

    def test_a_library_that_rejoins_by_itself_leaves_the_reconnect(self):
        self.assertIs(Resumption(True, False).next(closed(True, True), Reason.NO_ANSWER, 0), Attempt.RECONNECT)
        self.assertIsNone(Resumption(False, False).next(closed(True, True), Reason.NO_ANSWER, 0))

    def test_attempts_end_a_minute_after_the_loss(self):
        resumption, lost = Resumption(True, True), closed(True, True)
        self.assertIsNotNone(resumption.next(lost, Reason.TIMED_OUT, 100))
        self.assertIsNotNone(resumption.next(lost, Reason.TIMED_OUT, 100 + WITHIN_SECONDS))
        self.assertIsNone(resumption.next(lost, Reason.TIMED_OUT, 101 + WITHIN_SECONDS))
        resumption.succeeded()
        self.assertIsNotNone(resumption.next(lost, Reason.TIMED_OUT, 300))

    def test_attempts_after_the_first_wait(self):
        resumption = Resumption(True, True)
        self.assertEqual(resumption.pause(10), 0)
        self.assertFalse(resumption.is_due(10.25))
        self.assertEqual(resumption.pause(10.25), INTERVAL_SECONDS - 0.25)
        self.assertEqual(resumption.pause(20), 0)


if __name__ == "__main__":
    unittest.main()
