// The level as an outline: pages of pieces, each page with its document in a frame that is scaled to the window.
"use strict";

function makeBoard({ byId, ask }) {
  const [frame, paper, tabs] = [byId("preview"), byId("paper"), byId("tabs")];
  const WIDTH = Number(paper.style.getPropertyValue("--width"));
  let pages = [];
  let current = 0;

  function button(text, title, disabled, doing) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.title = title;
    made.setAttribute("aria-label", title);
    made.disabled = disabled;
    made.addEventListener("click", doing);
    return made;
  }

  // Report the pages as `change` makes them of a copy.
  function arrange(change) {
    const changed = pages.map((page) => [...page]);
    change(changed);
    return ask({ kind: "arrange", pages: changed });
  }

  function swap(place, other) {
    arrange((all) => ([all[current][place], all[current][other]] = [all[current][other], all[current][place]]));
  }

  function turnTo(number) {
    current = number;
    list();
    showPage();
  }

  function list() {
    const most = Number(tabs.dataset.most);
    const numbers = pages.map((_, number) => {
      const tab = button(String(number + 1), `Page ${number + 1}`, false, () => turnTo(number));
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-selected", String(number === current));
      return tab;
    });
    const insert = button("+", "Add a page", pages.length >= most, () => {
      current += 1;
      arrange((all) => all.splice(current, 0, []));
    });
    const remove = button("\u2212", "Remove this page", pages.length === 1, () => arrange((all) => all.splice(current, 1)));
    tabs.replaceChildren(...numbers, insert, remove);
    const page = pages[current];
    byId("pieces").replaceChildren(
      ...page.map((name, place) => {
        const item = document.createElement("li");
        const words = document.createElement("span");
        words.textContent = name;
        item.append(
          words,
          button("\u2191", `Move ${name} up`, place === 0, () => swap(place, place - 1)),
          button("\u2193", `Move ${name} down`, place + 1 === page.length, () => swap(place, place + 1)),
          button("\u00d7", `Remove ${name}`, false, () => arrange((all) => all[current].splice(place, 1))),
        );
        return item;
      }),
    );
    const offered = [...byId("piece").options];
    for (const option of offered) option.disabled = page.includes(option.value);
    if (page.includes(byId("piece").value)) byId("piece").value = offered.find((option) => !option.disabled)?.value ?? "";
    byId("add").disabled = !byId("piece").value;
  }

  // The document shows its first page.
  function showPage() {
    const mains = [...(frame.contentDocument?.querySelectorAll("main") ?? [])];
    mains.forEach((main, number) => (main.hidden = number !== current));
    fit();
  }

  function fit() {
    const scale = paper.clientWidth / WIDTH;
    const height = Math.max(240, frame.contentDocument?.documentElement?.scrollHeight ?? 0);
    frame.style.transform = `scale(${scale})`;
    frame.style.height = `${height}px`;
    paper.style.height = `${height * scale}px`;
  }

  // Behind all others, but before one that belongs at the end.
  function add() {
    const belongsLast = (name) => [...byId("piece").options].some((one) => one.value === name && "last" in one.dataset);
    const { value } = byId("piece");
    arrange((all) => {
      const page = all[current];
      const end = belongsLast(page.at(-1)) && !belongsLast(value) ? page.length - 1 : page.length;
      page.splice(end, 0, value);
    });
  }

  byId("add").addEventListener("click", add);
  frame.addEventListener("load", showPage);
  new ResizeObserver(fit).observe(paper);

  return {
    show(board) {
      ({ pages } = board);
      current = Math.min(current, pages.length - 1);
      list();
      frame.style.height = "240px"; // so that a shorter page shrinks it
      frame.src = "preview";
    },
    pressed: () => false,
    hide() {},
  };
}
