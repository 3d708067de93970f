// A person draws a level: what is drawn is reported, and the page shows what comes back. The part of the script before
// this one knows what is drawn on (makeBoard) and how it is played (makePlay).
"use strict";

(() => {
  const byId = (id) => document.getElementById(id);
  const buttons = [...document.querySelectorAll("[role=toolbar] button")];
  const LARGEST = 2 ** 18; // bytes of a file that is loaded; a report may have 2 ** 20
  const FRAME = 160; // milliseconds that a picture of a solution stays

  let turn = Promise.resolve(); // reports go one after the other
  let playing = false;
  let over = false;
  let film = 0; // the solution that is shown; another number ends it

  // Report, after all that was reported before, and show what comes back.
  function ask(message) {
    film += 1;
    if (playing && !["hold", "press"].includes(message.kind)) play.end(); // before it reports once more
    turn = turn
      .then(() => (over ? null : report(message)))
      .then((answer) => answer && show(answer))
      .catch((error) => stop(`The program behind this page does not answer: ${error.message}`));
    return turn;
  }

  const back = () => ask({ kind: "begin" });
  const board = makeBoard({ byId, ask });
  const play = makePlay({ byId, ask, back });

  function show(answer) {
    const turned = answer.playing !== playing;
    playing = answer.playing;
    showPicture(answer.picture);
    if (answer.board) {
      board.show(answer.board);
      byId("note").textContent = answer.note;
      byId("undo").disabled = !answer.undo;
      byId("redo").disabled = !answer.redo;
      if (!answer.bad) showSettings(answer.settings); // else what was typed stays, to be mended
    }
    board.hide(playing);
    byId("place").hidden = playing;
    byId("keys").hidden = !playing;
    byId("tools").hidden = playing;
    byId("play").textContent = playing ? "Draw" : "Play";
    tell(answer.message, answer.bad);
    if (turned && playing) play.begin();
    else if (turned) play.end();
    if (answer.frames) animate(answer.frames);
  }

  function showPicture(source) {
    byId("picture").hidden = source === null;
    if (source === null) byId("picture").removeAttribute("src");
    else byId("picture").src = source;
  }

  function tell(message, bad) {
    byId("message").textContent = message;
    byId("message").className = bad ? "bad" : "";
  }

  function stop(message) {
    over = true;
    play.end();
    board.hide(true);
    for (const control of document.querySelectorAll("button, input, select")) control.disabled = true;
    tell(message, true);
  }

  async function animate(frames) {
    const shown = (film += 1);
    const level = byId("picture").getAttribute("src");
    for (const frame of frames) {
      showPicture(frame);
      await new Promise((resolve) => setTimeout(resolve, FRAME));
      if (film !== shown) return;
    }
    await new Promise((resolve) => setTimeout(resolve, 4 * FRAME));
    if (film === shown) showPicture(level);
  }

  // Settings are made again only where there are others than before, so that the focus stays.
  function showSettings(settings) {
    const shape = JSON.stringify(settings.map((one) => ({ ...one, value: "" })));
    if (byId("settings").dataset.shape !== shape) {
      byId("settings").dataset.shape = shape;
      const focused = document.activeElement?.closest("#settings [name]")?.name;
      const groups = new Map(settings.map((one) => [one.group, []]));
      for (const setting of settings) groups.get(setting.group).push(...controls(setting));
      byId("settings").replaceChildren(...[...groups].map(([group, made]) => fieldset(group, made)));
      if (focused) byId("settings").querySelector(`[name="${focused}"]`)?.focus();
    }
    for (const { name, value } of settings) byId("settings").querySelector(`[name="${name}"]`).value = value;
  }

  function fieldset(group, made) {
    const [set, legend] = ["fieldset", "legend"].map((tag) => document.createElement(tag));
    legend.textContent = group;
    set.append(legend, ...made);
    return set;
  }

  function controls({ name, choices, pieces }) {
    const label = document.createElement("label");
    const input = choices.length ? selectOf(choices) : document.createElement("input");
    input.name = name;
    if (!choices.length) input.type = "text";
    label.append(name, input);
    const change = (value) => ask({ kind: "set", name, value });
    input.addEventListener("change", () => change(input.value));
    return pieces.length ? [label, joiner(name, pieces, input, change)] : [label];
  }

  function selectOf(choices) {
    const select = document.createElement("select");
    select.append(...choices.map((choice) => new Option(choice)));
    return select;
  }

  // Puts a text together from pieces: one alone, or one more behind what there is.
  function joiner(name, pieces, input, change) {
    const line = document.createElement("div");
    const piece = selectOf(pieces);
    const negated = document.createElement("label");
    const box = document.createElement("input");
    line.className = "joiner";
    box.type = "checkbox";
    negated.append(box, "not");
    piece.setAttribute("aria-label", `Piece for ${name}`);
    line.append(negated, piece);
    for (const [text, title, sign] of [["set", "alone", ""], ["and", "besides", " & "], ["or", "instead", " | "]]) {
      const made = document.createElement("button");
      made.type = "button";
      made.textContent = text;
      made.setAttribute("aria-label", `${name}: this ${title}`);
      made.addEventListener("click", () => {
        input.value = `${sign ? input.value + sign : ""}${box.checked ? "~" : ""}${piece.value}`;
        change(input.value);
      });
      line.append(made);
    }
    return line;
  }

  function pressedAnywhere(event) {
    if (!(event.ctrlKey || event.metaKey) || event.target.matches("input[type=text]")) return false;
    if (event.key.toLowerCase() === "z") ask({ kind: event.shiftKey ? "redo" : "undo" });
    else if (event.key.toLowerCase() === "y") ask({ kind: "redo" });
    else return false;
    return true;
  }

  addEventListener("keydown", (event) => {
    if (over) return;
    const plain = !event.ctrlKey && !event.altKey && !event.metaKey;
    if (plain && (playing ? play : board).pressed(event)) event.preventDefault();
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
  back();
})();
