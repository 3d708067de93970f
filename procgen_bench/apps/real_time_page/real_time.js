// A person plays in real time: keys are reported as they change, and what the program shows is asked for, picture by
// picture; the program keeps the pace.
"use strict";

(() => {
  const byId = (id) => document.getElementById(id);
  const game = byId("game");
  const buttons = [...document.querySelectorAll("[data-command]")];
  const keys = heldKeys(byId("picture"), (name, goesDown) => {
    changes.push([name, goesDown]);
    sendKeys();
  });

  let mine = 0; // the number of this window; 0: it is out of the game
  let changes = []; // of keys, which are not reported yet
  let sending = false;

  async function begin() {
    changes = [];
    mine = (await report({ kind: "begin" })).window;
    byId("take").hidden = true;
    setPlayable(true);
    game.focus({ preventScroll: true });
    await watch();
  }

  async function watch() {
    for (let seen = 0; ; ) {
      const answer = await report({ kind: "next", window: mine, seen });
      if (answer.over) return stop("Play has ended", "You may close this page.");
      if (answer.elsewhere) return giveWay();
      seen = answer.number;
      show(answer);
    }
  }

  // Keys go one report after the other, in their order; those that change meanwhile go together.
  async function sendKeys() {
    if (sending) return;
    sending = true;
    try {
      while (changes.length && mine) await report({ kind: "keys", window: mine, changes: changes.splice(0) });
    } catch (error) {
      fail(error);
    }
    sending = false;
  }

  function show(answer) {
    byId("picture").src = answer.picture;
    byId("picture").alt = `View: ${answer.view}`;
    tell("what", answer.what);
    describe(answer.description);
    for (const name of ["return", "reward", "steps"]) tell(name, answer[name]);
    tell("remark", answer.waits ? "Press a key to begin." : "");
    if (answer.outcome && byId("end").hidden) end(answer.outcome, "Start again, or take a new task.", answer.success);
    else byId("end").hidden = !answer.outcome;
  }

  // Texts that stay the same are not written again: who has them read aloud would hear them again.
  function tell(id, text) {
    if (byId(id).textContent !== text) byId(id).textContent = text;
  }

  function describe(lines) {
    const described = byId("description");
    while (described.children.length > lines.length) described.lastChild.remove();
    lines.forEach((line, number) => {
      if (!described.children[number]) described.append(document.createElement("p"));
      const place = described.children[number];
      if (place.dataset.line === line) return;
      place.dataset.line = line;
      place.replaceChildren(
        ...line.split("   ").map((part) => Object.assign(document.createElement("span"), { textContent: part })),
      );
    });
  }

  function end(outcome, account, success) {
    byId("outcome").textContent = outcome;
    byId("account").textContent = account;
    byId("end").className = success === undefined ? "" : success ? "success" : "failure";
    byId("end").hidden = false;
  }

  function setPlayable(playable) {
    game.inert = byId("touch").inert = !playable;
    for (const button of buttons) button.disabled = !playable;
  }

  function giveWay() {
    mine = 0;
    keys.forget();
    setPlayable(false);
    tell("remark", "The game goes on in another window.");
    byId("take").hidden = false;
  }

  function stop(outcome, account) {
    mine = 0;
    setPlayable(false);
    tell("remark", "");
    byId("take").hidden = true;
    end(outcome, account);
  }

  const stopped = () => byId("end").hidden === false && game.inert;

  function fail(error) {
    if (!stopped()) stop("Play has stopped", `The program behind this page does not answer: ${error.message}`);
  }

  game.addEventListener("keydown", (event) => {
    const leaves = event.shiftKey && event.key === "Tab";
    if (!event.ctrlKey && !event.altKey && !event.metaKey && !leaves && keys.pressed(event)) event.preventDefault();
  });
  game.addEventListener("blur", keys.release);

  for (const button of buttons)
    button.addEventListener("click", () => {
      keys.change(button.dataset.command, true);
      keys.change(button.dataset.command, false);
      game.focus({ preventScroll: true });
    });
  for (const button of document.querySelectorAll("[data-key]")) {
    for (const [event, goesDown] of [["pointerdown", true], ["pointerup", false], ["pointercancel", false], ["pointerleave", false]])
      button.addEventListener(event, () => keys.change(button.dataset.key, goesDown));
    // Two thumbs play at once; neither takes the focus, and a long press opens no menu.
    for (const event of ["mousedown", "contextmenu"]) button.addEventListener(event, (one) => one.preventDefault());
  }
  byId("take").addEventListener("click", () => begin().catch(fail));
  addEventListener("pagehide", () => {
    if (!mine) return;
    const headers = { "Content-Type": "application/json" };
    fetch("report", { method: "POST", keepalive: true, headers, body: JSON.stringify({ kind: "leave", window: mine }) });
  });
  addEventListener("pageshow", (event) => event.persisted && location.reload());
  begin().catch(fail);
})();
