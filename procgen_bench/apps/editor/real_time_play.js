// Play in real time: a report every so often of the keys that went down or up, answered by the picture after a step.
"use strict";

function makePlay({ byId, ask, back }) {
  const PERIOD = 1000 / Number(byId("keys").dataset.fps); // milliseconds from a step to the next
  const keys = heldKeys(byId("picture"), (name, goesDown) => changes.push([name, goesDown]));
  let changes = [];
  let round = 0; // of the loop that runs; another number ends it

  return {
    async begin() {
      const own = (round += 1);
      keys.forget();
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
      if (event.key === "Escape") back();
      else return keys.pressed(event);
      return true;
    },
  };
}
