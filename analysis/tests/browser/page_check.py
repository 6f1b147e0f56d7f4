"""The report in a real browser (slow tier): Debian's chromium and chromium-driver, driven by selenium; axe-core, which the PyPI
package axe-core-python holds, judges accessibility. Not part of `pytest analysis/tests`: chromium takes 400 MB.

    apt-get install chromium chromium-driver python3-selenium python3-plotly && pip install axe-core-python
    python3 -m pytest analysis/tests/browser/page_check.py

ECHO_SCREENSHOTS=FOLDER keeps a screenshot of each page at each width."""

import importlib.util
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]
from conftest import ANALYSIS, find_program  # noqa: E402
from synthetic_file import write_synthetic_file  # noqa: E402

import echo_sweep as es  # noqa: E402

webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
pytest.importorskip("plotly", reason="needs plotly")
for needed in ("chromium", "chromedriver"):
    if shutil.which(needed) is None:
        pytest.skip(f"needs {needed}", allow_module_level=True)
WIDTHS = (360, 1280, 2560)
NASTY = "</script><script>window.harmed = 1</script><img src=x onerror='window.harmed = 1'> \"quoted\" & 'more'"
SECTIONS = ("answer", "ties", "front", "scaling", "heat", "time", "memory", "funnel", "levers", "overlap", "kernels", "rows", "provenance")
PICTURES = ("ties-picture", "front-picture", "scaling-picture", "time-picture", "memory-picture", "tax-picture")
ONE = '[space]\nmodel = "llama3-8b"\ncluster = "dgx-h100-ndr400"\nrecipe = "nvidia-performance"\ngpus = 16\ntp = 2\npp = 1\nglobal_batch = 128\n'
SOURCE = ANALYSIS.parent


def sweep_of(folder, sweep, name):
    done = subprocess.run([find_program(), "run", sweep, "-o", folder / f"{name}.h5", "--progress", "none", "-q"], capture_output=True, text=True)
    assert done.returncode in (0, 3), done.stderr
    return folder / f"{name}.h5"


def interrupted(folder):
    """A sweep that is killed after its first snapshot."""
    file = folder / "interrupted.h5"
    program = subprocess.Popen([find_program(), "run", SOURCE / "sweeps/design-space.toml", "-o", file, "--progress", "none", "-q",
                                "--snapshot-every", "1s"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while program.poll() is None and not file.exists():
        time.sleep(0.02)
    program.kill()
    assert program.wait() == -signal.SIGKILL
    return file


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """pages(name) -> path of a page, written once."""
    folder, made = tmp_path_factory.mktemp("pages"), {}

    def file_of(name):
        if name == "one":
            (folder / "one.toml").write_text(ONE)
            return sweep_of(folder, folder / "one.toml", name)
        if name == "none":
            (folder / "none.toml").write_text(ONE.replace("llama3-8b", "llama3-405b").replace("tp = 2", "tp = [1, 2]"))
            return sweep_of(folder, folder / "none.toml", name)
        if name == "interrupted":
            return interrupted(folder)
        if name == "names":
            words = {"models": "<b>alpha</b> \"zeta\"&'quoted'<script>window.harmed=1</script>", "limits": "none step_time"}
            import synthetic_file
            before, synthetic_file.WORDS = synthetic_file.WORDS, words
            try:
                return write_synthetic_file(folder / "names.h5", attributes={"name": NASTY, "title": NASTY})
            finally:
                synthetic_file.WORDS = before
        return sweep_of(folder, SOURCE / f"sweeps/{name}.toml", name)

    def write(name):
        if name not in made:
            page = folder / f"{name}.html"
            with es.open(file_of(name)) as sweep:
                sweep.report(page, find_program())
            made[name] = page
        return made[name]

    return write


class Browser:
    """A page in chromium, with what it logged and asked for."""

    def __init__(self):
        options = webdriver.ChromeOptions()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--force-device-scale-factor=1"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=webdriver.chrome.service.Service(shutil.which("chromedriver")))
        self.driver.set_page_load_timeout(240)
        self.driver.set_script_timeout(240)

    def open(self, page, width=1280, address=""):
        self.driver.get("about:blank")
        self.driver.get_log("performance")
        self.driver.set_window_size(width, 1000)
        self.driver.get(page.as_uri() + address)
        self.wait("return Boolean(window.report && window.report.ready)")

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, script, *arguments):
        end = time.monotonic() + 120
        while not self.run(script, *arguments):
            assert time.monotonic() < end, script
            time.sleep(0.1)

    def complaints(self):
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        messages = (json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance"))
        return [one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"]

    def rows(self):
        return self.run("return window.report.rows()")


@pytest.fixture(scope="module")
def browser():
    one = Browser()
    yield one
    one.driver.quit()


def keep_screenshot(browser, name, width):
    if "ECHO_SCREENSHOTS" in os.environ:
        browser.driver.set_window_size(width, min(14000, browser.run("return document.documentElement.scrollHeight") + 150))
        time.sleep(1)
        browser.driver.save_screenshot(f"{os.environ['ECHO_SCREENSHOTS']}/{name}-{width}.png")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["first", "two-budgets", "moe-layouts", "design-space", "one", "none", "interrupted", "names"])
def test_a_page_stands_by_itself(browser, pages, name, width):
    """No error, no request but for the page itself, nothing wider than the window, a picture in every place."""
    page = pages(name)
    browser.open(page, width)
    keep_screenshot(browser, name, width)
    assert browser.complaints() == []
    asked = [url for url in browser.requests() if not url.startswith(("data:", "blob:"))]
    assert asked == [page.as_uri()]
    assert browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert browser.run("return window.harmed") is None
    found = browser.run("return Array.from(document.querySelectorAll('main > section')).map((one) => one.id)")
    assert tuple(found) == SECTIONS
    drawn = browser.run("""return Array.from(document.querySelectorAll('.plot')).filter((plot) => plot.offsetParent)
        .map((plot) => [plot.id, plot.data.reduce((sum, trace) => sum + trace.x.length, 0), plot.querySelectorAll('.trace, .points path, .point').length])""")
    if name != "none":
        assert {one[0] for one in drawn} == {f"{picture}-plot" for picture in PICTURES}
    for picture, points, marks in drawn:
        assert points > 0 and marks > 0, picture


def test_names_are_shown_as_they_are(browser, pages):
    browser.open(pages("names"))
    assert browser.run("return document.getElementById('title').textContent") == NASTY
    assert browser.run("return document.getElementById('answer-title').textContent") == NASTY
    assert browser.run("return document.querySelectorAll('main img, main script, main b b').length") == 0
    assert "<script>" in browser.run("return document.getElementById('model').textContent")
    assert browser.run("return window.harmed") is None


def test_an_interrupted_sweep_says_so(browser, pages):
    browser.open(pages("interrupted"))
    assert "Interrupted or still running" in browser.run("return document.getElementById('notices').textContent")


def test_a_condition_filters_everything(browser, pages):
    browser.open(pages("first"))
    everything = browser.rows()
    field = browser.driver.find_element("id", "filter")
    field.send_keys("tp = 2 and mem_peak<60GiB")
    browser.wait("return window.report.state.filter.length > 10 && window.report.rows().length < arguments[0]", len(everything))
    rows = browser.rows()
    with es.open(pages("first").with_suffix(".h5")) as sweep:
        expected = sweep.ranked.where("tp == 2 and mem_peak < 60 GiB")
        ids = browser.run("return window.report.rows().map((row) => window.report.rowIds[row])")
        assert sorted(ids) == sorted(expected.ids()) and len(ids) == len(rows) > 0
    assert browser.run("return document.getElementById('count').textContent").startswith(f"{len(rows)} of {len(everything)}")
    assert browser.run("return document.querySelectorAll('#rows-table tbody tr').length") == min(50, len(rows))
    cloud = browser.run("return document.getElementById('front-picture-plot').data.find((one) => one.name === 'other rows').customdata")
    assert sorted(cloud) == sorted(rows)
    times = browser.run("return document.getElementById('time-picture-plot').data[0].customdata")
    assert set(times) <= set(rows) and times
    cells = browser.run("return Array.from(document.querySelectorAll('#heat-table td button:not(.unfit)')).map((one) => one.getAttribute('aria-label'))")
    assert cells and all(label.startswith("tp 2,") for label in cells)
    field.clear()
    field.send_keys("nonsense>=3")
    browser.wait("return document.getElementById('filter').getAttribute('aria-invalid') === 'true'")
    assert "there is no column" in browser.run("return document.getElementById('count').textContent")
    browser.driver.find_element("id", "reset").click()
    browser.wait("return window.report.rows().length === arguments[0]", len(everything))


def test_a_region_chooses_rows_for_all(browser, pages):
    browser.open(pages("first"))
    everything = browser.rows()
    # what Plotly sends when a box has been drawn
    chosen = browser.run("""const plot = document.getElementById('front-picture-plot'), cloud = plot.data.find((one) => one.name === 'other rows');
        const points = cloud.customdata.slice(0, 5).map((row) => ({customdata: row}));
        plot.emit('plotly_selected', {points});
        return points.map((point) => point.customdata)""")
    assert sorted(browser.rows()) == sorted(chosen)
    assert browser.run("return document.querySelectorAll('#rows-table tbody tr').length") == len(chosen)
    assert "in the region drawn" in browser.run("return document.getElementById('count').textContent")
    browser.run("document.getElementById('front-picture-plot').emit('plotly_deselect')")
    assert browser.rows() == everything


def test_a_box_drawn_by_hand_is_such_a_region(browser, pages):
    from selenium.webdriver.common.action_chains import ActionChains

    browser.open(pages("first"))
    everything = browser.rows()
    browser.run("document.getElementById('front').scrollIntoView({block: 'start', behavior: 'instant'})")
    drag = browser.driver.find_element("css selector", "#front-picture-plot .nsewdrag")
    width, height = drag.size["width"], drag.size["height"]
    # from the left edge to the middle one of the rows: bands may stretch the axis far to the right
    right = browser.run("""const plot = document.getElementById('front-picture-plot');
        const times = [...plot.data.find((one) => one.name === 'other rows').x].sort((a, b) => a - b);
        return plot._fullLayout.xaxis.d2p(times[Math.floor(times.length / 2)])""")
    assert 8 < right < width - 8
    chain = ActionChains(browser.driver, duration=50)
    chain.move_to_element_with_offset(drag, -width // 2 + 4, -height // 2 + 4).click_and_hold()
    for share in (0.5, 1.0):
        chain.move_to_element_with_offset(drag, int(right * share) - width // 2, height // 2 - 4)
    chain.release().perform()
    browser.wait("return window.report.state.region !== null")
    assert 0 < len(browser.rows()) < len(everything)


def test_the_table_sorts(browser, pages):
    browser.open(pages("first"))
    column = "return Array.from(document.querySelectorAll('#rows-table tbody tr')).map((line) => window.report.columns.get('mem_peak').values[window.report.rowIds.indexOf(line.querySelector('a').href.split('=')[1])])"
    first = browser.driver.find_element("css selector", "#rows-table [data-name=mem_peak] button")
    browser.run("arguments[0].click()", first)
    up = browser.run(column)
    assert up == sorted(up) and len(up) > 10
    assert browser.run("return document.activeElement.parentElement.dataset.name") == "mem_peak"
    browser.run("document.querySelector('#rows-table [data-name=mem_peak] button').click()")
    assert browser.run(column) == sorted(up, reverse=True)
    assert browser.run("return document.querySelector('#rows-table [data-name=mem_peak]').getAttribute('aria-sort')") == "descending"


def test_a_cell_of_the_heat_map_is_reached_by_the_keyboard(browser, pages):
    from selenium.webdriver.common.keys import Keys

    browser.open(pages("first"))
    everything = browser.rows()
    cell = browser.driver.find_element("css selector", "#heat-table button.first")
    cell.send_keys(Keys.ENTER)
    assert 0 < len(browser.rows()) < len(everything)
    assert browser.run("return document.getElementById('filter').value").startswith("tp=")


def test_a_row_has_its_own_page(browser, pages, tmp_path):
    page = pages("first")
    with es.open(page.with_suffix(".h5")) as sweep:
        best = sweep.best(1)[0]
        browser.open(page, address=f"#row={best.id}")
        assert browser.run("return document.getElementById('row-page').hidden") is False
        assert browser.run("return document.getElementById('overview').hidden") is True
        texts = browser.run("return Array.from(document.querySelectorAll('#row-page h2')).map((one) => one.textContent)")
        assert texts == ["Where the step goes", "Where the memory goes", "Timeline", "Launch it", "Run it again", "All values"]
        assert browser.run("return document.getElementById('timeline-plot').data.length") >= 2
        (tmp_path / "again.toml").write_text(browser.run("return document.getElementById('row-sweep').textContent"))
        with es.open(sweep_of(tmp_path, tmp_path / "again.toml", "again")) as again:
            assert list(again.ids()) == [best.id]
            assert again[0]["step_time"] == best["step_time"]
    browser.run("location.hash = ''")
    browser.wait("return document.getElementById('row-page').hidden")
    assert browser.complaints() == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name, address", [("first", ""), ("none", ""), ("design-space", ""), ("first", "row")])
def test_axe_finds_no_serious_fault(browser, pages, name, address, theme):
    found = importlib.util.find_spec("axe_core_python")
    if found is None:
        pytest.skip("needs axe-core-python")
    page = pages(name)
    if address:
        with es.open(page.with_suffix(".h5")) as sweep:
            address = f"#row={sweep.best(1)[0].id}"
    browser.open(page, address=address)
    browser.run("const theme = document.getElementById('theme'); theme.value = arguments[0]; theme.dispatchEvent(new Event('change'))", theme)
    browser.run(f"document.querySelectorAll('details').forEach((one) => {{ one.open = true; }})")
    time.sleep(1)
    browser.run((pathlib.Path(found.origin).parent / "axe.min.js").read_text())
    result = browser.driver.execute_async_script("axe.run(document, {resultTypes: ['violations']}).then(arguments[arguments.length - 1])")
    faults = [(one["id"], one["impact"], [node["html"][:160] for node in one["nodes"][:3]]) for one in result["violations"]]
    assert [fault for fault in faults if fault[1] in ("serious", "critical")] == []
    assert len(result["violations"]) <= 2, faults
