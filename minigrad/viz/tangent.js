// The script of `tangent`: `G` has the function, its slopes and the first point.
const n = G.xs.length, whole = G.xs[n - 1] - G.xs[0];
const [unitX, unitY, unitSlope] = G.units;
let at = G.at, reach = G.reach;
const svg = plot(8);
const says = make("p", {class: "says under", "aria-live": "polite"}, main);
const known = v => v !== null && isFinite(v);
const show = v => known(v) ? String(Number(v.toPrecision(4))) : "not a number";
const X = x => (x - G.xs[0]) / whole * G.width, Y = y => (G.high - y) / (G.high - G.low) * G.height;

const path = (kind, x, y, nx, ny) => make("path", {d: "M" + x + " " + y + "L" + nx + " " + ny, class: kind}, svg);
const axes = [];
if (G.low <= 0 && G.high >= 0) axes.push({line: path("axis", 0, Y(0), G.width, Y(0))});
if (G.xs[0] <= 0 && G.xs[n - 1] >= 0) axes.push({line: path("axis", X(0), 0, X(0), G.height)});
let d = "";
G.ys.forEach((y, i) => { if (known(y)) d += (i && known(G.ys[i - 1]) ? "L" : "M") + X(G.xs[i]).toFixed(2) + " " + Y(y).toFixed(2); });
make("path", {d, class: "curve"}, svg);
const named = (kind, words) => make("text", {class: "name middle " + kind}, svg, words);
const secants = (G.both ? ["dashed secant", "dotted secant from both sides"] : ["secant"]).map((name, i) => ({name,
line: make("path", {class: i ? "secant dotted" : "secant"}, svg), ends: [0, 1].map(() => make("circle", {r: 4, class: "end"}, svg)),
text: named("side", G.both ? ["one side", "both sides"][i] : name)}));
const line = make("path", {class: "tangent"}, svg), tangent = {line, text: named("first", "tangent")}, point = make("circle", {r: 8, class: "point"}, svg);

// What no name of a line may stand on: the curve, the axes, and the values at its ends.
const curve = G.ys.flatMap((y, i) => known(y) ? [[X(G.xs[i]), Y(y)]] : []), values = [];
const around = (x, y, half) => [-2, -1, 0, 1, 2].map(k => [x + k * half / 2, y]);
[[0, 1], [n - 1, n - 2]].forEach(([k, next], i) => {
make("text", {x: X(G.xs[k]), y: G.height + 14, "text-anchor": i ? "end" : "start"}, svg, "x = " + show(G.xs[k]) + unitX);
if (!known(G.ys[k]) || !(unitY || i)) return;
const place = {x: i ? G.width - 4 : 4, y: Y(G.ys[k]) + (G.ys[k] > G.ys[next] ? -8 : 16), "text-anchor": i ? "end" : "start", class: "name"};
values.push(make("text", place, svg, unitY ? show(G.ys[k]) + unitY : "f"));
});

// The name of each line beside it, as tangent.py finds its place.
function along({line}) {
const [x, y, nx, ny] = (line.getAttribute("d") || "").split(/[ML ]/).filter(Boolean).map(Number);
return x === undefined ? [] : Array.from({length: 21}, (_, k) => [x + k / 20 * (nx - x), y + k / 20 * (ny - y)]);
}
function name(drawn, taken) {
const points = along(drawn), [[x, y], [nx, ny]] = [points[0] || [0, 0], points[20] || [0, 0]], long = Math.hypot(nx - x, ny - y) || 1;
const half = drawn.text.getComputedTextLength() / 2, off = (Math.abs(ny - y) * half + Math.abs(nx - x) * 8) / long + 4;
let most = -1, best;
for (const [px, py] of points.reverse()) for (const side of [1, -1]) {
const cx = px + side * off * (ny - y) / long, cy = py - side * off * (nx - x) / long;
if (cx < half || cx > G.width - half || cy < 8 || cy > G.height - 8) continue;
const room = taken.reduce((r, [a, b]) => Math.min(r, Math.hypot(Math.max(Math.abs(a - cx) - half, 0), Math.max(Math.abs(b - cy) - 8, 0))), 6);
if (room > most) [most, best] = [room, [cx, cy]];
}
drawn.text.setAttribute("visibility", best ? "visible" : "hidden");
if (!best) return [];
drawn.text.setAttribute("x", best[0]);
drawn.text.setAttribute("y", best[1] + 4);
return around(...best, half);
}

// A straight line through a point, as far as it is inside the plot.
function straight(path, k, slope) {
const x = G.xs[k], y = G.ys[k];
path.removeAttribute("d");
if (!known(slope) || !known(y)) return;
const ends = slope ? [G.low, G.high].map(edge => x + (edge - y) / slope).sort((a, b) => a - b) : [G.xs[0], G.xs[n - 1]];
const places = [Math.max(ends[0], G.xs[0]), Math.min(ends[1], G.xs[n - 1])];
path.setAttribute("d", places.map((p, i) => (i ? "L" : "M") + X(p).toFixed(2) + " " + Y(y + slope * (p - x)).toFixed(2)).join(""));
}
function put(circle, k) {
circle.setAttribute("visibility", known(G.ys[k]) ? "visible" : "hidden");
circle.setAttribute("cx", X(G.xs[k]));
circle.setAttribute("cy", Y(G.ys[k]));
}
function render() {
at = Math.max(G.both ? reach : 0, Math.min(n - 1 - reach, at));
straight(line, at, G.slopes[at]);
put(point, at);
const told = ["At x = " + show(G.xs[at]) + unitX + " f is " + show(G.ys[at]) + unitY + " and the slope of the tangent " + show(G.slopes[at]) + unitSlope + "."];
secants.forEach((s, i) => {
const a = i ? at - reach : at, b = at + reach;
const slope = known(G.ys[a]) && known(G.ys[b]) ? (G.ys[b] - G.ys[a]) / (G.xs[b] - G.xs[a]) : null;
straight(s.line, a, slope);
put(s.ends[0], a);
put(s.ends[1], b);
told.push("The " + s.name + " with a step of " + show(G.xs[reach] - G.xs[0]) + unitX + " has the slope " + show(slope) + unitSlope + ".");
});
speak(says, told, 0, svg);
const lines = [tangent, ...secants.slice().reverse()], boxes = values.map(e => e.getBBox());
const taken = [...curve, ...axes.flatMap(along), ...boxes.flatMap(b => around(b.x + b.width / 2, b.y + b.height / 2, b.width / 2))];
for (const drawn of lines) taken.push(...name(drawn, [...taken, ...lines.filter(other => other !== drawn).flatMap(along)]));
tell();
}

const sliders = make("div", {class: "sliders"}, main);
const tellPoint = slider(sliders, "x", 0, n - 1, () => at, v => { at = v; render(); });
const tellStep = slider(sliders, "step", 1, Math.floor((n - 1) / 2), () => reach, v => { reach = v; render(); });
function tell() {
tellPoint(show(G.xs[at]) + unitX);
tellStep(show(G.xs[reach] - G.xs[0]) + unitX);
}
function drag(event) {
const box = svg.getBoundingClientRect(), part = ((event.clientX - box.left) / box.width * (G.width + 2 * PAD) - PAD) / G.width;
at = Math.round(part * (n - 1));
render();
}
svg.onpointerdown = event => { svg.setPointerCapture(event.pointerId); drag(event); event.preventDefault(); };
svg.onpointermove = event => { if (svg.hasPointerCapture(event.pointerId)) drag(event); };

begin(render);
