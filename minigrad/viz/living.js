// The script of `play`: `this` is the small image at the end of the output, `G` what living.py tells of the graph.
// It runs where scripts may; everywhere else the still picture before it stays.
(function (dot, G) {
const room = dot.parentNode, still = room.querySelector("img");
if (room.querySelector("[data-play]")) return;
const round = G.single ? Math.fround : v => v;
const total = G.forward.length + 1 + G.backward.length;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// A shadow root keeps our styles inside and the page's outside. JupyterLab's keys stay away from what has the attribute.
const host = document.createElement("div");
host.setAttribute("data-play", "");
host.setAttribute("data-lm-suppress-shortcuts", "true");
const root = host.attachShadow({mode: "open"});
const SVG = "http://www.w3.org/2000/svg";
function make(tag, attributes, parent, text) {
const inSvg = /^(svg|g|path|rect|circle|text|polygon)$/.test(tag);
const e = inSvg ? document.createElementNS(SVG, tag) : document.createElement(tag);
for (const k in attributes) e.setAttribute(k, attributes[k]);
if (text !== undefined) e.textContent = text;
parent.append(e);
return e;
}
make("style", {}, root, STYLE);
const main = make("div", {class: "play", role: "group", "aria-label": G.label, tabindex: "0"}, root);
const sliders = make("div", {class: "sliders"}, main);
const scroll = make("div", {class: "scroll"}, main);
const svg = make("svg", {viewBox: "0 0 " + G.width + " " + G.height, role: "img",
style: "width:" + G.width + "px;min-width:" + Math.round(G.width * 0.9) + "px"}, scroll);
const bar = make("div", {class: "bar"}, main);
const says = make("p", {class: "says", "aria-live": "polite"}, main);

// Numbers as Python's .4g writes them.
function show(v) {
if (v !== v) return "nan";
if (!isFinite(v)) return v > 0 ? "inf" : "-inf";
const small = v && Math.abs(v) < 1e-4;
const [digits, power] = (small ? v.toExponential(3) : v.toPrecision(4)).split("e");
const short = (digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits).replace(/^-0$/, "0");
return power === undefined ? short : short + "e" + power[0] + power.slice(1).padStart(2, "0");
}
const inner = v => /^-/.test(show(v)) ? "(" + show(v) + ")" : show(v);
const bare = text => text.replace(/\((\([^()]*\))\)/g, "$1");  // ((-2)) is (-2)

// --- the graph computes

const value = [], slope = [], terms = [];  // of each box; terms: what has arrived there, in order
const local = [], message = [];  // of each edge
function numbers(b) {
const n = Object.assign({}, b.settings);
for (const [operand, source] of Object.entries(b.reads)) n[operand] = value[source];
return n;
}
function compute() {
for (const i of G.forward) value[i] = round(OPS[G.boxes[i].op].value(numbers(G.boxes[i])));
G.boxes.forEach((b, i) => { slope[i] = undefined; terms[i] = []; });
slope[G.root] = 1;
for (const i of G.backward) {
const known = Object.assign(numbers(G.boxes[i]), {result: value[i]});
for (const k of G.boxes[i].edges) {
const e = G.edges[k];
local[k] = round(OPS[G.boxes[i].op].slopes[e.operand](known));
message[k] = round(slope[i] * local[k]);
terms[e.above].push([k, message[k]]);
slope[e.above] = slope[e.above] === undefined ? message[k] : round(slope[e.above] + message[k]);
}
}
}
const write = (b, put) => b.text.replace(/\{(\w+)\}/g, (_, operand) => put(operand));
function withNames(b) {
return write(b, operand => operand in b.reads ? G.boxes[b.reads[operand]].name : show(b.settings[operand]));
}
function withNumbers(b) {
return bare(write(b, operand => inner(operand in b.reads ? value[b.reads[operand]] : b.settings[operand])));
}

// --- what there is to see

const over = make("g", {}, svg);  // the numbers at the arrows: above all lines
const edges = G.edges.map(e => {
const g = make("g", {class: "edge"}, svg);
make("path", {class: "line", d: e.path}, g);
make("polygon", {class: "down", points: e.head}, g);
make("polygon", {class: "up", points: e.tail}, g);
const label = (y, kind) => make("text", {x: e.x, y, "text-anchor": "middle", class: kind}, over);
return {g, line: g.firstChild, factor: label(e.y - 2, "local"), sent: label(e.y + 13, "message")};
});
G.lines.forEach(d => make("path", {class: "line dotted", d}, svg));
svg.append(over);
const boxes = G.boxes.map((b, i) => {
const g = make("g", {class: "box " + b.kind}, svg), middle = b.x + b.w / 2;
make("rect", {x: b.x, y: b.y, width: b.w, height: b.h, rx: 7}, g);
const line = (y, kind) => make("text", {x: middle, y: b.y + y, "text-anchor": "middle", class: kind}, g);
const parts = {g, value: line(43, "value"), sum: line(62, "sum"), slope: line(b.uses > 1 ? 79 : 63, "slope")};
line(21, "name").textContent = b.kind === "op" ? b.name + " = " + withNames(b) : b.name;
const mark = (x, y, step, kind) => {
if (step < 0) return;
const m = make("g", {class: "step " + kind}, g);
make("circle", {cx: x, cy: y, r: 9}, m);
make("text", {x, y: y + 4, "text-anchor": "middle"}, m, step + 1);
};
const back = G.backward.indexOf(i);
mark(b.x, b.y + 2, G.forward.indexOf(i), "first");
mark(b.x + b.w, b.y + b.h - 2, back < 0 ? -1 : G.forward.length + 1 + back, "second");
g.onmouseenter = g.onmouseleave = event => {
G.edges.forEach((e, k) => (e.above === i || e.below === i) && edges[k].g.classList.toggle("near", event.type === "mouseenter"));
};
return parts;
});
function put(text, words, wide) {
if (text.textContent !== words) text.textContent = words;
text.removeAttribute("textLength");
if (wide && words && text.getComputedTextLength() > wide) {
text.setAttribute("textLength", wide);
text.setAttribute("lengthAdjust", "spacingAndGlyphs");
}
}

let step = total, timer = 0;
const fired = k => G.forward.length + 2 + G.backward.indexOf(k);  // the step in which a box hands on its slope
function render() {
G.boxes.forEach((b, i) => {
const order = G.forward.indexOf(i), wide = b.w - 12, known = order < step;
put(boxes[i].value, known ? show(value[i]) : "", wide);
const here = i === G.root ? step > G.forward.length ? [[-1, 1]] : [] : terms[i].filter(([k]) => fired(G.edges[k].below) <= step);
const sum = here.reduce((s, [, m]) => s === undefined ? m : round(s + m), undefined);
put(boxes[i].sum, here.length > 1 ? here.map(([, m], n) => n ? inner(m) : show(m)).join(" + ") : "", wide);
put(boxes[i].slope, sum === undefined ? "" : "slope " + show(sum), wide);
boxes[i].g.classList.toggle("now", now() === i);
boxes[i].g.classList.toggle("known", known);
});
G.edges.forEach((e, k) => {
const sent = fired(e.below) <= step;
put(edges[k].factor, G.forward.indexOf(e.below) < step ? "× " + show(local[k]) : "");
put(edges[k].sent, sent ? "= " + show(message[k]) : "");
edges[k].g.classList.toggle("sent", sent);
edges[k].g.classList.toggle("now", now() === e.below);
});
svg.setAttribute("aria-label", G.boxes.map((b, i) => boxes[i].g.querySelector(".name").textContent +
": " + (boxes[i].value.textContent || "not yet computed") + (boxes[i].slope.textContent && ", " + boxes[i].slope.textContent)).join("; "));
range.value = step;
range.setAttribute("aria-valuetext", "step " + step + " of " + total);
count.textContent = step + " / " + total;
}
function now() {  // the box that works in this step
const back = step - G.forward.length - 2;
return step < 1 || step > total || rested ? -1 : back === -1 ? G.root : back < 0 ? G.forward[step - 1] : G.backward[back];
}
function sentence() {
const name = i => G.boxes[i].name, last = G.boxes[G.root].name;
if (rested) return G.leaves.map(i => name(i) + " = " + show(value[i])).join(", ") + ": " + last + " = " + show(value[G.root]) +
". Slopes of " + last + ": " + G.leaves.map(i => show(slope[i]) + " for " + name(i)).join(", ") + ".";
const i = now(), b = G.boxes[i], begin = "Step " + step + " of " + total + ". ";
if (step === 0) return "The inputs are known. Now the values flow down.";
if (step <= G.forward.length) return begin + b.name + " = " + withNames(b) + " = " + withNumbers(b) + " = " + show(value[i]) + ".";
if (step === G.forward.length + 1) return begin + "Now the slopes flow up. " + last + " changes as fast as itself: its slope is 1.";
const met = [], sent = b.edges.map(k => {
const to = G.edges[k].above, here = terms[to].findIndex(t => t[0] === k);
if (here > 0 && here === terms[to].length - 1) met.push(name(to) + " was used " + (here > 1 ? here + 1 + " times" : "twice") +
": its slopes add, " + terms[to].map(([, m], n) => n ? inner(m) : show(m)).join(" + ") + " = " + show(slope[to]) + ".");
return show(slope[i]) + " × " + inner(local[k]) + " = " + show(message[k]) + " to " + name(to);
});
return begin + b.name + " hands on " + sent.join(", and ") + ". " + met.join(" ");
}

// --- the player

let rested = true;  // all is there, and nothing has been asked for step by step
function fly() {
if (calm.matches || rested || step < 1) return;
const down = step <= G.forward.length;
if (step === G.forward.length + 1) return;
G.boxes[now()].edges.forEach(k => {
const line = edges[k].line, length = line.getTotalLength(), begin = performance.now();
const ball = make("circle", {r: 5, class: down ? "ball" : "ball up"}, edges[k].g);
requestAnimationFrame(function move(t) {
const part = Math.min(Math.max((t - begin) / 450, 0), 1), at = line.getPointAtLength(length * (down ? part : 1 - part));
ball.setAttribute("cx", at.x);
ball.setAttribute("cy", at.y);
if (part < 1) requestAnimationFrame(move);
else ball.remove();
});
});
}
function go(to, moved) {
const before = step;
step = Math.max(0, Math.min(total, to));
rested = false;
render();
if (moved && step === before + 1) fly();
says.textContent = sentence();
}
function stop() {
clearInterval(timer);
timer = 0;
button.play.setAttribute("aria-label", "Play");
button.play.firstChild.firstChild.setAttribute("d", ICON.play);
}
function play() {
if (timer) return stop();
if (step === total) go(0);
button.play.setAttribute("aria-label", "Pause");
button.play.firstChild.firstChild.setAttribute("d", ICON.pause);
timer = setInterval(() => {
go(step + 1, true);
if (step === total) stop();
}, G.pace);
}
const ICON = {first: "M2 2h2v12H2zM14 2v12L5 8z", back: "M11 2L5 8l6 6 1.6-1.6L8.2 8l4.4-4.4z", play: "M4 2v12l10-6z", pause: "M3 2h4v12H3zM9 2h4v12H9z",
next: "M5 2l6 6-6 6-1.6-1.6L7.8 8 3.4 3.6z", last: "M12 2h2v12h-2zM2 2v12l9-6z"};
const button = {};
function add(key, label, act) {
const b = button[key] = make("button", {type: "button", "aria-label": label, title: label, class: "go-" + key}, bar);
make("path", {d: ICON[key], fill: "currentColor"}, make("svg", {viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true"}, b));
b.onclick = act;
}
add("first", "To the beginning", () => { stop(); go(0); });
add("back", "One step back", () => { stop(); go(step - 1); });
add("play", "Play", play);
add("next", "One step on", () => { stop(); go(step + 1, true); });
add("last", "To the end", () => { stop(); go(total); });
const range = make("input", {type: "range", min: 0, max: total, step: 1, "aria-label": "Step", class: "steps"}, bar);
range.oninput = () => { stop(); go(Number(range.value), true); };
const count = make("span", {class: "count", "aria-hidden": "true"}, bar);
main.onkeydown = event => {
if (event.target !== main || event.ctrlKey || event.metaKey || event.altKey) return;
const act = {" ": play, ArrowRight: button.next.onclick, ArrowLeft: button.back.onclick, Home: button.first.onclick, End: button.last.onclick}[event.key];
if (!act) return;
act();
event.preventDefault();
};

G.leaves.forEach(i => {
const b = G.boxes[i], row = make("label", {}, sliders);
make("span", {class: "who"}, row, b.name);
const r = make("input", {type: "range", min: b.low, max: b.high, step: b.by, "aria-label": b.name}, row);
const out = make("output", {}, row);
value[i] = b.value;
r.value = b.value;
const tell = () => {
out.textContent = show(value[i]);
r.setAttribute("aria-valuetext", show(value[i]));
};
r.oninput = () => {
value[i] = round(Number(r.value));
tell();
compute();
if (!timer) rested = rested || step === total;
render();
says.textContent = sentence();
};
tell();
});
G.boxes.forEach((b, i) => { if (b.kind === "constant") value[i] = b.value; });

// Dark or light is what stands behind us, whoever has chosen it: the notebook, the site or the system.
function behind() {
for (let e = host; e; e = e.parentElement) {
const c = getComputedStyle(e).backgroundColor.match(/[\d.]+/g).map(Number);
if (c.length < 4 || c[3] > 0) return c;
}
return matchMedia("(prefers-color-scheme: dark)").matches && getComputedStyle(document.documentElement).colorScheme.includes("dark") ? [0, 0, 0] : [255, 255, 255];
}
function dress() {
const [r, g, b] = behind();
main.classList.toggle("dark", r + g + b < 380);
main.style.setProperty("--paper", "rgb(" + [r, g, b] + ")");
}
room.insertBefore(host, dot);
compute();
render();
says.textContent = sentence();
dress();
const watch = new MutationObserver(dress);
for (const e of [document.documentElement, document.body]) watch.observe(e, {attributes: true});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", dress);
still.style.display = "none";
})(this, GRAPH);
