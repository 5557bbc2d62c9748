// The script of `tangent`: `G` has the function, its slopes and the first point.
const n = G.xs.length, whole = G.xs[n - 1] - G.xs[0];
const [unitX, unitY, unitSlope] = G.units;
let at = G.at, reach = G.reach;
const svg = plot(8);
const says = make("p", {class: "says under lines", "aria-live": "polite"}, main);
const known = v => v !== null && isFinite(v);
const show = v => known(v) ? String(Number(v.toPrecision(4))) : "not a number";
const X = x => (x - G.xs[0]) / whole * G.width, Y = y => (G.high - y) / (G.high - G.low) * G.height;

const path = (kind, x, y, nx, ny) => make("path", {d: "M" + x + " " + y + "L" + nx + " " + ny, class: kind}, svg);
if (G.low <= 0 && G.high >= 0) path("axis", 0, Y(0), G.width, Y(0));
if (G.xs[0] <= 0 && G.xs[n - 1] >= 0) path("axis", X(0), 0, X(0), G.height);
let d = "";
G.ys.forEach((y, i) => { if (known(y)) d += (i && known(G.ys[i - 1]) ? "L" : "M") + X(G.xs[i]).toFixed(2) + " " + Y(y).toFixed(2); });
make("path", {d, class: "curve"}, svg);
const secants = (G.both ? ["dashed secant", "dotted secant from both sides"] : ["secant"]).map(name => ({name,
line: make("path", {class: name.startsWith("dotted") ? "secant dotted" : "secant"}, svg), ends: [0, 1].map(() => make("circle", {r: 4, class: "end"}, svg))}));
const line = make("path", {class: "tangent"}, svg), point = make("circle", {r: 8, class: "point"}, svg);

const rises = G.ys[n - 1] > G.ys[n - 2], falls = G.ys[1] < G.ys[0];
if (unitY && known(G.ys[0])) make("text", {x: 4, y: Y(G.ys[0]) + (falls ? -8 : 20), class: "name"}, svg, show(G.ys[0]) + unitY);
if (known(G.ys[n - 1])) make("text", {x: G.width - 4, y: Y(G.ys[n - 1]) + (rises ? -8 : 20), "text-anchor": "end", class: "name"}, svg, unitY ? show(G.ys[n - 1]) + unitY : "f");
[0, n - 1].forEach((k, i) => make("text", {x: X(G.xs[k]), y: G.height + 13, "text-anchor": i ? "end" : "start"}, svg, "x = " + show(G.xs[k]) + unitX));

// A straight line through a point, as far as it is inside the plot.
function straight(path, k, slope) {
const x = G.xs[k], y = G.ys[k];
if (!known(slope) || !known(y)) return path.setAttribute("d", "");
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
