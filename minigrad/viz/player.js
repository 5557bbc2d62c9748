// What the scripts of `play` and `steps` share: a frame that keeps to itself, its colours, and the buttons of a player.
const SVG = "http://www.w3.org/2000/svg";
function make(tag, attributes, parent, text) {
const inSvg = /^(svg|g|path|rect|circle|ellipse|text|polygon)$/.test(tag);
const e = inSvg ? document.createElementNS(SVG, tag) : document.createElement(tag);
for (const k in attributes) e.setAttribute(k, attributes[k]);
if (text !== undefined) e.textContent = text;
parent.append(e);
return e;
}
// A shadow root keeps our styles inside and the page's outside. JupyterLab's keys stay away from what has the attribute.
function shell(mark, label) {
const host = document.createElement("div");
host.setAttribute(mark, "");
host.setAttribute("data-lm-suppress-shortcuts", "true");
const root = host.attachShadow({mode: "open"});
make("style", {}, root, STYLE);
return make("div", {class: "play", role: "group", "aria-label": label, tabindex: "0"}, root);
}
// Dark or light is what stands behind us, whoever has chosen it: the notebook, the site or the system.
function behind(host) {
for (let e = host; e; e = e.parentElement) {
const c = getComputedStyle(e).backgroundColor.match(/[\d.]+/g).map(Number);
if (c.length < 4 || c[3] > 0) return c;
}
const dark = matchMedia("(prefers-color-scheme: dark)").matches && getComputedStyle(document.documentElement).colorScheme.includes("dark");
return dark ? [0, 0, 0] : [255, 255, 255];
}
function settleIn(main, dot) {
const host = main.parentNode.host;
dot.parentNode.insertBefore(host, dot);
function dress() {
const [r, g, b] = behind(host);
main.classList.toggle("dark", r + g + b < 380);
main.style.setProperty("--paper", "rgb(" + [r, g, b] + ")");
}
dress();
const watch = new MutationObserver(dress);
for (const e of [document.documentElement, document.body]) watch.observe(e, {attributes: true});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", dress);
}
// A slider with its name before it and its number behind. value(): where it stands; set(v): what moving it does. It gives a
// function that writes the number.
function slider(parent, name, min, max, value, set, label) {
const row = make("label", {}, parent);
if (name) make("span", {class: "who"}, row, name);
const r = make("input", {type: "range", min, max, step: 1, "aria-label": label || name}, row), out = make("output", {}, row);
r.oninput = () => set(Number(r.value));
return text => { r.value = value(); r.setAttribute("aria-valuetext", text); out.textContent = text; };
}
// The buttons and the slider of a player. now(): the step that is shown; go(step, moved): show another, moved by one step on.
function player(main, first, last, pace, now, go) {
const bar = make("div", {class: "bar"}, main), button = {};
const ICON = {first: "M2 2h2v12H2zM14 2v12L5 8z", back: "M11 2L5 8l6 6 1.6-1.6L8.2 8l4.4-4.4z", play: "M4 2v12l10-6z",
pause: "M3 2h4v12H3zM9 2h4v12H9z", next: "M5 2l6 6-6 6-1.6-1.6L7.8 8 3.4 3.6z", last: "M12 2h2v12h-2zM2 2v12l9-6z"};
let timer = 0;
function look(label, icon) {
button.play.setAttribute("aria-label", label);
button.play.title = label;
button.play.querySelector("path").setAttribute("d", ICON[icon]);
}
function stop() {
clearInterval(timer);
timer = 0;
look("Play", "play");
}
function play() {
if (timer) return stop();
if (now() === last) go(first);
look("Pause", "pause");
timer = setInterval(() => {
go(now() + 1, true);
if (now() === last) stop();
}, pace);
}
function add(key, label, act) {
const b = button[key] = make("button", {type: "button", "aria-label": label, title: label, class: "go-" + key}, bar);
make("path", {d: ICON[key], fill: "currentColor"}, make("svg", {viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true"}, b));
b.onclick = act;
}
const to = (step, moved) => { stop(); go(Math.max(first, Math.min(last, step)), moved); };
add("first", "To the beginning", () => to(first));
add("back", "One step back", () => to(now() - 1));
add("play", "Play", play);
add("next", "One step on", () => to(now() + 1, true));
add("last", "To the end", () => to(last));
const range = make("input", {type: "range", min: first, max: last, step: 1, "aria-label": "Step", class: "steps"}, bar);
range.oninput = () => to(Number(range.value), true);
const count = make("span", {class: "count", "aria-hidden": "true"}, bar);
main.onkeydown = event => {
if (event.target !== main || event.ctrlKey || event.metaKey || event.altKey) return;
const act = {" ": play, ArrowRight: button.next.onclick, ArrowLeft: button.back.onclick, Home: button.first.onclick,
End: button.last.onclick}[event.key];
if (!act) return;
act();
event.preventDefault();
};
return {bar, to, playing: () => timer, tell() {
range.value = now();
range.setAttribute("aria-valuetext", "step " + now() + " of " + last);
count.textContent = now() + " / " + last;
}};
}
