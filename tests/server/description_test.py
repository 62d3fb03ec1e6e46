"""The routes, their OpenAPI description and docs/rest-api.md agree."""

import pathlib
import re
import tempfile
import unittest

from running_board import RunningBoard

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs/rest-api.md"


class DescriptionTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="cboard description ")
        cls.addClassCleanup(directory.cleanup)
        cls.board = cls.enterClassContext(RunningBoard("--logdir", directory.name))
        cls.paths = cls.board.json("/api/v1/openapi.json")[1]["paths"]

    def described(self):
        return {(method.upper(), path) for path, methods in self.paths.items() for method in methods}

    def test_the_page_for_people_has_every_route_and_no_other(self):
        written = set(re.findall(r"`(GET|POST) (/[a-z0-9_./]*[a-z0-9])", DOCS.read_text()))
        written.discard(("GET", "/api/v1/openapi.json"))
        self.assertEqual(self.described() - {("GET", "/openapi.json")}, written)

    def test_required_parameters_are_named_when_they_are_missing(self):
        for path, methods in self.paths.items():
            required = [p["name"] for p in methods.get("get", {}).get("parameters", []) if p["required"]]
            if required:
                status, body = self.board.json("/api/v1" + path)
                self.assertEqual(status, 400, path)
                self.assertIn(required[0], body["error"]["message"], path)

    def test_every_parameter_is_known_and_no_other(self):
        for path, methods in self.paths.items():
            if "get" not in methods or path == "/events":
                continue
            names = [p["name"] for p in methods["get"].get("parameters", [])]
            status, body = self.board.json(f"/api/v1{path}?" + "&".join(f"{name}=1" for name in names))
            self.assertNotIn("unknown parameter", str(body), path)
            status, body = self.board.json(f"/api/v1{path}?surely_unknown=1")
            self.assertEqual(status, 400, path)
            self.assertIn("surely_unknown", body["error"]["message"], path)

    def test_other_methods_are_refused_with_those_there_are(self):
        for path, methods in self.paths.items():
            if path == "/events":
                continue
            status, headers, _ = self.board.get("/api/v1" + path, method="PUT")
            self.assertEqual(status, 405, path)
            self.assertEqual(set(headers["Allow"].lower().split(", ")), set(methods), path)


if __name__ == "__main__":
    unittest.main()
