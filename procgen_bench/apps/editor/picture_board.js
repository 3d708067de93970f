// The level on a picture: places are drawn on with the brush that is chosen.
"use strict";

function makeBoard({ byId, ask }) {
  const grid = byId("places");
  const brushes = [...document.querySelectorAll("[name=brush]")];
  const MOVES = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
  let places = []; // [row][column]
  let laidOut = ""; // the layout that the places are for
  let stroke = 0; // what is drawn in one stroke is undone at once
  let drawnOn = null; // the place that was drawn on last while the mouse is down

  function paint(place) {
    const brush = brushes.findIndex((one) => one.checked);
    const [column, row] = [Number(place.dataset.column), Number(place.dataset.row)];
    ask({ kind: "paint", brush, column, row, stroke }).then(() => tellPlace(place));
  }

  const placeAt = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest("[role=gridcell]");
  const tellPlace = (place) => (byId("place").textContent = place ? place.getAttribute("aria-label") : "");

  function focus(place) {
    for (const one of places.flat()) one.tabIndex = one === place ? 0 : -1;
    place.focus({ preventScroll: true });
  }

  const percent = (pixels, all) => `${(100 * pixels) / all}%`;

  function layOut({ width, height, columns, rows }) {
    byId("board").style.setProperty("--width", width);
    byId("board").style.setProperty("--height", height);
    places = [];
    grid.replaceChildren();
    for (let row = 0; row + 1 < rows.length; row += 1) {
      const line = document.createElement("div");
      line.setAttribute("role", "row");
      places.push([]);
      for (let column = 0; column + 1 < columns.length; column += 1) {
        const place = document.createElement("div");
        place.setAttribute("role", "gridcell");
        place.tabIndex = row || column ? -1 : 0;
        Object.assign(place.dataset, { column, row });
        place.style.left = percent(columns[column], width);
        place.style.top = percent(rows[row], height);
        place.style.width = percent(columns[column + 1] - columns[column], width);
        place.style.height = percent(rows[row + 1] - rows[row], height);
        line.append(place);
        places[row].push(place);
      }
      grid.append(line);
    }
  }

  grid.addEventListener("pointerdown", (event) => {
    const place = placeAt(event);
    if (event.button || !place) return;
    event.preventDefault();
    stroke += 1;
    drawnOn = place;
    focus(place);
    paint(place);
  });
  addEventListener("pointermove", (event) => {
    const place = placeAt(event);
    if (place) tellPlace(place);
    if (!drawnOn || !place || place === drawnOn) return;
    drawnOn = place;
    paint(place);
  });
  for (const end of ["pointerup", "pointercancel", "blur"]) addEventListener(end, () => (drawnOn = null));
  grid.addEventListener("focusin", (event) => tellPlace(event.target));

  function pressedInGrid(event) {
    const place = event.target.closest("[role=gridcell]");
    if (!place) return false;
    const [column, row] = [Number(place.dataset.column), Number(place.dataset.row)];
    if (event.key === " " || event.key === "Enter") {
      stroke += 1;
      paint(place);
    } else if (event.key in MOVES) {
      const next = places[row + MOVES[event.key][1]]?.[column + MOVES[event.key][0]];
      if (next) focus(next);
    } else return false;
    return true;
  }

  return {
    show({ layout, labels }) {
      if (JSON.stringify(layout) !== laidOut) layOut(layout);
      laidOut = JSON.stringify(layout);
      labels.forEach((line, row) =>
        line.forEach((label, column) => places[row][column].setAttribute("aria-label", label)),
      );
    },
    // Whether a key that is pressed without others means something.
    pressed(event) {
      if (pressedInGrid(event)) return true;
      const brush = document.querySelector(".few") && brushes[Number(event.key) - 1];
      if (brush) brush.checked = true;
      return Boolean(brush);
    },
    hide: (hidden) => (grid.hidden = hidden),
  };
}
