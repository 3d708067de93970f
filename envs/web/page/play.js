// A person plays: what is done in the site is reported, and the site does what comes back, as an agent's page does.
//
// The site changes by window.site.act alone. Clicks are caught before they do anything. Texts stand as they were typed
// until the person goes on to something else; one that an agent could not type is then put back.
"use strict";

(() => {
  const byId = (id) => document.getElementById(id);
  const frame = byId("site");
  // Characters of a text that are reported: more than any value has.
  const LONGEST = 4000;

  let site, page; // the site's document and its window.site
  let episode, steps, over;
  let acting = false; // the site's events are our own
  let waiting = 0; // reports that are under way
  let turn = Promise.resolve(); // reports go one after the other
  let reported = new Map(); // the text that was last reported of a control, or put into it

  // Do something after all that was begun before.
  function afterwards(doing) {
    waiting += 1;
    turn = turn
      .then(doing)
      .catch((error) => end("Play has stopped", `The program that counts the reward does not answer: ${error.message}`))
      .finally(() => (waiting -= 1));
  }

  // Show the episode as it stands.
  async function begin(reason) {
    const answer = await report({ kind: "begin" });
    episode = answer.episode;
    steps = 0;
    over = false;
    reported = new Map();
    tellInstruction(answer.what, answer.instruction);
    await loadSite();
    for (const [index, value] of answer.orders) act(index, value);
    for (const control of site.querySelectorAll("input, select")) reported.set(control, textOf(control));
    showStatus(answer.status);
    remark(reason);
    await check();
  }

  async function loadSite() {
    const loaded = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
    frame.src = "site";
    await loaded;
    site = frame.contentDocument;
    page = frame.contentWindow.site;
    frame.inert = false;
    site.addEventListener("click", clicked, true);
    site.addEventListener("focusin", (event) => tellTexts(event.target), true);
    site.addEventListener("change", (event) => event.target.localName === "select" && tellTexts(), true);
    site.addEventListener("keydown", (event) => event.key === "Enter" && tellTexts(), true);
  }

  const shownPage = () => site.querySelector("main:not([hidden])");
  const indexOf = (element) => [shownPage(), ...shownPage().querySelectorAll("*")].indexOf(element);
  const takesText = (element) =>
    page.used(element) === element && element.matches("select, input:not([type=checkbox], [type=radio])");
  const textOf = (control) => (control.localName === "select" ? control.selectedOptions[0].textContent : control.value);
  const unfinished = () =>
    [...shownPage().querySelectorAll("input, select")].filter((one) => takesText(one) && textOf(one) !== reported.get(one));

  function write(control, text) {
    if (control.localName === "select") [...control.options].find((one) => one.textContent === text).selected = true;
    else control.value = text;
    reported.set(control, text);
  }

  function clicked(event) {
    if (acting) return;
    tellTexts(event.target);
    const element = page.used(event.target);
    if (!element || takesText(element)) return;
    event.preventDefault();
    event.stopPropagation();
    afterwards(() => use(element, null));
  }

  // Report the texts that are finished: all, but for that of the control in which the person is.
  function tellTexts(current) {
    if (acting) return;
    for (const control of unfinished()) {
      if (control === current) continue;
      const text = textOf(control);
      reported.set(control, text);
      afterwards(() => use(control, text));
    }
  }

  async function use(element, text) {
    if (over || element.ownerDocument !== site || element.closest("main").hidden) return;
    const patience = setTimeout(() => remark("Waiting for the environment\u2026"), 1000);
    const used = { kind: "use", episode, steps, element: indexOf(element), text: text && text.slice(0, LONGEST) };
    const answer = await report(used).finally(() => clearTimeout(patience));
    remark("");
    if (answer.stale) return begin("The site went on elsewhere: this is how it stands.");
    if (!answer.order) return;
    const [index, value, holds] = answer.order;
    const refused = text !== null && value === null;
    if (refused) write(element, holds);
    act(index, value);
    if (text !== null) reported.set(element, holds);
    showStatus(answer.status);
    if (refused) remark(`\u201c${brief(text)}\u201d is not a value of the instruction.`);
    if (waiting === 1) await check();
  }

  // As an agent acts; the person stays where they are.
  function act(index, value) {
    const focused = site.activeElement;
    acting = true;
    page.act(index, value);
    if (focused !== site.activeElement && focused !== site.body && focused.checkVisibility())
      focused.focus({ preventScroll: true });
    acting = false;
    steps += 1;
  }

  async function check() {
    const answer = await report({
      kind: "shown",
      episode,
      steps,
      page: page.observe(),
      unfinished: unfinished().map(indexOf),
    });
    if (answer.stale) await begin("The site was not as it should be, and was loaded again.");
  }

  function remark(text) {
    byId("remark").textContent = text;
  }

  const brief = (text) => (text.length > 40 ? `${text.slice(0, 40)}\u2026` : text);

  function tellInstruction(what, instruction) {
    byId("what").textContent = what;
    byId("instruction").replaceChildren(...instruction.map(([label, value]) => fieldOf(label, value)));
  }

  function fieldOf(label, value) {
    const field = document.createElement("div");
    const [term, description, copy] = ["dt", "dd", "button"].map((tag) => document.createElement(tag));
    term.textContent = label;
    description.textContent = value;
    copy.type = "button";
    copy.title = `Copy ${label}`;
    copy.textContent = "Copy";
    copy.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(value);
        copy.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(description); // the browser does not let us: one key is left to press
        copy.textContent = "Selected";
      }
      setTimeout(() => (copy.textContent = "Copy"), 1500);
    });
    field.append(term, description, copy);
    return field;
  }

  function showStatus(status) {
    for (const name of ["return", "reward", "steps"]) byId(name).textContent = status[name];
    byId("end").hidden = true;
    if (status.over) end(status.over, status.account, status.success);
  }

  function end(outcome, account, success = false) {
    over = true;
    frame.inert = true;
    byId("outcome").textContent = outcome;
    byId("account").textContent = account;
    byId("end").className = success ? "success" : "failure";
    byId("end").hidden = false;
    byId("end").scrollIntoView({ block: "nearest" });
  }

  async function command(key) {
    const answer = await report({ kind: "command", key });
    if (answer.stale) return begin("");
    end("Play has ended", "You may close this page.");
    for (const button of document.querySelectorAll("[data-command]")) button.disabled = true;
  }

  for (const button of document.querySelectorAll("[data-command]"))
    button.addEventListener("click", () => afterwards(() => command(button.dataset.command)));
  afterwards(() => begin(""));
})();
