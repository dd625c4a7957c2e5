// A field that answers while a reader types: a combobox with a list of what the text may mean, as
// the pattern of WAI-ARIA has it. The options are links where `follows` is set; else they fill in.

import { make, written } from "./page.js";
import { names } from "./names.js";

export function combobox(input, { follows = false, more = () => [] } = {}) {
  const list = make("div", { id: `${input.name}-options`, role: "listbox", "aria-label": "Models and model types", class: "options" });
  list.hidden = true;
  input.closest("label").after(list);
  for (const [key, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list.id })) input.setAttribute(key, value);
  let at = -1;

  const show = (isShown) => {
    list.hidden = !isShown;
    input.setAttribute("aria-expanded", String(isShown));
    if (!isShown) mark(-1);
  };

  const mark = (place) => {
    at = place;
    for (const [i, one] of [...list.children].entries()) one.setAttribute("aria-selected", String(i === at));
    if (at < 0) return input.removeAttribute("aria-activedescendant");
    input.setAttribute("aria-activedescendant", list.children[at].id);
    list.children[at].scrollIntoView({ block: "nearest" });
  };

  const fill = async () => {
    const text = input.value.trim(), index = text && !text.startsWith("{") ? await names() : null;
    // The reader may have typed on while the index came.
    if (text !== input.value.trim()) return;
    const found = index ? [...index.matches(text).map((one) => [one.name, one.href, about(one)]), ...more(text, index)] : [];
    list.replaceChildren(...found.map(([name, href, number], i) => {
      const one = make(follows ? "a" : "div", { id: `${list.id}-${i}`, role: "option", ...(follows ? { href, tabindex: "-1" } : {}) }, make("b", {}, name), " ", make("small", {}, number));
      one.dataset.value = name;
      return one;
    }));
    list.style.left = `${input.offsetLeft}px`;
    list.style.top = `${input.offsetTop + input.offsetHeight}px`;
    list.style.minWidth = `${input.offsetWidth}px`;
    show(found.length > 0 && document.activeElement === input);
    mark(-1);
  };

  const choose = (one) => {
    show(false);
    if (follows) return one.click();
    input.value = one.dataset.value;
    input.form.requestSubmit();
  };

  input.addEventListener("focus", names);
  input.addEventListener("input", fill);
  input.addEventListener("blur", () => show(false));
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], { length } = list.children;
    if (step && list.hidden) fill();
    else if (step) mark(at < 0 ? (step > 0 ? 0 : length - 1) : (at + step + length) % length);
    else if (event.key === "Escape" && !list.hidden) show(false);
    else if (event.key === "Enter" && at >= 0) choose(list.children[at]);
    else return;
    event.preventDefault();
  });
  // The field keeps the focus until a link is followed.
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const one = event.target.closest("[role=option]");
    if (one && !follows) choose(one);
  });
}

const about = (one) => {
  const total = one.isModel ? one.counts.trainable : one.total;
  const number = total ? written(total) : "";
  return one.isModel ? number : [number, "model type"].filter(Boolean).join(", ");
};
