"""The end of a client while another thread is in a call for it."""

import contextlib
import unittest
import weakref
from unittest import mock

import mobula
from mobula import Code, _session, aio


class Library:
    """Destroys a client with the given results, one per call."""

    def __init__(self, results):
        self.results, self.calls = results, []

    def mobula_client_leave(self, handle):
        self.calls.append("leave")
        return self.results.pop(0)

    def mobula_client_destroy(self, handle):
        self.calls.append("destroy")
        return self.results.pop(0)

    def mobula_client_next_datagram(self, *arguments):
        return Code.NOTHING

    def mobula_error_text(self, text, capacity, length):
        return Code.NOTHING

    def mobula_strerror(self, code):
        return b"another thread"


class Closing(unittest.TestCase):
    @contextlib.contextmanager
    def client(self, kind, results):
        """A client of a library that is not one."""
        library = Library(results)
        client = kind.__new__(kind)
        client._library, client._functions, client._handle = library, {}, (1, 1)
        client._transport = client._pipe = None
        client._destroy = weakref.finalize(client, library.mobula_client_destroy, client._handle)
        with mock.patch.object(_session.logs, "drain"):
            yield client, library
        client._destroy.detach()

    def test_a_busy_client_remains_open_and_can_be_closed_later(self):
        with self.client(mobula.Client, [Code.BUSY, Code.OK]) as (client, library):
            with self.assertRaises(mobula.Error) as raised:
                client.close()
            self.assertEqual(raised.exception.code, Code.BUSY)
            self.assertFalse(client.closed)
            client.close()
            self.assertTrue(client.closed)
            client.close()
            self.assertEqual(library.calls, ["destroy", "destroy"])

    def test_a_client_that_another_thread_has_closed_is_closed(self):
        with self.client(mobula.Client, [Code.INVALID_CLIENT]) as (client, _):
            client.close()
            self.assertTrue(client.closed)

    def test_a_busy_client_of_asyncio_keeps_its_socket(self):
        with self.client(aio.AsyncClient, [Code.BUSY, Code.OK, Code.BUSY, Code.OK, Code.OK]) as (client, library):
            transport = client._transport = mock.Mock()
            transport.is_closing.return_value = False
            for _ in range(2):
                with self.assertRaises(mobula.Error) as raised:
                    client.close()
                self.assertEqual(raised.exception.code, Code.BUSY)
                self.assertFalse(client.closed)
                transport.close.assert_not_called()
            client.close()
            self.assertTrue(client.closed)
            transport.close.assert_called_once()

    def test_a_client_that_cannot_leave_is_destroyed(self):
        with self.client(aio.AsyncClient, [Code.CLOSED, Code.OK]) as (client, library):
            with mock.patch.object(aio.AsyncClient, "reason", (mobula.Reason.KICKED, "for the test")):
                client.close()
            self.assertTrue(client.closed)
            self.assertEqual(library.calls, ["leave", "destroy"])
