/* The search: search.html?q=WORDS lists the parts of pages that have all words, as they are written: "--allow-removal" too.
 * search-index.js holds the parts: [page, its title, anchor, heading, text]. */
"use strict";
{
  const most = 40;
  const question = (new URLSearchParams(location.search).get("q") || "").trim();
  const words = question.toLowerCase().split(/\s+/).filter(word => word);
  const score = part => {
    const heading = part[3].toLowerCase(), title = part[1].toLowerCase(), text = part[4].toLowerCase();
    let sum = 0;
    for (const word of words) {
      if (heading.includes(word)) sum += 100;
      else if (title.includes(word)) sum += 30;
      else if (!text.includes(word)) return 0;
      sum += Math.min(text.split(word).length - 1, 9);
    }
    return sum;
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
  const found = words.length ? parts.map(part => [score(part), part]).filter(hit => hit[0]).sort((a, b) => b[0] - a[0]) : [];
  document.querySelector("input[type=search]").value = question;
  if (words.length)
    document.getElementById("count").textContent =
      !found.length ? "Nothing found" : found.length > most ? `The first ${most} of ${found.length} parts` : `${found.length} found`;
  for (const [, [page, title, anchor, heading, text]] of found.slice(0, most)) {
    const box = document.getElementById("found").appendChild(document.createElement("article"));
    const link = box.appendChild(document.createElement("h3")).appendChild(document.createElement("a"));
    link.href = page + (anchor ? "#" + anchor : "");
    link.textContent = heading === title ? title : `${heading} (${title})`;
    marked(box.appendChild(document.createElement("p")), around(text));
  }
}
