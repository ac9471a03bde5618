"""Opens every page of the site from its files in headless Chromium: _site.py CHROMIUM SITE

No page scrolls sideways at 400 pixels, each block of code has a button that copies it, and the search finds options and answers the
questions of site_questions.txt. Counts checks. SHOTS=FOLDER keeps pictures.
"""
import glob
import os
import sys
import tempfile
import urllib.parse

from _checks import check, finish
from _chromium import Browser

chromium, site = sys.argv[1], os.path.abspath(sys.argv[2])
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "site_questions.txt"), encoding="utf-8") as file:
    QUESTIONS = [tuple(part.strip() for part in line.split("|")) for line in file if not line.startswith("#")]


def search(browser, words):
    browser.open(f"file://{site}/search.html?q={urllib.parse.quote(words)}", 1280, "light")
    return browser.js("[...document.querySelectorAll('#found a')].map(link => link.getAttribute('href'))")


with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
    browser = Browser(chromium, profile)
    for domain in ("Page", "Runtime"):
        browser.call(f"{domain}.enable")
    pages = sorted(path[len(site) + 1:] for path in glob.glob(f"{site}/**/*.html", recursive=True) if not path.endswith("/404.html"))
    check("there are pages", len(pages) > 30, len(pages))
    for page in pages:
        browser.open(f"file://{site}/{page}", 400, "light")
        check(f"{page} does not scroll sideways at 400 pixels", browser.js("document.documentElement.scrollWidth <= 400"),
              browser.js("document.documentElement.scrollWidth"))
        blocks = browser.js("document.querySelectorAll('main pre').length")
        check(f"{page}: every block of code can be copied", browser.js("document.querySelectorAll('main .code > button').length") == blocks)
    browser.open(f"file://{site}/index.html", 1280, "light")
    copied = browser.js("document.querySelector('main .code > button').dataset.text")
    check("of a console the commands are copied", copied.startswith("osm-gen init") and "NONE:" not in copied, copied)

    for words, wanted in (("--allow-removal", "howto/removals.html"), ("OSG4003", "reference/diagnostics.html#osg4003"),
                          ("nodeContainerdRegistryMirrors", "settings.html"), ("rotate seed", "howto/rotate.html#the-seed"),
                          ("out/prod/index.json: error[OSG5003]: the output was sealed with another seed", "reference/diagnostics.html#osg5003"),
                          ("output was sealed with another seed", "reference/diagnostics.html#osg5003"),
                          ("push rejected protected branch", "howto/push.html")):
        found = search(browser, words)
        check(f"the search finds {words}", any(link.startswith(wanted) for link in found[:8]), found[:8])
        first = browser.js("document.querySelector('#found mark') && document.querySelector('#found mark').textContent.toLowerCase()")
        check(f"and marks it: {words}", first is None or first in words.lower(), first)
    for question, wanted in QUESTIONS:
        found = search(browser, question)[:3]
        check(f"the first three hits answer: {question}", any(link == wanted or link.split("#")[0] == wanted for link in found), found)
    check("there are forty questions", len(QUESTIONS) >= 40, len(QUESTIONS))
    check("words that every question has find nothing else", search(browser, "how do I rotate the seed") == search(browser, "rotating seed"))
    check("nothing is found of what is not there", search(browser, "no-such-word-anywhere") == [])
    check("and it is said", browser.js("document.getElementById('count').textContent") == "Nothing found")
    search(browser, "<img src=x onerror=document.title=1>")
    check("words to search for are no markup", browser.js("document.title") != "1")

    for name, page, width, scheme in (("home", "index.html", 1280, "light"), ("home-phone", "index.html", 400, "light"),
                                      ("home-dark", "index.html", 1280, "dark"), ("page-phone-dark", "howto/rotate.html", 400, "dark"),
                                      ("page", "howto/review.html", 1280, "light"), ("search", "search.html?q=--allow-removal", 1280, "light"),
                                      ("search-phone-dark", "search.html?q=--allow-removal", 400, "dark")):
        browser.open(f"file://{site}/{page}", width, scheme)
        light = browser.js("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        check(f"{name}: its colours are those asked for", light == (scheme == "light"))
        browser.picture(name)
finish()
