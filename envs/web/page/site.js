// A site's behaviour, and window.site, by which an agent uses it as a person does.
//
// Inputs do what inputs do. Links and buttons tell by data-behaviour what they do, and by data-target to which element.
"use strict";

(() => {
  const pages = [...document.querySelectorAll("main")];
  const OBSERVED = new Set(["type", "value", "placeholder", "title", "alt", "aria-label"]);
  const writeText = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
  let current = 0;
  let end = ""; // how the episode ended: "sent" or "ended"
  let numActions = 0;

  // What links and buttons do when they are clicked.
  const BEHAVIOURS = {
    visit: (element) => element.classList.add("visited"),
    toggle: (element) => targetOf(element).classList.toggle("hidden"),
    leave: (element) => (current + 1 < pages.length ? show(current + 1) : BEHAVIOURS.visit(element)),
    submit: () => current + 1 === pages.length && finish("sent"),
    end: () => finish("ended"),
  };

  const elementsOf = (page) => [page, ...page.querySelectorAll("*")];

  const targetOf = (element) => document.getElementById(element.dataset.target);

  function finish(how) {
    end = how;
    pages[current].dataset.end = how;
  }

  function show(number) {
    pages[current].hidden = true;
    pages[number].hidden = false;
    current = number;
    scrollTo(0, 0);
  }

  const isDrawn = (element) => element.checkVisibility();

  // Browsers take the focus from what is hidden when they next draw; here it is gone at once.
  function dropLostFocus() {
    const element = document.activeElement;
    if (element !== document.body && !isDrawn(element)) element.blur();
  }

  document.addEventListener("click", (event) => {
    const element = event.target.closest("[data-behaviour]");
    const behave = element && BEHAVIOURS[element.dataset.behaviour];
    if (!behave || end) return;
    behave(element);
    dropLostFocus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches("a[data-behaviour]")) event.target.click();
  });
  document.addEventListener("submit", (event) => event.preventDefault());

  // What an agent does to an element with a value, by behaviour; all else is clicked.
  const ACTIONS = { type, number: type, select, choose };

  function type(element, value) {
    element.focus({ preventScroll: true });
    writeText.call(element, value);
    tellOfChange(element);
  }

  function select(element, value) {
    const option = [...element.options].find((one) => one.textContent === value);
    if (!option) return;
    element.focus({ preventScroll: true });
    option.selected = true;
    tellOfChange(element);
  }

  function choose(element, value) {
    if (element.value === value) click(element);
  }

  function click(element) {
    element.focus({ preventScroll: true });
    element.click();
  }

  function tellOfChange(element) {
    element.dispatchEvent(new Event("input", { bubbles: true }));
    element.dispatchEvent(new Event("change", { bubbles: true }));
  }

  // Use element `index` of the current page, in the document's order, with a value; nothing is done without a value
  // (null), or with an element that is not drawn or does nothing.
  function act(index, value) {
    numActions += 1;
    const element = elementsOf(pages[current])[index];
    if (end || value === null || !element?.dataset.behaviour || !isDrawn(element)) return;
    (ACTIONS[element.dataset.behaviour] || click)(element, value);
  }

  // The site as it is, as JSON: number of the agent's actions so far, number of the current page, how the episode
  // ended ("" before its end), and the page's elements.
  function observe() {
    const page = pages[current];
    const around = page.getBoundingClientRect();
    const numbers = new Map([[page.parentElement, -1]]);
    const depths = new Map([[page.parentElement, -1]]);
    const elements = elementsOf(page).map((element, number) => {
      const parent = element.parentElement;
      const depth = depths.get(parent) + 1;
      numbers.set(element, number);
      depths.set(element, depth);
      return [
        element.localName,
        [...element.classList],
        ownText(element),
        observedAttributes(element),
        valueOf(element),
        depth,
        numbers.get(parent),
        boxOf(element, around),
        element === document.activeElement,
      ];
    });
    return JSON.stringify([numActions, current, end, elements]);
  }

  function ownText(element) {
    let text = "";
    for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) text += node.data;
    return text;
  }

  function observedAttributes(element) {
    const values = [];
    for (const { name, value } of element.attributes) if (OBSERVED.has(name)) values.push(value);
    return values;
  }

  function valueOf(element) {
    if (element.localName === "select") return element.selectedOptions[0]?.textContent ?? "";
    if (element.localName !== "input") return "";
    return element.type === "checkbox" || element.type === "radio" ? (element.checked ? "checked" : "") : element.value;
  }

  function boxOf(element, around) {
    const box = element.getBoundingClientRect();
    if (!box.width && !box.height) return [0, 0, 0, 0];
    return [box.left - around.left, box.top - around.top, box.width, box.height];
  }

  window.site = Object.freeze({ act, observe });
})();
