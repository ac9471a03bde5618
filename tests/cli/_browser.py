"""Opens a page of html.sh in headless Chromium, uses it as a person would, and counts checks.

_browser.py CHROMIUM PAGE UNITS: the page lists so many units, none of which changes; SHOTS=FOLDER keeps pictures.
"""
import json
import os
import sys
import tempfile

from _checks import check, finish
from _chromium import Browser

chromium, page, units = sys.argv[1], os.path.abspath(sys.argv[2]), int(sys.argv[3])


def quiet(browser, name):
    """No message, no exception, no request but the page itself."""
    bad = [event for event in browser.events if event.get("method") in
           ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")]
    check(f"{name}: the console is empty", not bad, bad[:3])
    asked = [event["params"]["request"]["url"] for event in browser.events
             if event.get("method") == "Network.requestWillBeSent"]
    check(f"{name}: nothing is asked for", asked in ([], [url]), asked)


def rows(browser):
    return browser.js("document.querySelectorAll('#rows tr').length")


def search(browser, words):
    browser.js("{ const box = document.getElementById('search'); box.value = %s;"
               "box.dispatchEvent(new Event('input')); }" % json.dumps(words))
    return browser.js("document.getElementById('found').textContent")


url = "file://" + page
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
    browser = Browser(chromium, profile)
    for domain in ("Page", "Runtime", "Log", "Network"):
        browser.call(f"{domain}.enable")

    for name, width, scheme in (("desk", 1280, "light"), ("phone", 390, "light"), ("dark", 1280, "dark"), ("phone-dark", 390, "dark")):
        browser.open(url, width, scheme)
        check(f"{name}: units are shown", rows(browser) == min(units, 100), rows(browser))
        check(f"{name}: the page does not scroll sideways",
              browser.js("document.documentElement.scrollWidth <= innerWidth"),
              browser.js("[document.documentElement.scrollWidth, innerWidth]"))
        light = browser.js("getComputedStyle(document.body).backgroundColor").count("2") > 2
        check(f"{name}: its colours are those asked for", light == (scheme == "light"))
        bars = browser.js("[...document.querySelectorAll('.pictures .bar rect')].map(bar => bar.getBoundingClientRect())"
                          ".map(box => box.width > 0 && box.height > 0 && box.right <= innerWidth)")
        check(f"{name}: bars are drawn, and fit", bars and all(bars), bars)
        numbers = browser.js("[...document.querySelectorAll('.pictures figure')].map(figure => "
                             "[...figure.querySelectorAll('td')].map(cell => parseInt(cell.textContent.replace(/,/g, '')))"
                             ".reduce((sum, number) => sum + number, 0))")
        check(f"{name}: the user-data of each unit is in a bar", numbers and numbers[-1] == units, numbers)
        # The tiles of a page with changes, two and more in a row where there is room.
        browser.js("{ const cards = document.createElement('div'); cards.className = 'cards'; document.querySelector('main').append(cards);"
                   "for (let i = 0; i < 3; i++) { const card = document.createElement('div'); card.className = 'card';"
                   "const text = document.createElement('p'); text.textContent = 'MachineDeployments, 1,234 machines'; card.append(text);"
                   "cards.append(card); } }")
        broken = browser.js("[...document.querySelectorAll('h1, h2, h3, figcaption, .card p')].flatMap(element => {"
                            "const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), found = [];"
                            "for (let node; (node = walk.nextNode());) for (const word of node.data.matchAll(/[A-Za-z]+/g)) {"
                            "const range = document.createRange(); range.setStart(node, word.index);"
                            "range.setEnd(node, word.index + word[0].length);"
                            "if (range.getClientRects().length !== 1) found.push(word[0]); } return found; })")
        check(f"{name}: no word is broken", broken == [], broken)
        quiet(browser, name)
        browser.picture(name)

    browser.open(url, 1280, "light")
    paint = browser.js("new Promise(done => new PerformanceObserver(list => done(list.getEntries()[0].startTime))"
                       ".observe({type: 'paint', buffered: true}))")
    print(f"first paint of {units} units: {paint:.0f} ms")
    check("something was painted", paint > 0, paint)
    check("all are counted", search(browser, "").startswith(f"{units:,} "), search(browser, ""))
    found = search(browser, "workers-00007")
    check("search finds one", found == "1 MachineDeployment" or found.startswith("1 MachineDeployment,"), found)
    check("and shows it", rows(browser) == 1 and "workers-00007" in browser.js("document.getElementById('rows').textContent"))
    check("search by two words", "0 " not in search(browser, "c001 aws")[:2], search(browser, "c001 aws"))
    check("search for nothing there", search(browser, "<b>no such</b>").startswith("0 "), search(browser, "<b>no such</b>"))
    search(browser, "")
    browser.js("document.getElementById('next').click()")
    check("pages turn", browser.js("document.getElementById('page').textContent").startswith("page 2 of "))
    browser.js("document.querySelector('[data-sort=bytes]').click()")
    browser.js("document.querySelector('[data-sort=bytes]').click()")
    check("columns sort", browser.js("document.querySelector('th[aria-sort]').getAttribute('aria-sort')") == "descending")
    browser.js("{ const box = document.getElementById('cluster'); box.selectedIndex = 1; box.dispatchEvent(new Event('change')); }")
    check("clusters filter", rows(browser) > 0 and browser.js(
        "new Set([...document.querySelectorAll('#rows tr td:nth-child(2)')].map(cell => cell.textContent)).size") == 1)
    quiet(browser, "used")

    # What a text of the inputs could do if it were markup: the policy stops it.
    browser.events.clear()
    browser.js("{ const made = document.createElement('script'); made.textContent = 'window.stranger = 1'; document.body.append(made);"
               "const image = new Image(); image.src = 'http://127.0.0.1:9/x.png'; document.body.append(image); }")
    check("another script does not run", browser.js("window.stranger === undefined"))
    browser.js("new Promise(done => setTimeout(done, 50))")
    sent = [event for event in browser.events if event.get("method") == "Network.responseReceived"]
    blocked = [event for event in browser.events if event.get("method") == "Network.loadingFailed"]
    check("another request is not made", not sent and all(
        event["params"].get("blockedReason") == "csp" for event in blocked), blocked)

    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(url, 390, "light", scripts=False)
    browser.picture("without-scripts")
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    check("without scripts a table is there", browser.js("document.querySelectorAll('noscript tr').length") > 1)
    browser.process.terminate()
    browser.process.wait(30)
finish()
