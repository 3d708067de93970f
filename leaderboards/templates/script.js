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

/* Viewers: frames cut from a sheet, shown one at a time. */

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
    const { width, height } = canvas;
    const left = (frame % columns) * width;
    const top = Math.floor(frame / columns) * height;
    canvas.getContext("2d").drawImage(sheet, left, top, width, height, 0, 0, width, height);
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
  });
  sheet.src = viewer.dataset.sheet;
}

for (const viewer of document.querySelectorAll(".viewer")) startViewer(viewer);
