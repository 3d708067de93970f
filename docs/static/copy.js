/* A button on every block of code that copies it. */
"use strict";

function copied(block) {
  const text = block.querySelector("pre").innerText.trimEnd();
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy"); // also where a page is opened as a file
  area.remove();
  return done;
}

document.addEventListener("DOMContentLoaded", () => {
  for (const block of document.querySelectorAll("div.highlight")) {
    const button = document.createElement("button");
    button.className = "copy";
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", () => {
      button.textContent = copied(block) ? "Copied" : "Select the text and press Ctrl+C";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    block.append(button);
  }
});
