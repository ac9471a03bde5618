/* The search: search.html?q=WORDS lists the parts of pages that have all words, "--allow-removal" too. If no part has all, it lists those
 * that have the most of them, and headings that have some. Words that every question has ("how do I") are left out, and endings of words: "rotating" finds "rotate".
 * Of a line of a log that has a diagnostic's code, the code alone is searched for.
 * search-index.js holds the parts, [page, its title, anchor, heading, text], and what else people type for a page. */
"use strict";
{
  const most = 40;
  const question = (new URLSearchParams(location.search).get("q") || "").trim();
  const common = new Set(("a an and any are as at be because been by can come comes cannot can't could did do does doesn't don't for from get had has have " +
    "how i if in into is isn't it its me must my need no not of on or our over should so some that the their them then there these they this " +
    "to up want was we were what what's when where which who why will with without won't would you your").split(" "));
  const endings = ["ing", "ies", "ied", "ed", "es", "e", "s"];
  /* Returns a word without its ending, if it is one of letters alone and enough of it is left. */
  const stem = word => {
    if (!/^[a-z]+$/.test(word) || word.endsWith("ss")) return word;
    const ending = endings.find(end => word.endsWith(end) && word.length - end.length >= (end === "s" ? 3 : 4));
    return ending ? word.slice(0, -ending.length) : word;
  };
  const words_of = text => {
    const all = text.toLowerCase().split(/\s+/).map(word => word.replace(/^["'(]+|["'),.?!:]+$/g, "")).filter(word => word);
    const telling = all.filter(word => !common.has(word));
    return [...new Set((telling.length ? telling : all).map(stem))];
  };
  const words = question.match(/OSG[0-9]{4}/g) && [...new Set(question.toLowerCase().match(/osg[0-9]{4}/g))] || words_of(question);
  const phrase = question.toLowerCase().split(/\s+/).join(" ");
  const typed = Object.fromEntries(Object.entries(also).map(([page, phrases]) => [page, phrases.map(words_of)]));
  let previous = "";
  /* Returns the number of words that the part lacks, and its weight. The parts of a page follow one another. */
  const score = part => {
    const heading = part[3].toLowerCase(), title = part[1].toLowerCase(), text = part[4].toLowerCase();
    const phrases = typed[part[0]] || [], is_first = part[0] !== previous;
    previous = part[0];
    let lacks = 0, sum = words.length > 1 && (heading.includes(phrase) || text.includes(phrase)) ? 1000 : 0;
    for (const word of words) {
      if (heading.includes(word)) sum += 100;
      else if (title.includes(word) || phrases.some(of => of.includes(word))) sum += 30;
      else if (!text.includes(word)) lacks++;
      sum += Math.min(text.split(word).length - 1, 9);
    }
    if (is_first)
      for (const of of phrases)
        if (of.every(word => words.includes(word))) sum += 200 * of.length;
    return [lacks, sum];
  };
  const around = text => {
    const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 80);
    return (at ? "... " : "") + text.slice(at, at + 240) + (at + 240 < text.length ? " ..." : "");
  };
  const marked = (element, text) => {
    const low = text.toLowerCase();
    let at = 0;
    while (at < text.length) {
      const next = words.map(word => [low.indexOf(word, at), word.length]).filter(hit => hit[0] >= 0).sort((a, b) => a[0] - b[0])[0];
      if (!next) break;
      element.append(text.slice(at, next[0]));
      element.appendChild(document.createElement("mark")).textContent = text.slice(next[0], next[0] + next[1]);
      at = next[0] + next[1];
    }
    element.append(text.slice(at));
  };
  /* A part that lacks a word is shown if the rest is in its heading, or is what people type for its page. */
  const scored = parts.map(part => [...score(part), part]).map(([lacks, sum, part]) => [lacks, sum - 150 * lacks, part]);
  const fewest = scored.reduce((least, hit) => Math.min(least, hit[0]), words.length);
  const found = scored.filter(hit => hit[0] < words.length && (hit[0] === fewest || hit[1] >= 50)).sort((a, b) => b[1] - a[1]);
  document.querySelector("input[type=search]").value = question;
  if (words.length)
    document.getElementById("count").textContent =
      (found.length && fewest ? `Nothing has all words. With ${words.length - fewest} of ${words.length}: ` : "") +
      (!found.length ? "Nothing found" : found.length > most ? `The first ${most} of ${found.length} parts` : `${found.length} found`);
  for (const [, , [page, title, anchor, heading, text]] of found.slice(0, most)) {
    const box = document.getElementById("found").appendChild(document.createElement("article"));
    const link = box.appendChild(document.createElement("h3")).appendChild(document.createElement("a"));
    link.href = page + (anchor ? "#" + anchor : "");
    link.textContent = heading === title ? title : `${heading} (${title})`;
    marked(box.appendChild(document.createElement("p")), around(text));
  }
}
