/* The search: search.html?q=WORDS lists the parts of pages that have all words, as they are written: "--allow-removal" too. If no part
 * has all, it lists those that have the most of them. Of a line of a log that has a diagnostic's code, the code alone is searched for.
 * search-index.js holds the parts: [page, its title, anchor, heading, text]. */
"use strict";
{
  const most = 40;
  const question = (new URLSearchParams(location.search).get("q") || "").trim();
  const words = question.match(/OSG[0-9]{4}/g) && [...new Set(question.toLowerCase().match(/osg[0-9]{4}/g))] ||
    question.toLowerCase().split(/\s+/).filter(word => word);
  const phrase = question.toLowerCase().split(/\s+/).join(" ");
  /* Returns the number of words that the part lacks, and its weight. */
  const score = part => {
    const heading = part[3].toLowerCase(), title = part[1].toLowerCase(), text = part[4].toLowerCase();
    let lacks = 0, sum = words.length > 1 && (heading.includes(phrase) || text.includes(phrase)) ? 1000 : 0;
    for (const word of words) {
      if (heading.includes(word)) sum += 100;
      else if (title.includes(word)) sum += 30;
      else if (!text.includes(word)) lacks++;
      sum += Math.min(text.split(word).length - 1, 9);
    }
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
  const scored = parts.map(part => [...score(part), part]);
  const fewest = scored.reduce((least, hit) => Math.min(least, hit[0]), words.length);
  const found = fewest < words.length ? scored.filter(hit => hit[0] === fewest).sort((a, b) => b[1] - a[1]) : [];
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
