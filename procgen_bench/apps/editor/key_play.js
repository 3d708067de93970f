// Play with a step a key.
"use strict";

function makePlay({ ask, back }) {
  return {
    begin() {},
    end() {},
    pressed(event) {
      if (event.key === "Escape") back();
      else if (/^Arrow/.test(event.key)) ask({ kind: "press", key: event.key.slice("Arrow".length).toLowerCase() });
      else if (/^[a-z]$/.test(event.key) && !["n", "q"].includes(event.key)) ask({ kind: "press", key: event.key });
      else return false;
      return true;
    },
  };
}
