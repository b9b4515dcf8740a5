"""Does the browser driver see what a person would see?"""

from tests.helpers.chromium import needs_chromium, open_page

PAGE = """<!doctype html><meta charset="utf-8"><title>driver</title>
<input id="box" autofocus><button id="go" onclick="document.title='clicked'">go</button>
<p id="keys"></p>
<script>
addEventListener('keydown', e => document.getElementById('keys').textContent += e.key + ';');
console.log('hello');
</script>
"""


@needs_chromium
def test_driver_types_clicks_and_reports(tmp_path):
    file = tmp_path / "page.html"
    file.write_text(PAGE)
    with open_page() as page:
        page.goto(file)
        assert page.evaluate("document.title") == "driver"
        assert [m.text for m in page.messages] == ["hello"]
        assert page.problems() == []
        assert page.requests == [file.as_uri()]

        page.evaluate("document.getElementById('box').focus()")
        page.type("a1 b")
        page.press("ArrowRight")
        page.press("k", "Control")
        assert page.evaluate("document.getElementById('box').value") == "a1 b"
        assert page.evaluate("document.getElementById('keys').textContent").startswith(
            "a;1; ;b;ArrowRight;"
        )

        page.click("#go")
        assert page.wait_for("document.title == 'clicked'")
        assert 'id="go"' in page.dom()
        assert page.screenshot(tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")


@needs_chromium
def test_driver_sees_errors_and_runs_without_scripts(tmp_path):
    file = tmp_path / "bad.html"
    file.write_text("<script>document.title = 'ran'; nope();</script><img src='gone.png'>")
    with open_page() as page:
        page.goto(file)
        told = " ".join(m.text for m in page.problems())
        assert "nope is not defined" in told
        assert "ERR_FILE_NOT_FOUND" in told
        page.scripts(allowed=False)
        page.goto(file)
        assert page.evaluate("document.title") != "ran"
