"use strict";

/* Tables: a click on a heading sorts by its column, a second click the other way; empty values stay last. */

function sortKey(row, column, numeric) {
  const cell = row.cells[column];
  if (!numeric) return cell.textContent.trim();
  const value = cell.dataset.value ?? cell.textContent.trim();
  return value === "" ? NaN : Number(value);
}

function compareKeys(a, b, numeric, sign) {
  if (!numeric) return sign * a.localeCompare(b, undefined, { numeric: true });
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
  return sign * (a - b);
}

function sortBy(heading) {
  const table = heading.closest("table");
  const numeric = heading.dataset.sort === "number";
  const before = heading.getAttribute("aria-sort");
  const first = heading.dataset.first ?? "ascending";
  const other = first === "ascending" ? "descending" : "ascending";
  const direction = before === first ? other : first;
  for (const any of table.querySelectorAll("th[aria-sort]")) any.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", direction);
  const sign = direction === "ascending" ? 1 : -1;
  const body = table.tBodies[0];
  const keyed = Array.from(body.rows, (row) => [sortKey(row, heading.cellIndex, numeric), row]);
  keyed.sort((a, b) => compareKeys(a[0], b[0], numeric, sign));
  body.append(...keyed.map(([, row]) => row));
}

for (const heading of document.querySelectorAll("table.sortable th[data-sort]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...heading.childNodes);
  button.addEventListener("click", () => sortBy(heading));
  heading.append(button);
}

/* Films: frames cut from a sheet, shown one at a time. */

function drawFrame(canvas, sheet, columns, frame) {
  const { width, height } = canvas;
  const left = (frame % columns) * width;
  const top = Math.floor(frame / columns) * height;
  canvas.getContext("2d").drawImage(sheet, left, top, width, height, 0, 0, width, height);
}

/* Under reduced motion the first frame is shown, and a button plays the film. */
const unmoved = matchMedia("(prefers-reduced-motion: reduce)");

/* Viewers: films with controls, which play also while they are pointed at. */

function startViewer(viewer) {
  const canvas = viewer.querySelector("canvas");
  const position = viewer.querySelector(".position");
  const play = viewer.querySelector(".play");
  const output = viewer.querySelector(".step");
  const steps = viewer.dataset.steps.split(" ");
  const columns = Number(viewer.dataset.columns);
  const last = steps.length - 1;
  const sheet = new Image();
  let timer = null;

  function show(frame) {
    drawFrame(canvas, sheet, columns, frame);
    position.value = frame;
    output.value = `${steps[frame]} / ${steps[last]}`;
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    play.textContent = "▶";
    play.setAttribute("aria-label", "Play");
  }

  function stepBy(amount) {
    pause();
    show(Math.min(last, Math.max(0, Number(position.value) + amount)));
  }

  function advance() {
    show(Math.min(last, Number(position.value) + 1));
    if (Number(position.value) === last) pause();
  }

  function startPlaying() {
    if (Number(position.value) === last) show(0);
    play.textContent = "❚❚";
    play.setAttribute("aria-label", "Pause");
    timer = setInterval(advance, 1000 / Number(viewer.dataset.fps));
  }

  play.addEventListener("click", () => (timer === null ? startPlaying() : pause()));
  viewer.querySelector(".back").addEventListener("click", () => stepBy(-1));
  viewer.querySelector(".forward").addEventListener("click", () => stepBy(1));
  position.addEventListener("input", () => stepBy(0));
  sheet.addEventListener("load", () => {
    viewer.querySelector(".controls").hidden = false;
    show(0);
    canvas.addEventListener("pointerenter", () => {
      if (timer === null && !unmoved.matches) startPlaying();
    });
    canvas.addEventListener("pointerleave", pause);
  });
  sheet.src = viewer.dataset.sheet;
}

for (const viewer of document.querySelectorAll(".viewer")) startViewer(viewer);

/* Peeks: a link to an entry that is pointed at or focused has the entry's film beside it, until Escape is pressed. */

const peek = { box: null, link: null, timer: null };

function hidePeek() {
  clearInterval(peek.timer);
  peek.box?.remove();
  peek.box = peek.link = peek.timer = null;
}

function placePeek() {
  const beside = peek.link.getBoundingClientRect();
  const box = peek.box.getBoundingClientRect();
  const below = beside.bottom + 8;
  const top = below + box.height <= innerHeight ? below : Math.max(0, beside.top - box.height - 8);
  peek.box.style.top = `${top}px`;
  peek.box.style.left = `${Math.max(4, Math.min(beside.left, innerWidth - box.width - 4))}px`;
}

function showPeek(link) {
  if (peek.link === link) return;
  hidePeek();
  const { sheet, frames, columns, width, height, fps, caption } = link.dataset;
  const box = document.createElement("div");
  const canvas = document.createElement("canvas");
  const text = document.createElement("p");
  box.className = "peek-box";
  box.setAttribute("aria-hidden", "true");
  canvas.width = Number(width);
  canvas.height = Number(height);
  text.textContent = caption;
  box.append(canvas, text);
  Object.assign(peek, { box, link });
  const image = new Image();
  image.addEventListener("load", () => {
    if (peek.box !== box) return;
    let frame = 0;
    drawFrame(canvas, image, Number(columns), frame);
    document.body.append(box);
    placePeek();
    if (unmoved.matches) return;
    peek.timer = setInterval(() => {
      frame = (frame + 1) % Number(frames);
      drawFrame(canvas, image, Number(columns), frame);
    }, 1000 / Number(fps));
  });
  image.src = sheet;
}

/* The link that something belongs to: itself, or that of its row where a row is one entry's. */
function peekLink(element) {
  return element.closest("a.peek") ?? element.closest(".entries tbody tr, .best tr")?.querySelector("a.peek");
}

document.addEventListener("pointerover", (event) => {
  if (event.pointerType !== "mouse") return;
  const link = peekLink(event.target);
  if (link) showPeek(link);
  else if (!peek.link?.matches(":focus-visible")) hidePeek();
});
document.addEventListener("focusin", (event) => {
  if (event.target.matches("a.peek:focus-visible")) showPeek(event.target);
  else hidePeek();
});
document.addEventListener("focusout", hidePeek);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hidePeek();
});
document.addEventListener(
  "scroll",
  () => {
    if (peek.box?.isConnected && peek.link.matches(":focus-visible")) placePeek();
    else if (peek.box?.isConnected) hidePeek();
  },
  { capture: true, passive: true },
);
