// The script of `boundary`: `G` has the points, the region of label 1 at each frame, and the curve of the losses.
let at = G.frames.length - 1;
const controls = player(main, 0, at, G.pace, () => at, go), pair = make("div", {class: "pair"}, main);
main.classList.add("still");
const left = plot(4, 24), right = plot(20, 24);
right.setAttribute("aria-label", "The loss, step by step");
const says = make("p", {class: "says", "aria-live": "polite"}, main);
pair.append(left, right);
make("rect", {width: G.width, height: G.height, class: "ground"}, left);
const region = make("path", {class: "region", "fill-rule": "evenodd"}, left);
const k = G.points.length < 20 ? 1.7 : 1;
for (const [x, y, label] of G.points) {
if (label > 0) make("circle", {cx: x, cy: y, r: 3 * k, class: "one"}, left);
else make("polygon", {points: [x, y - 3.8 * k, x - 3.4 * k, y + 2.6 * k, x + 3.4 * k, y + 2.6 * k].join(" "), class: "other"}, left);
}
for (const [sign, x, side, kind, name] of [[1, 0, "start", "one", "● label 1"], [-1, G.width, "end", "other", "▲ label −1"]]) {
if (G.points.some(p => p[2] === sign)) make("text", {x, y: -8, "text-anchor": side, class: kind}, left, name);
}
for (const [text, y] of G.marks) {
make("path", {d: "M0 " + y + "H" + G.width, class: "axis"}, right);
const low = G.frames[at].at[1] - y < 30;  // there the curve comes down to the right end
make("text", {x: low ? 0 : G.width, y: y < 10 ? y + 14 : y - 4, "text-anchor": low ? "start" : "end"}, right, "loss " + text);
}
make("text", {x: G.width, y: G.height + 16, "text-anchor": "end"}, right, "step " + G.last);
make("text", {x: 0, y: G.height + 16}, right, "log scale");
make("path", {d: G.beside, class: "beside", style: "stroke-width: 8; stroke-opacity: .6"}, right);
make("path", {d: G.losses, class: "way"}, right);
const point = make("circle", {r: 6, class: "point"}, right);
function render() {
const frame = G.frames[at];
region.setAttribute("d", frame.region);
point.setAttribute("cx", frame.at[0]);
point.setAttribute("cy", frame.at[1]);
speak(says, [frame.words, ...G.note].map(words => words + "."), -1, left);
controls.tell();
}
function go(to) {
at = to;
render();
}
begin(render);
