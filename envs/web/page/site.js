// A site's behaviour, and window.site, by which an agent uses it as a person does: `act` by events of this script,
// `aim` by those that the browser makes of the gestures that it returns.
//
// Inputs do what inputs do. What links and buttons do is known in here alone: nothing in the document tells which of them
// end the episode, and this script takes itself out of it.
"use strict";

(() => {
  // Of every page [index of an element, its behaviour, index of the element that this changes or null], ...
  const USABLE = [/* behaviours */];
  document.currentScript.remove();
  const pages = [...document.querySelectorAll("main")];
  // Of `value` only that of options to choose: elsewhere it is what is held at first.
  const OBSERVED = new Set(["type", "value", "placeholder", "title", "alt", "aria-label", "aria-description", "min", "max",
    "step", "required", "disabled", "readonly", "multiple"]);
  const writeText = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
  let current = 0;
  let end = ""; // how the episode ended: "sent" or "ended"
  let numActions = 0;

  const elementsOf = (page) => [page, ...page.querySelectorAll("*")];

  const behaviours = new WeakMap(); // by element what it does
  const targets = new WeakMap(); // by button the element that it hides and shows
  pages.forEach((page, number) => {
    const elements = elementsOf(page);
    for (const [index, behaviour, target] of USABLE[number]) {
      behaviours.set(elements[index], behaviour);
      if (target !== null) targets.set(elements[index], elements[target]);
    }
  });

  // The element, or the first one around it, that does something; null where none does.
  function used(element) {
    while (element && !behaviours.has(element)) element = element.parentElement;
    return element;
  }

  // What links and buttons do when they are clicked.
  const BEHAVIOURS = {
    visit: (element) => element.classList.add("visited"),
    toggle(element) {
      const isHidden = targets.get(element).classList.toggle("hidden");
      element.ariaExpanded = String(!isHidden);
    },
    leave: (element) => (current + 1 < pages.length ? show(current + 1) : BEHAVIOURS.visit(element)),
    submit(element) {
      if (current + 1 < pages.length) return;
      element.dataset.sent = "";
      finish("sent");
    },
    end: () => finish("ended"),
  };

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
    const element = used(event.target);
    const behave = element && BEHAVIOURS[behaviours.get(element)];
    if (!behave || end) return;
    behave(element);
    dropLostFocus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.localName === "a") event.target.click();
  });
  document.addEventListener("submit", (event) => event.preventDefault());

  // What an agent does to an element with a value, by behaviour; all else is clicked. Here by events of this script.
  const ACTIONS = { type, number: type, date: type, time: type, email: type, select, choose };

  // Forms of texts that lines take alone, stricter than the browser's.
  const FORMS = {
    date: /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/,
    time: /^[0-9]{2}:[0-9]{2}$/,
    email: /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/,
  };

  function type(element, value) {
    element.focus({ preventScroll: true });
    writeText.call(element, inForm(element, value));
    tellOfChange(element);
  }

  function select(element, value) {
    const option = optionOf(element, value);
    if (!option) return;
    element.selectedIndex = -1;
    element.focus({ preventScroll: true });
    option.selected = true;
    tellOfChange(element);
  }

  const optionOf = (element, value) =>
    [...element.options].find((one) => one.textContent === value && !one.disabled);

  // A text as a line takes it that takes such of a form alone: empty, if it is of another.
  function inForm(element, value) {
    const form = FORMS[behaviours.get(element)];
    return form && !form.test(value) ? "" : asTaken(element.type, value);
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

  // Element `index` of the current page, in the document's order, if an agent's next action with a value uses it: none
  // without a value (null), and none that is not drawn or does nothing. Unless the action is literal, a box that is to
  // stay as it was at first, or a list that holds the value, is visited, here and now, and of options it is the one that
  // is the value.
  function nextUsed(index, value, literal) {
    numActions += 1;
    const element = elementsOf(pages[current])[index];
    if (end || value === null || !behaviours.has(element) || !isDrawn(element)) return null;
    if (literal) return element;
    const behaviour = behaviours.get(element);
    if (behaviour === "choose")
      return elementsOf(pages[current]).find((one) => isOption(one, element.name, value)) ?? element;
    const stays = behaviour === "check" ? value !== String(!element.defaultChecked)
      : behaviour === "select" && optionOf(element, value) && valueOf(element) === value;
    if (!stays) return element;
    element.focus({ preventScroll: true });
    BEHAVIOURS.visit(element);
    return null;
  }

  const isOption = (element, name, value) =>
    behaviours.get(element) === "choose" && element.name === name && element.value === value && isDrawn(element);

  function act(index, value, literal = true) {
    const element = nextUsed(index, value, literal);
    if (element) (ACTIONS[behaviours.get(element)] || click)(element, value);
  }

  // The same by mouse and keyboard: what hands do after they have clicked, by behaviour. The browser makes the gestures.
  const GESTURES = {
    type: (element, value) => [["write", value]],
    number: (element, value) => [["write", inForm(element, value)]],
    email: (element, value) => [["write", inForm(element, value)]],
    // Their parts are written differently from land to land: the whole is put in place, as Playwright does.
    date: (element, value) => [["put", elementsOf(pages[current]).indexOf(element), inForm(element, value)]],
    time: (element, value) => [["put", elementsOf(pages[current]).indexOf(element), inForm(element, value)]],
    select(element, value) {
      const option = optionOf(element, value);
      if (!option) return null;
      if (element.multiple) return [];
      const from = element.selectedIndex;
      const way = Math.sign(option.index - from); // keys pass by what is disabled
      const isPassed = (one) => !one.disabled && (one.index - from) * way > 0 && (option.index - one.index) * way >= 0;
      return [["pick", way * [...element.options].filter(isPassed).length]];
    },
    choose: (element, value) => (element.value === value ? [] : null),
  };

  // An action as gestures. An element that something else covers cannot be used.
  function aim(index, value, literal = true) {
    const element = nextUsed(index, value, literal);
    if (!element) return [];
    const behaviour = behaviours.get(element);
    const gestures = behaviour in GESTURES ? GESTURES[behaviour](element, value) : [];
    const option = gestures && element.multiple ? optionOf(element, value) : null;
    option?.scrollIntoView({ block: "nearest", behavior: "instant" });
    const place = gestures && placeToHit(option ?? element, element);
    return place ? [["click", ...place], ...gestures] : [];
  }

  // What a line of a type makes of a text: letters typed into one of numbers would be left out one by one.
  function asTaken(type, text) {
    const line = document.createElement("input");
    line.type = type;
    line.value = text;
    return line.value;
  }

  // What a gesture puts into a line.
  function put(index, value) {
    const element = elementsOf(pages[current])[index];
    writeText.call(element, value);
    tellOfChange(element);
  }

  // The middle of an element in the window, or where else it is not covered; scrolled to if need be.
  function placeToHit(element, meant = element) {
    let box = element.getBoundingClientRect();
    if (box.top < 0 || box.bottom > innerHeight) {
      element.scrollIntoView({ block: "center", behavior: "instant" });
      box = element.getBoundingClientRect();
    }
    for (const part of [0.5, 0.1, 0.9]) {
      const place = [box.left + box.width / 2, box.top + box.height * part];
      if (used(document.elementFromPoint(...place)) === meant) return place;
    }
    return null;
  }

  // The site as it is, as JSON: number of the agent's actions so far, number of the current page, how the episode
  // ended ("" before its end), and the page's elements. Or another page, as it was left.
  function observe(number = current) {
    const page = pages[number];
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
    return JSON.stringify([numActions, number, end, elements]);
  }

  function ownText(element) {
    let text = "";
    for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) text += node.data;
    return text;
  }

  function observedAttributes(element) {
    const values = [];
    for (const { name, value } of element.attributes) {
      if (OBSERVED.has(name) && (name !== "value" || element.type === "radio")) values.push(value);
    }
    return values;
  }

  function valueOf(element) {
    if (element.localName === "select") return element.selectedOptions[0]?.textContent ?? "";
    if (element.localName !== "input") return "";
    return element.type === "checkbox" || element.type === "radio" ? (element.checked ? "checked" : "") : element.value;
  }

  function boxOf(element, around) {
    const box = element.getBoundingClientRect();
    if ((!box.width && !box.height) || element.localName === "option") return [0, 0, 0, 0];
    return [box.left - around.left, box.top - around.top, box.width, box.height];
  }

  window.site = Object.freeze({ act, aim, observe, put, used });
})();
