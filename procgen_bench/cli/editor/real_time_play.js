// Play in real time: a report every so often of the keys that went down or up, answered by the picture after a step.
"use strict";

function makePlay({ byId, ask, back }) {
  const PERIOD = 1000 / Number(byId("keys").dataset.fps); // milliseconds from a step to the next
  const NAMES = {
    ArrowUp: "up",
    ArrowDown: "down",
    ArrowLeft: "left",
    ArrowRight: "right",
    ShiftLeft: "left shift",
    ShiftRight: "right shift",
    Space: "space",
    Tab: "tab",
  };
  const MOUSE = ["left mouse", "middle mouse", "right mouse"];
  const down = new Set();
  let changes = [];
  let round = 0; // of the loop that runs; another number ends it

  // As keyboards have them, not as they are printed: w a s d are where they are on an American one.
  const nameOf = (code) => NAMES[code] ?? (/^Key[A-Z]$/.test(code) ? code.at(-1).toLowerCase() : null);

  function change(name, goesDown) {
    if (goesDown === down.has(name)) return;
    if (goesDown) down.add(name);
    else down.delete(name);
    changes.push([name, goesDown]);
  }

  addEventListener("keyup", (event) => {
    const name = nameOf(event.code);
    if (name && down.has(name)) change(name, false);
  });
  for (const [event, goesDown] of [["pointerdown", true], ["pointerup", false]])
    addEventListener(event, ({ button, target }) => {
      if (!goesDown || target === byId("picture")) change(MOUSE[button], goesDown);
    });
  for (const event of ["contextmenu", "dragstart"])
    byId("picture").addEventListener(event, (one) => one.preventDefault());
  addEventListener("blur", () => [...down].forEach((name) => change(name, false)));

  return {
    async begin() {
      const own = (round += 1);
      down.clear();
      changes = [];
      document.activeElement?.blur(); // the space bar is a key of the game
      while (own === round) {
        const began = performance.now();
        await ask({ kind: "hold", changes: changes.splice(0) });
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, PERIOD - (performance.now() - began))));
      }
    },
    end: () => (round += 1),
    pressed(event) {
      const name = nameOf(event.code);
      if (event.key === "Escape") back();
      else if (name) change(name, true);
      else return false;
      return true;
    },
  };
}
