// A person draws a level: each place that is drawn on is reported, and the page shows the picture that comes back.
"use strict";

(() => {
  const byId = (id) => document.getElementById(id);
  const grid = byId("places");
  const [columns, rows] = [grid.dataset.columns, grid.dataset.rows].map((edges) => edges.split(" ").map(Number));
  const [width, height] = ["--width", "--height"].map((name) => Number(byId("board").style.getPropertyValue(name)));
  const places = []; // [row][column]
  const brushes = [...document.querySelectorAll("[name=brush]")];
  const buttons = [...document.querySelectorAll("[role=toolbar] button")];
  const LARGEST = 2 ** 18; // bytes of a file that is loaded; a report may have 2 ** 20
  const FRAME = 160; // milliseconds that a picture of a solution stays

  let turn = Promise.resolve(); // reports go one after the other
  let stroke = 0; // what is drawn in one stroke is undone at once
  let playing = false;
  let over = false;
  let film = 0; // the solution that is shown; another number ends it

  // Report, after all that was reported before, and show what comes back.
  function ask(message) {
    film += 1;
    turn = turn
      .then(() => (over ? null : report(message)))
      .then((answer) => answer && show(answer))
      .catch((error) => stop(`The program behind this page does not answer: ${error.message}`));
    return turn;
  }

  function show(answer) {
    playing = answer.playing;
    byId("picture").src = answer.picture;
    answer.labels.forEach((labels, row) =>
      labels.forEach((label, column) => {
        places[row][column].setAttribute("aria-label", `${label}, column ${column + 1}, row ${row + 1}`);
      }),
    );
    byId("undo").disabled = !answer.undo;
    byId("redo").disabled = !answer.redo;
    grid.hidden = playing;
    byId("keys").hidden = !playing;
    byId("play").textContent = playing ? "Draw" : "Play";
    tell(answer.message, answer.bad);
    if (answer.frames) animate(answer.frames);
  }

  function tell(message, bad) {
    byId("message").textContent = message;
    byId("message").className = bad ? "bad" : "";
  }

  function stop(message) {
    over = true;
    grid.hidden = true;
    for (const control of [...buttons, ...brushes]) control.disabled = true;
    tell(message, true);
  }

  async function animate(frames) {
    const shown = (film += 1);
    const level = byId("picture").src;
    for (const frame of frames) {
      byId("picture").src = frame;
      await new Promise((resolve) => setTimeout(resolve, FRAME));
      if (film !== shown) return;
    }
    await new Promise((resolve) => setTimeout(resolve, 4 * FRAME));
    if (film === shown) byId("picture").src = level;
  }

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

  let drawnOn = null; // the place that was drawn on last while the mouse is down
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

  const MOVES = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

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

  function pressedInPlay(event) {
    if (event.key === "Escape") ask({ kind: "begin" });
    else if (event.key in MOVES) ask({ kind: "press", key: event.key.slice("Arrow".length).toLowerCase() });
    else if (/^[a-z]$/.test(event.key) && !["n", "q"].includes(event.key)) ask({ kind: "press", key: event.key });
    else return false;
    return true;
  }

  function pressedAnywhere(event) {
    const brush = brushes[Number(event.key) - 1];
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z")
      ask({ kind: event.shiftKey ? "redo" : "undo" });
    else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "y") ask({ kind: "redo" });
    else if (brush && !event.ctrlKey && !event.altKey && !event.metaKey) brush.checked = true;
    else return false;
    return true;
  }

  addEventListener("keydown", (event) => {
    if (over) return;
    const plain = !event.ctrlKey && !event.altKey && !event.metaKey;
    if (plain && (playing ? pressedInPlay(event) : pressedInGrid(event))) event.preventDefault();
    else if (!playing && pressedAnywhere(event)) event.preventDefault();
  });

  for (const kind of ["undo", "redo", "clear"]) byId(kind).addEventListener("click", () => ask({ kind }));
  for (const kind of ["prove", "save"])
    byId(kind).addEventListener("click", () => {
      tell("The solver is at work\u2026", false); // the first time, it is compiled
      ask({ kind });
    });
  byId("play").addEventListener("click", () => ask({ kind: playing ? "begin" : "play" }));
  byId("finish").addEventListener("click", () => {
    ask({ kind: "finish" }).then(() => over || stop(byId("message").textContent));
  });
  byId("load").addEventListener("click", () => byId("file").click());
  byId("file").addEventListener("change", async () => {
    const [file] = byId("file").files;
    byId("file").value = ""; // so that the same file can be chosen again
    if (file && file.size > LARGEST) tell(`${file.name} is no task file: it is larger than any level`, true);
    else if (file) ask({ kind: "load", name: file.name, text: await file.text() });
  });
  ask({ kind: "begin" });
})();
