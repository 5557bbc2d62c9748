// What the plots that move share. `dot` is the small image at the end of the output; where its script ran already it does not run again.
const room = dot.parentNode, still = room.firstElementChild;
if (room.querySelector("[data-" + NAME + "]")) return;
const main = shell("data-" + NAME, G.label), PAD = 10;
const plot = (low, top = PAD) => make("svg", {viewBox: [-PAD, -top, G.width + 2 * PAD, G.height + PAD + top + low].join(" "), role: "img"}, main);
// Sentences below the picture, one of them in bold; where there is a picture they are its description too.
function speak(says, told, bold, svg) {
says.replaceChildren(...told.map((words, i) => {
const line = document.createElement("span");
line.className = i === bold ? "first" : "";
line.textContent = words;
return line;
}));
svg.setAttribute("aria-label", told.join(" "));
}
function begin(render) {
settleIn(main, dot);
render();
still.style.display = "none";
}
