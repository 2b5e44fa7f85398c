"""Tokens of files, functions and of an admin address that answers anything."""

import http.server
import json
import pathlib
import tempfile
import threading
import unittest

import mobula
from mobula import Code
from mobula.tokens import source_of

NOTHING = {"token": None, "token_file": None, "admin": None, "user_data": None, "admin_token": None}


class AdminAddress(http.server.ThreadingHTTPServer):
    """Answers each request with `answer`, and keeps the last one."""

    answer = (200, b"{}")
    request = None

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def stop(self):
        self.shutdown()
        self.thread.join()
        self.server_close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Answer(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.request = (self.path, body, self.headers.get("Authorization"))
        self.send_response(self.server.answer[0])
        self.end_headers()
        self.wfile.write(self.server.answer[1])

    def log_message(self, *_):
        pass


class Tokens(unittest.TestCase):
    def setUp(self):
        self.admin = AdminAddress()
        self.addCleanup(self.admin.stop)

    def test_a_token_is_requested_with_user_data_and_bearer_token(self):
        self.admin.answer = (200, b'{"tokens": ["abc", "def"]}')
        token = mobula.request_token(self.admin.url + "/", user_data="anna", admin_token="secret")
        self.assertEqual(token, "abc")
        self.assertEqual(self.admin.request, ("/api/tokens", {"count": 1, "user_data": "anna"}, "Bearer secret"))

    def test_a_refusal_is_an_error_with_status_and_text(self):
        self.admin.answer = (401, b'{"error": "unauthorized"}')
        with self.assertRaisesRegex(mobula.Error, "api/tokens answers 401: .*unauthorized") as raised:
            mobula.request_token(self.admin.url)
        self.assertEqual(raised.exception.code, Code.BAD_TOKEN)
        self.assertNotIn("Authorization", str(self.admin.request[2]))

    def test_an_answer_without_tokens_is_an_error(self):
        for answer in (b"", b"<html>", b"[]", b'{"tokens": []}', b'{"tokens": 7}', b"null", b"\xff"):
            with self.subTest(answer):
                self.admin.answer = (200, answer)
                with self.assertRaisesRegex(mobula.Error, "issues no token"):
                    mobula.request_token(self.admin.url)

    def test_an_address_without_a_server_is_an_error(self):
        with self.assertRaisesRegex(mobula.Error, "issues no token: .*refused"):
            mobula.request_token("http://127.0.0.1:9")

    def test_an_address_that_is_no_url_is_an_error(self):
        for address in ("127.0.0.1:7780", "file:///etc/passwd", ""):
            with self.assertRaises(mobula.Error) as raised:
                mobula.request_token(address)
            self.assertEqual(raised.exception.code, Code.BAD_ADDRESS)

    def test_one_source_is_given(self):
        for wrong in ({}, {"token": b"x", "token_file": "x"}, {"token": b"x", "admin": "x", "token_file": "x"}):
            with self.assertRaisesRegex(TypeError, "one of token, token_file and admin"):
                source_of(**NOTHING | wrong)

    def test_options_of_an_admin_address_need_one(self):
        for wrong in ({"user_data": "anna"}, {"admin_token": "secret"}):
            with self.assertRaisesRegex(TypeError, "for tokens of an admin address"):
                source_of(**NOTHING | {"token": b"x"} | wrong)

    def test_files_and_single_tokens_have_no_second_one(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "token"
            path.write_bytes(b"\0\1\2")
            source, repeatable = source_of(**NOTHING | {"token_file": path})
            self.assertEqual((source(), repeatable), (b"\0\1\2", False))
        source, repeatable = source_of(**NOTHING | {"token": "abc"})
        self.assertEqual((source(), repeatable), ("abc", False))

    def test_a_function_is_asked_again(self):
        tokens = iter(("first", "second"))
        source, repeatable = source_of(**NOTHING | {"token": lambda: next(tokens)})
        self.assertEqual((source(), source(), repeatable), ("first", "second", True))


if __name__ == "__main__":
    unittest.main()
