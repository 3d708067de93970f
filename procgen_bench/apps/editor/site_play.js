// Play a site in a frame of its own, which reports what is done in it.
"use strict";

function makePlay({ byId, back }) {
  byId("leave").addEventListener("click", back);
  return {
    begin() {
      byId("theatre").hidden = false;
      byId("player").src = "play/";
      byId("leave").focus();
    },
    end() {
      byId("theatre").hidden = true;
      byId("player").src = "about:blank";
    },
    pressed(event) {
      if (event.key === "Escape") back();
      return event.key === "Escape";
    },
  };
}
