// The script of `steps`: it makes of the list of steps a player: the picture, and beside it the code and the steps.
// `dot` is the small image at the end of the output, `G` what stepper.py tells beside the list. Where no script may run the
// list stays as it is.
const MOST = 10;  // steps that are all in the list; of more of them those around the one that is shown
const room = dot.parentNode, pages = [...room.querySelectorAll("details")], last = pages.length;
if (last < 2 || room.querySelector("[data-steps]")) return;
const main = shell("data-steps", G.label);
let step = 1;
const controls = player(main, 1, last, G.pace, () => step, go);
// Where there is little room the style sheet puts the buttons between the graph and its words.
const columns = make("div", {class: "columns"}, main);
const code = make("ol", {class: "code", "aria-label": "The code"}, columns);
const lines = G.lines.map((text, n) => make("li", {class: G.writes.includes(n) ? "write" : "call"}, code, text));
if (!lines.length) code.remove();
const scroll = make("div", {class: "scroll"}, columns);
const says = make("ol", {class: "says", "aria-label": "The steps"}, columns), live = make("div", {class: "live", "aria-live": "polite"}, main);
const items = pages.map((page, k) => {
const item = make("li", {}, says), title = page.querySelector("summary").textContent;
make("button", {type: "button", class: title.split(" ").pop()}, item, title).onclick = () => controls.to(k + 1);
return item;
});

// The picture of each step is in the list already. Taken out of its <img> it is as dark as we are, whatever the system prefers,
// and its parts can be lit.
const pictures = pages.map(page => {
const bytes = Uint8Array.from(atob(page.querySelector("img").src.split("base64,")[1]), c => c.charCodeAt(0));
const svg = document.importNode(new DOMParser().parseFromString(new TextDecoder().decode(bytes), "image/svg+xml").documentElement, true);
svg.setAttribute("aria-label", page.querySelector("img").alt);
svg.style.minWidth = Math.round(svg.getAttribute("width")) * 0.92 + "px";
svg.querySelector("title").remove();
[...svg.querySelectorAll("text")].slice(0, 2).forEach(e => e.remove());  // the head, which stands in our words
const wide = svg.getAttribute("width"), high = svg.getAttribute("height") - G.head;
svg.setAttribute("height", high);
svg.setAttribute("viewBox", [0, G.head, wide, high].join(" "));
const sheet = svg.querySelector("style");
sheet.textContent = sheet.textContent.replace("@media (prefers-color-scheme:dark)", ".dark");
G.edges.forEach(([above, below, d], k) => {
const edge = make("path", {d, class: "edge", "data-k": k}, svg);
touch(edge, [above, below]);
svg.querySelector("text").before(edge);  // below the numbers
});
G.boxes.forEach(([x, y, width, height], k) => touch(make("rect", {x, y, width, height, rx: 5, class: "box", "data-k": k}, svg), [k]));
return svg;
});
function light(nodes, on) {  // nodes, their lines of code and their arrows; those around one node light too
const svg = pictures[step - 1], all = new Set(nodes);
svg.querySelectorAll(".box").forEach(e => e.classList.toggle("near", on && all.has(Number(e.dataset.k))));
svg.querySelectorAll(".edge").forEach(e => {
const [above, below] = G.edges[e.dataset.k];
e.classList.toggle("near", on && (nodes.length === 1 ? all.has(above) || all.has(below) : all.has(above) && all.has(below)));
});
lines.forEach((e, n) => e.classList.toggle("near", on && nodes.some(k => G.line[k] === n)));
}
function touch(e, nodes) {
e.onmouseenter = () => light(nodes, true);
e.onmouseleave = () => light(nodes, false);
}
lines.forEach((e, n) => touch(e, G.line.flatMap((line, k) => line === n ? [k] : [])));

const words = k => pages[k].querySelector("p").cloneNode(true);
function only(at) {
items.forEach((item, k) => {
item.hidden = last > MOST && Math.abs(k + 1 - at) > MOST / 2;
item.firstChild.classList.toggle("title", k + 1 === at);
item.firstChild.setAttribute("aria-current", k + 1 === at ? "step" : "false");
item.replaceChildren(item.firstChild, ...(k + 1 === at ? [words(k)] : []));
});
}
// The words of the step that is shown, and beside the picture those of the steps before it, nearest first, and after it that there
// is room for.
function fill() {
only(step);
const bottom = e => e.getBoundingClientRect().bottom, room = Math.max(bottom(scroll), bottom(says));
for (const way of last > MOST ? [] : [-1, 1]) {
for (let k = step - 1 + way; items[k]; k += way) {
items[k].append(words(k));
if (bottom(says) > room) {
items[k].lastChild.remove();
break;
}
}
}
}
function measure() {  // the words have as much room in each step, so that nothing below them moves
says.style.minHeight = 0;
says.style.minHeight = Math.max(...pages.map((_, k) => only(k + 1) || says.offsetHeight)) + "px";
fill();
}
function go(to) {
step = to;
scroll.replaceChildren(pictures[to - 1]);
fill();
live.textContent = items[to - 1].innerText;
lines.forEach((e, n) => {
e.classList.toggle("now", G.now[to - 1] === n);
e.setAttribute("aria-current", G.now[to - 1] === n ? "step" : "false");
});
controls.tell();
}
settleIn(main, dot);
new ResizeObserver(measure).observe(scroll);
go(items[last - 1].firstChild.className === "stops" ? last : 1);  // a pass that stops opens where it stops
for (const page of room.children) if (page.tagName === "DETAILS") page.style.display = "none";
