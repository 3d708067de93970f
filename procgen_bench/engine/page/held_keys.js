// Which keys and mouse buttons are held, by the names that real-time controls have for them.
"use strict";

// Calls changed(name, goesDown) for every change. Buttons of the mouse count on the picture.
function heldKeys(picture, changed) {
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

  // As keyboards have them, not as they are printed: w a s d are where they are on an American one.
  const nameOf = (code) => NAMES[code] ?? (/^Key[A-Z]$/.test(code) ? code.at(-1).toLowerCase() : null);

  function change(name, goesDown) {
    if (goesDown === down.has(name)) return;
    if (goesDown) down.add(name);
    else down.delete(name);
    changed(name, goesDown);
  }

  function release() {
    for (const name of [...down]) change(name, false);
  }

  addEventListener("keyup", ({ code }) => change(nameOf(code), false));
  for (const [event, goesDown] of [["pointerdown", true], ["pointerup", false], ["pointercancel", false]])
    addEventListener(event, ({ button, target }) => {
      if (!goesDown || target === picture) change(MOUSE[Math.max(button, 0)], goesDown);
    });
  for (const event of ["contextmenu", "dragstart"]) picture.addEventListener(event, (one) => one.preventDefault());
  addEventListener("blur", release);

  return {
    change,
    release,
    forget: () => down.clear(), // without a change
    // A key goes down, unless it is none of the names.
    pressed({ code }) {
      const name = nameOf(code);
      if (name) change(name, true);
      return name !== null;
    },
  };
}
