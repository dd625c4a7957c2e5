"""A site that is served, and a page on it, as a test watches it."""

import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlencode

PATIENCE = 120_000
"""Milliseconds; a test must not depend on speed."""


def folded(text):
    return " ".join(text.split())


@contextmanager
def served(folder):
    """Serve a folder to this machine alone, and yield its address."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class Watched:
    """A page on the site, with its requests, console errors and dialogs."""

    def __init__(self, context, address):
        self.page, self.address = context.new_page(), address
        self.asked, self.complaints = [], []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda m: m.type == "error" and self.complaints.append(m.text))
        self.page.on("dialog", self._dialog)

    def _dialog(self, dialog):
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def open(self, path):
        """Open a path of the site, and wait for its script."""
        self.page.goto(f"{self.address}{path}")
        self.page.wait_for_selector("body[data-loaded]", state="attached")

    def state(self, path, **state):
        """Open a state by its link, and wait for the answer."""
        target = f"{self.address}{path}#{urlencode(state)}"
        if self.page.url == target:
            return self.settle()
        self.asking(self.page.goto, target)

    def asking(self, act, *arguments):
        """Do what asks for another answer, and wait for that one: a link is followed later."""
        self.page.evaluate("delete document.body.dataset.answered")
        act(*arguments)
        self.settle()

    def settle(self):
        """Wait until every request is answered."""
        answered = "body[data-answered]:not([data-pending])"
        self.page.wait_for_selector(answered, state="attached")

    def drop(self, text, name="", onto="footer"):
        """Drop a text or, under a name, a file on an element."""
        self.page.evaluate(
            """([text, name, onto]) => {
              const data = new DataTransfer();
              if (name) data.items.add(new File([text], name));
              else data.setData("text/plain", text);
              const how = { dataTransfer: data, cancelable: true, bubbles: true };
              document.querySelector(onto).dispatchEvent(new DragEvent("drop", how));
            }""",
            [text, name, onto],
        )

    def text(self, selector):
        return self.page.inner_text(selector)

    @property
    def total(self):
        return int(self.text("#total").replace(",", ""))

    @property
    def problem(self):
        return self.text("#problem")
