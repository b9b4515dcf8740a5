"""What does a person see on this page? A headless Chromium, driven over the DevTools protocol.

    from tests.helpers.chromium import needs_chromium, open_page

    @needs_chromium
    def test_title(tmp_path):
        with open_page() as page:
            page.goto(tmp_path / "report.html")
            assert page.evaluate("document.title") == "..."
            assert page.problems() == []

A `Page` is synchronous; it owns its browser process, its profile folder and its event loop. A
server that the page talks to must run in another thread or process. Only loopback is reached.
"""

import asyncio
import base64
import contextlib
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import pytest

__all__ = ["Message", "Page", "find_chromium", "needs_chromium", "open_page"]

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
START_SECONDS = 60
CALL_SECONDS = 60
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-sync",
    "--hide-scrollbars",
    "--mute-audio",
    "--remote-debugging-port=0",
)

# Keys that are not characters: DevTools wants the code and the Windows key number.
SPECIAL = {
    "Enter": ("Enter", 13, "\r"),
    "Tab": ("Tab", 9, ""),
    "Escape": ("Escape", 27, ""),
    "Backspace": ("Backspace", 8, ""),
    "Delete": ("Delete", 46, ""),
    "ArrowLeft": ("ArrowLeft", 37, ""),
    "ArrowUp": ("ArrowUp", 38, ""),
    "ArrowRight": ("ArrowRight", 39, ""),
    "ArrowDown": ("ArrowDown", 40, ""),
    "Home": ("Home", 36, ""),
    "End": ("End", 35, ""),
    " ": ("Space", 32, " "),
}
MODIFIERS = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}


def find_chromium() -> str | None:
    """The path of a Chromium or Chrome on this machine, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


needs_chromium = pytest.mark.skipif(
    find_chromium() is None, reason="chromium is not installed (Debian: apt-get install chromium)"
)


@dataclass(frozen=True)
class Message:
    """One line of the browser's console, an uncaught error, or a request that failed.

    Attributes:
        level: "log", "info", "warning", "error" and the like, as the browser names it.
        text: What it says.
        url: Where it comes from, or "".
    """

    level: str
    text: str
    url: str = ""


@dataclass
class Page:
    """One tab. Made by `open_page`.

    Attributes:
        messages: Console lines, uncaught errors and failed requests since the last `goto`.
        requests: Every address asked for since the last `goto`, `data:` ones included.
    """

    _loop: asyncio.AbstractEventLoop
    _socket: aiohttp.ClientWebSocketResponse
    messages: list[Message] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    _last_id: int = 0
    _events: list[str] = field(default_factory=list)

    def goto(self, address: str | Path) -> None:
        """Open an address or a file, and wait until it has loaded.

        Raises:
            RuntimeError: The browser could not open it.
        """
        url = address.resolve().as_uri() if isinstance(address, Path) else address
        self.messages.clear()
        self.requests.clear()
        self._events.clear()
        result = self.call("Page.navigate", url=url)
        if result.get("errorText"):
            raise RuntimeError(f"{url}: {result['errorText']}")
        self._until(lambda: "Page.loadEventFired" in self._events, "the page did not load")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One DevTools command and its result; events that arrive meanwhile are kept.

        Raises:
            RuntimeError: The browser refused the command.
        """
        return self._loop.run_until_complete(
            asyncio.wait_for(self._call(method, parameters), CALL_SECONDS)
        )

    def evaluate(self, script: str) -> Any:
        """The value of a JavaScript expression in the page (a promise is awaited).

        Raises:
            RuntimeError: The expression threw.
        """
        result = self.call(
            "Runtime.evaluate",
            expression=script,
            returnByValue=True,
            awaitPromise=True,
            userGesture=True,
        )
        if "exceptionDetails" in result:
            raise RuntimeError(_exception_text(result["exceptionDetails"]))
        return result["result"].get("value")

    def wait_for(self, script: str, seconds: float = 10) -> Any:
        """The value of an expression as soon as it is true.

        Raises:
            TimeoutError: It did not become true.
        """
        end = time.monotonic() + seconds
        while not (value := self.evaluate(script)):
            if time.monotonic() > end:
                raise TimeoutError(f"not true within {seconds} s: {script}")
            time.sleep(0.05)
        return value

    def dom(self) -> str:
        """The page as it stands, serialised to HTML."""
        return str(self.evaluate("document.documentElement.outerHTML"))

    def press(self, key: str, *modifiers: str) -> None:
        """Press and release a key: a character, or a name such as "ArrowRight" or "Enter".

        `modifiers` are "Alt", "Control", "Meta" and "Shift".
        """
        held = sum(MODIFIERS[name] for name in modifiers)
        # The key number of a character is its code only for letters and digits: 46 is Delete.
        own = ord(key.upper()[0]) if key[:1].isalnum() and key.isascii() else 0
        code, number, text = SPECIAL.get(key, (_code(key), own, key))
        common = {
            "key": key,
            "code": code,
            "windowsVirtualKeyCode": number,
            "modifiers": held,
        }
        # With Control, Alt or Meta a key is a shortcut and types nothing.
        typed = text if held & ~MODIFIERS["Shift"] == 0 else ""
        kind = "keyDown" if typed else "rawKeyDown"
        self.call("Input.dispatchKeyEvent", type=kind, text=typed, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text: str) -> None:
        """Type a text into whatever has the focus, one key after another."""
        for character in text:
            self.press("Enter" if character == "\n" else character)

    def click(self, selector: str) -> None:
        """Click the middle of the first element that a CSS selector finds, with the mouse.

        Raises:
            RuntimeError: Nothing is found, or it has no size.
        """
        box = self.evaluate(
            "(() => { const e = document.querySelector(" + _quoted(selector) + ");"
            "if (!e) return null; e.scrollIntoView({block: 'center'});"
            "const b = e.getBoundingClientRect();"
            "return [b.left + b.width / 2, b.top + b.height / 2, b.width * b.height]; })()"
        )
        if not box or not box[2]:
            raise RuntimeError(f"nothing to click at {selector}")
        where = {"x": box[0], "y": box[1], "button": "left", "clickCount": 1}
        self.call("Input.dispatchMouseEvent", type="mousePressed", **where)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", **where)

    def resize(
        self, width: int, height: int = 900, *, scale: float = 1, mobile: bool = False
    ) -> None:
        """Give the page a viewport in CSS pixels; `scale` is the device's pixel ratio."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=mobile,
        )

    def scripts(self, *, allowed: bool) -> None:
        """Allow or forbid the page's own scripts from the next `goto` on."""
        self.call("Emulation.setScriptExecutionDisabled", value=not allowed)

    def media(self, kind: str = "", **features: str) -> None:
        """Show the page as for "print", or with features such as `prefers_color_scheme="dark"`."""
        wanted = [{"name": k.replace("_", "-"), "value": v} for k, v in features.items()]
        self.call("Emulation.setEmulatedMedia", media=kind, features=wanted)

    def screenshot(self, path: Path, *, whole: bool = True) -> Path:
        """Write a PNG of the whole page, or of the viewport alone."""
        result = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(result["data"]))
        return path

    def pdf(self, path: Path) -> Path:
        """Write the page as it prints."""
        result = self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)
        path.write_bytes(base64.b64decode(result["data"]))
        return path

    def problems(self) -> list[Message]:
        """Messages of level warning or error, uncaught errors and failed requests included."""
        self.call("Runtime.evaluate", expression="0")
        return [m for m in self.messages if m.level in ("warning", "error", "assert")]

    def _until(self, done: Any, complaint: str) -> None:
        end = time.monotonic() + CALL_SECONDS
        while not done():
            if time.monotonic() > end:
                raise TimeoutError(complaint)
            self.call("Runtime.evaluate", expression="0")
            time.sleep(0.02)

    async def _call(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        self._last_id += 1
        wanted = self._last_id
        await self._socket.send_json({"id": wanted, "method": method, "params": parameters})
        while True:
            message = await self._socket.receive_json()
            if "method" in message:
                self._keep(message["method"], message.get("params", {}))
            elif message.get("id") == wanted:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return dict(message["result"])

    def _keep(self, event: str, told: dict[str, Any]) -> None:
        self._events.append(event)
        if event == "Runtime.consoleAPICalled":
            parts = [str(a.get("value", a.get("description", ""))) for a in told["args"]]
            self.messages.append(Message(told["type"], " ".join(parts)))
        elif event == "Runtime.exceptionThrown":
            self.messages.append(Message("error", _exception_text(told["exceptionDetails"])))
        elif event == "Log.entryAdded":
            entry = told["entry"]
            self.messages.append(Message(entry["level"], entry["text"], entry.get("url", "")))
        elif event == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])


def _code(key: str) -> str:
    if key.isdigit():
        return f"Digit{key}"
    return f"Key{key.upper()}" if key.isascii() and key.isalpha() else ""


def _exception_text(details: dict[str, Any]) -> str:
    return str(details.get("exception", {}).get("description") or details.get("text", "error"))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@contextlib.contextmanager
def open_page(width: int = 1280, height: int = 900) -> Iterator[Page]:
    """A blank tab in a fresh headless browser, closed at the end.

    Raises:
        RuntimeError: No Chromium, or it did not start.
    """
    program = find_chromium()
    if program is None:
        raise RuntimeError("chromium is not installed")
    profile = tempfile.mkdtemp(prefix="judgeprobe-chromium-")
    process = subprocess.Popen(
        [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    loop = asyncio.new_event_loop()
    session: aiohttp.ClientSession | None = None
    try:
        port = _port(process, Path(profile))
        session, page = loop.run_until_complete(_connect(loop, port))
        page.resize(width, height)
        yield page
    finally:
        if session is not None:
            loop.run_until_complete(session.close())
        loop.close()
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)
        shutil.rmtree(profile, ignore_errors=True)


def _port(process: "subprocess.Popen[bytes]", profile: Path) -> int:
    # Chromium writes the port it took on the first line of this file.
    told = profile / "DevToolsActivePort"
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"chromium ended with status {process.returncode}")
        if told.exists() and (lines := told.read_text().splitlines()):
            return int(lines[0])
        time.sleep(0.05)
    raise RuntimeError("chromium did not open its DevTools port")


async def _connect(
    loop: asyncio.AbstractEventLoop, port: int
) -> tuple[aiohttp.ClientSession, Page]:
    session = aiohttp.ClientSession(trust_env=False)
    try:
        async with session.get(f"http://127.0.0.1:{port}/json/list") as response:
            tabs = [tab for tab in await response.json() if tab["type"] == "page"]
        socket = await session.ws_connect(tabs[0]["webSocketDebuggerUrl"], max_msg_size=0)
        page = Page(loop, socket)
        for domain in ("Page", "Runtime", "Log", "Network"):
            await page._call(f"{domain}.enable", {})
    except BaseException:
        await session.close()
        raise
    return session, page
