// The script of `valley`: `G` has the steepness, the start and the first walk.
const PLACES = 50;
let place = G.place, steps = G.steps;
main.classList.add("still");
const svg = plot(0);
const says = make("p", {class: "says under", "aria-live": "polite"}, main);
const X = x => (x - G.left) / (G.right - G.left) * G.width, Y = y => (G.high - y) / (2 * G.high) * G.height;
const show = v => Math.abs(v) < 1e6 ? String(Number(Math.abs(v) < 1000 ? v.toFixed(3) : v.toPrecision(4)) + 0) : v.toExponential(1);
const point = w => "(" + w.map(show).join(", ") + ")";
const f = w => (G.steep[0] * w[0] ** 2 + G.steep[1] * w[1] ** 2) / 2;
for (const level of G.levels) {
const [rx, ry] = G.steep.map(s => Math.sqrt(2 * level / s));
make("ellipse", {cx: X(0), cy: Y(0), rx: X(rx) - X(0), ry: Y(0) - Y(ry), class: "level"}, svg);
}
make("path", {d: "M0 " + Y(0) + "H" + G.width + "M" + X(0) + " 0V" + G.height, class: "axis"}, svg);
const way = make("path", {class: "way"}, svg), dots = make("g", {}, svg);
make("circle", {cx: X(G.start[0]), cy: Y(G.start[1]), r: 7, class: "start"}, svg);
const name = (x, y, anchor, words) => make("text", {x, y, "text-anchor": anchor, class: "name"}, svg, words);
const last = name(0, 0, "middle", "");
const side = G.start[0] < 0 ? 1 : -1;
name(X(G.start[0]) + 13 * side, Y(G.start[1]) + 4, side > 0 ? "start" : "end", "start");
name(X(0), Y(0) + 19, "middle", "lowest");
name(G.width, Y(0) - 5, "end", "w[0]");
name(X(0) + 6, 10, "start", "w[1]");

function render() {
const lr = place / PLACES / Math.max(...G.steep);
const walk = [G.start];
for (let k = 0; k < steps; k++) walk.push(walk[k].map((w, i) => w - lr * G.steep[i] * w));
const seen = walk.slice(0, 1 + walk.findIndex((w, k) => k === steps || Math.abs(Y(w[1]) - G.height / 2) > 2 * G.height || Math.abs(X(w[0])) > 3 * G.width));
way.setAttribute("d", seen.map((w, k) => (k ? "L" : "M") + X(w[0]).toFixed(1) + " " + Y(w[1]).toFixed(1)).join(""));
dots.replaceChildren();
for (const w of seen) make("circle", {cx: X(w[0]).toFixed(1), cy: Y(w[1]).toFixed(1), r: 2.4, class: "step"}, dots);
const [x, y] = seen.length > steps ? [X(walk[steps][0]), Y(walk[steps][1])] : [-1, -1];
last.textContent = x < 0 || x > G.width || y < 0 || y > G.height ? "" : "after " + steps;
last.setAttribute("x", Math.max(26, Math.min(G.width - 26, x)));
last.setAttribute("y", y - 10);
const factors = G.steep.map(s => 1 - lr * s), end = walk[steps];
const told = ["With lr = " + String(Number(lr.toPrecision(3))) + ", " + steps + " steps lead from " + point(G.start) + " to " + point(end) + ", and f from " + show(f(G.start)) + " to " + show(f(end)) + ".",
"Each step multiplies w[0] by " + show(factors[0]) + " and w[1] by " + show(factors[1]) + ": " + G.verdicts[factors.some(m => Math.abs(m) > 1 + 1e-9) ? 2 : factors.some(m => m < -1e-9) ? 1 : 0] + "."];
speak(says, told, -1, svg);
tellLr(String(Number(lr.toPrecision(3))));
tellSteps(String(steps));
}
const sliders = make("div", {class: "sliders"}, main);
const tellLr = slider(sliders, "lr", 1, 110, () => place, v => { place = v; render(); });
const tellSteps = slider(sliders, "steps", 1, G.most, () => steps, v => { steps = v; render(); });
begin(render);
