// Draws a tree of parameters: area is parameters. What is where d3-hierarchy computes.

const WIDTH = 1000, HEIGHT = 480, LEVELS = 4, COLOURS = 7;
const SVG = "http://www.w3.org/2000/svg";

const number = (value) => value.toLocaleString("en-US");

function element(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function link(text, href) {
  const made = document.createElement("a");
  made.href = href;
  made.textContent = text;
  return made;
}

// What has a single part is one with it: "layers › L ×".
function joined(node, depth = 0) {
  let { name, id, total, in: parts } = node;
  while (depth && parts?.length === 1 && parts[0].in) {
    name = `${name} › ${parts[0].name}`;
    ({ id, in: parts } = parts[0]);
  }
  return { name, id, total, in: depth < LEVELS ? parts?.map((part) => joined(part, depth + 1)) : undefined };
}

// Put the picture of `nodes` into `place`, opened at the component `at`; `href` makes links.
export function draw(place, nodes, at, href) {
  const { hierarchy, treemap } = globalThis.d3;
  const whole = hierarchy(nodes, (node) => node.in);
  const open = whole.find((node) => node.data.id === at) ?? whole;
  const shown = hierarchy(joined(open.data), (node) => node.in)
    .sum((node) => (node.in ? 0 : node.total))
    .sort((a, b) => b.value - a.value);
  const header = (node) => (node.depth ? 26 : 0);
  treemap().size([WIDTH, HEIGHT]).paddingInner(2).paddingTop(header)(shown);
  const leaves = shown.leaves().sort((a, b) => b.value - a.value);
  const seen = shown.descendants().slice(1).filter((node) => node.x1 - node.x0 > 1 && node.y1 - node.y0 > 1);
  const cells = seen.map((node) => cell(node, leaves.indexOf(node), nodes.total, href));
  const svg = element("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group" }, ...cells);
  svg.setAttribute("aria-label", `Components of ${open.data.name}, area is parameters`);
  const above = open.ancestors().reverse();
  const path = document.createElement("p");
  path.append(...above.flatMap((node) => [" › ", link(node.data.name, href(node.data.id))]).slice(1));
  place.replaceChildren(path, svg);
}

// A cell with parts is plain; one without has a colour, the largest first.
function cell(node, place, whole, href) {
  const { name, total, id } = node.data;
  const width = node.x1 - node.x0, height = node.y1 - node.y0;
  const said = `${name}: ${number(total)}, ${((100 * total) / whole).toFixed(2)} %`;
  const colour = place < 0 ? "" : ` c${place % COLOURS}`;
  const made = element("a", { href: href(id), "aria-label": said, class: `cell${colour}` },
    element("title", {}, said),
    element("rect", { x: node.x0, y: node.y0, width, height }));
  const room = Math.floor((width - 8) / 9);
  if (room > 3 && height > 20) {
    const label = said.length <= room ? said : name.length <= room ? name : `${name.slice(0, room - 1)}…`;
    made.append(element("text", { x: node.x0 + 6, y: node.y0 + 18 }, label));
  }
  return made;
}

// A file of its own has nobody else to draw it.
if (document.body.dataset.view === "file") {
  const nodes = JSON.parse(document.getElementById("nodes").textContent);
  const show = () => draw(document.getElementById("picture"), nodes, decodeURIComponent(location.hash.slice(1)), (id) => `#${encodeURIComponent(id)}`);
  addEventListener("hashchange", show);
  show();
}
