/* Gives each block of code a button that copies it: of a console, the commands without what they print. */
"use strict";
for (const block of document.querySelectorAll("main pre")) {
  const lines = block.textContent.replace(/\n$/, "").split("\n");
  const commands = lines.some(line => line.startsWith("$ "));
  let going = false;
  const text = !commands ? lines : lines.filter(line => {
    going = line.startsWith("$ ") || (going && line.startsWith("> "));
    return going;
  }).map(line => line.slice(2));
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.dataset.text = text.join("\n") + "\n";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(button.dataset.text);
    } catch { /* Where a page may not use the clipboard by itself. */
      const area = document.body.appendChild(document.createElement("textarea"));
      area.value = button.dataset.text;
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  const frame = document.createElement("div");
  frame.className = "code";
  block.replaceWith(frame);
  frame.append(block, button);
}
