// The script of `play`: `dot` is the small image at the end of the output, `G` what living.py tells of the graph.
// It runs where scripts may; everywhere else the still picture before it stays.
const room = dot.parentNode, still = room.firstElementChild;
if (room.querySelector("[data-play]")) return;
const round = G.single ? Math.fround : v => v;
const total = G.forward.length + 1 + G.backward.length;
let step = total;

const main = shell("data-play", G.label);
const sliders = make("div", {class: "sliders"}, main);
const scroll = make("div", {class: "scroll"}, main);
const svg = make("svg", {viewBox: "0 0 " + G.width + " " + G.height, role: "img",
style: "width:" + G.width + "px;min-width:" + Math.round(G.width * 0.9) + "px"}, scroll);
const controls = player(main, 0, total, G.pace, () => step, go), calm = matchMedia("(prefers-reduced-motion: reduce)");
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
if (i === G.root) mark(b.x + b.w, b.y + 2, G.forward.length, "second");
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
controls.tell();
}
function now() {  // the box that works in this step
const back = step - G.forward.length - 2;
return step < 1 || step > total || rested ? -1 : back === -1 ? G.root : back < 0 ? G.forward[step - 1] : G.backward[back];
}
function sentence() {
const name = i => G.boxes[i].name, last = G.boxes[G.root].name;
if (rested) return G.leaves.map(i => name(i) + " = " + show(value[i])).join(", ") + ": " + last + " = " + show(value[G.root]) +
". Slopes of " + last + ": " + G.leaves.map(i => show(slope[i]) + " for " + name(i)).join(", ") +
". The small numbers are the steps: on the left a value comes, on the right a slope is handed on. " +
(G.forward.length + 1) + " gives " + last + " its slope, 1.";
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
step = to;
rested = false;
render();
if (moved && step === before + 1) fly();
says.textContent = sentence();
}
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
if (!controls.playing()) rested = rested || step === total;
render();
says.textContent = sentence();
};
tell();
});
G.boxes.forEach((b, i) => { if (b.kind === "constant") value[i] = b.value; });

settleIn(main, dot);
compute();
render();
says.textContent = sentence();
still.style.display = "none";
