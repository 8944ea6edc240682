"""Opens pages in a headless Chromium and prints what is wrong with them, a line each.

    pages.py BASE PATH...

Each page is opened in both themes, wide and on a telephone, with and without JavaScript. Looked for are the violations
of axe-core's rules, what is wider than the window, errors in the console, requests to anywhere else, answers that are no
pages, and what a refresh replaces although it has not changed.
"""

import shutil
import sys
from pathlib import Path

import axe_playwright_python
from playwright.sync_api import sync_playwright

base, paths = sys.argv[1], sys.argv[2:]
axe = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
looked = 0

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    for path in paths:
        for theme in ("light", "dark"):
            for width in (1280, 390):
                for script in (True, False):
                    context = browser.new_context(
                        color_scheme=theme, viewport={"width": width, "height": 800}, java_script_enabled=script,
                        bypass_csp=True)  # or axe-core could not be brought in
                    page = context.new_page()
                    flaws = []
                    page.on("console", lambda message: message.type in ("error", "warning")
                            and flaws.append(f"console: {message.text}"))
                    page.on("pageerror", lambda error: flaws.append(f"error: {error}"))
                    page.on("request", lambda request: request.url.startswith(base)
                            or flaws.append(f"asks {request.url}"))
                    answer = page.goto(base + path)
                    if answer.status != 200:
                        flaws.append(f"answered {answer.status}")
                    if script:
                        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                            flaws.append("is wider than the window")
                        page.evaluate(axe)
                        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
                        flaws += [f"{rule['id']}: {rule['help']}: {rule['nodes'][0]['html'][:200]}"
                                  for rule in found["violations"]]
                    if script and page.query_selector("#page[data-refreshes] .board"):
                        page.evaluate("document.querySelector('.board').isKept = true")
                        with page.expect_response(lambda response: response.url == page.url):
                            page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
                        page.wait_for_timeout(200)
                        if not page.evaluate("document.querySelector('.board').isKept"):
                            flaws.append("is replaced as a whole when it is read anew")
                    for flaw in flaws:
                        print(f"{path} ({theme}, {width} pixels, {'with' if script else 'without'} scripts): {flaw}")
                    looked += 1
                    context.close()
    browser.close()
print(f"looked at {looked}")
