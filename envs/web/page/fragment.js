// Shows a fragment of HTML in place of the last one and says what is seen of it, as JSON:
// { count, depth, nodes, leftOut, hints }; `count` alone, or with `depth`, where these are too many.
//
// A text that is seen is itself; an element is [tag, attributes, nodes inside, its number, its state]. Nothing runs:
// the document's policy forbids scripts, and these, frames and what leads elsewhere go before it is shown.
([html, most, deepest]) => {
  const LEFT_OUT = {
    script: "script", noscript: "script", link: "style", iframe: "frame", frame: "frame", object: "frame", embed: "frame",
    portal: "frame", meta: "note to browsers", base: "note to browsers", title: "note to browsers",
    template: "note to browsers", slot: "note to browsers",
  };
  const ADDRESSES = ["href", "src", "srcset", "action", "formaction", "poster", "data", "background", "style"];
  const DRAWN = "svg, canvas, video, audio, picture source, map";
  const leftOut = {};
  const count = (what) => (leftOut[what] = (leftOut[what] ?? 0) + 1);

  const parsed = new DOMParser().parseFromString("<!doctype html><body>" + html, "text/html");
  // A declarative shadow root is what is shown of its host, with what is the host's own where there are slots for it.
  for (let root; (root = parsed.body.querySelector("template[shadowrootmode]")); ) {
    const host = root.parentElement;
    root.remove();
    let own = [...host.childNodes];
    for (const slot of root.content.querySelectorAll("slot")) {
      const fits = (node) => (node.getAttribute?.("slot") ?? "") === (slot.getAttribute("name") ?? "");
      const given = own.filter(fits);
      own = own.filter((node) => !fits(node));
      slot.replaceWith(...(given.some((node) => node.textContent.trim() || node.localName) ? given : slot.childNodes));
    }
    host.replaceChildren(root.content);
  }
  for (const style of parsed.head.querySelectorAll("style")) parsed.body.prepend(style);
  const all = [...parsed.body.querySelectorAll("*")];
  if (all.length > most) return JSON.stringify({ count: all.length });
  const depthOf = (element) => (element === parsed.body ? 0 : 1 + depthOf(element.parentNode));
  const depth = Math.max(0, ...all.map(depthOf));
  if (depth > deepest) return JSON.stringify({ count: all.length, depth });
  const hints = all.map((one) => `${one.getAttribute("class") ?? ""} ${one.id}`).join(" ");
  for (const element of all) {
    if (element.localName in LEFT_OUT) { count(LEFT_OUT[element.localName]); element.remove(); continue; }
    for (const { name, value } of [...element.attributes]) {
      if (name.startsWith("on")) { count("handler"); element.removeAttribute(name); }
      if (!ADDRESSES.includes(name)) continue;
      if (/^\s*(https?:|ftp:|wss?:|\/\/)/i.test(value) || (name === "style" && value.includes("url("))) count("remote address");
      if (/^\s*(javascript|vbscript|data):/i.test(value)) count("script");
    }
    if (element.localName === "style") count("style");
  }

  const shown = document.createElement("div");
  shown.append(...document.importNode(parsed.body, true).childNodes);
  document.body.replaceChildren(shown);
  for (const element of shown.querySelectorAll("[autofocus]")) element.blur();
  const numbered = [...shown.querySelectorAll("*")];
  numbered.forEach((element, number) => element.setAttribute("data-fragment", number));

  // Whether nothing around a node clips it to a point, or puts it off the page.
  function isSeen(element) {
    for (let one = element; one !== shown; one = one.parentElement) {
      const box = one.getBoundingClientRect();
      const clips = getComputedStyle(one).overflow !== "visible" || getComputedStyle(one).position === "absolute";
      if (clips && (box.width <= 1 || box.height <= 1 || box.right < 0 || box.bottom < 0)) return false;
    }
    return element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  }

  function read(node) {
    if (node.nodeType === Node.TEXT_NODE) {
      if (!node.data.trim()) return node.data ? [" "] : [];
      const range = document.createRange();
      range.selectNodeContents(node);
      if (!range.getClientRects().length) return [];
      if (!isSeen(node.parentElement)) { count("text that is only read out"); return []; }
      return [node.data];
    }
    if (node.nodeType !== Node.ELEMENT_NODE || node.localName === "style") return [];
    if (!node.checkVisibility() && !node.closest("select") && getComputedStyle(node).display !== "contents") {
      count("hidden element");
      return [];
    }
    const attributes = Object.fromEntries([...node.attributes].map(({ name, value }) => [name, value]));
    const number = Number(node.dataset.fragment);
    const isDrawn = node.matches(DRAWN);
    const ends = isDrawn || node.matches("textarea, select");
    const inside = ends ? [] : [...node.childNodes].flatMap(read);
    if (node.localName === "select") {
      for (const option of node.options) if (option.hidden) count("hidden option");
      const options = [...node.options].map(({ label, value, selected, disabled, dataset }) => (
        [label, value, selected, disabled, Number(dataset.fragment)]
      ));
      return [[node.localName, attributes, inside, number, { options, grouped: !!node.querySelector("optgroup") }]];
    }
    if (node.matches("input[type=submit], input[type=reset], input[type=button]")) {
      inside.push(node.value || { submit: "Submit", reset: "Reset" }[node.type] || "");
    }
    if (node.ariaHidden === "true" && node.textContent.trim()) count("text that is not read out");
    const held = node.matches("input, textarea") ? { value: node.value, type: node.type } : null;
    const display = getComputedStyle(node).display;
    return [[node.localName, attributes, inside, number, { ...held, drawn: isDrawn, line: display.startsWith("inline") }]];
  }
  const nodes = [...shown.childNodes].flatMap(read);
  return JSON.stringify({ count: all.length, depth, nodes, leftOut, hints });
}
