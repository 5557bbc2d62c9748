// The script of `weigh`: `G` has the matrix, its names and the first weights.
const v = G.v.slice(), show = x => String(Number(x.toPrecision(6)) + 0);
make("p", {class: "key"}, main, G.key);
const table = make("table", {}, make("div", {class: "wide"}, main)), head = make("tr", {}, table);
for (const name of ["", "v", ...G.columns]) make("th", {scope: "col", style: "text-align: center"}, head, name);
const tell = [], parts = [];
G.J.forEach((row, i) => {
const line = make("tr", {}, table);
make("th", {scope: "row"}, line, G.rows[i]);
tell.push(slider(make("td", {class: "weight"}, line), "", -2 * G.reach, 2 * G.reach, () => 2 * v[i], x => { v[i] = x / 2; render(); }, "v for " + G.rows[i]));
parts.push(row.map(number => {
const cell = make("td", {}, line, show(number));
return make("small", {}, cell);
}));
});
const last = make("tr", {}, table);
make("th", {scope: "row"}, last, "vᵀJ");
make("td", {class: "weight"}, last);
const sums = G.columns.map(() => make("td", {class: "sum"}, last));
const says = make("p", {class: "says", "aria-live": "polite"}, main);
function render() {
const found = G.columns.map((_, j) => v.reduce((sum, weight, i) => sum + weight * G.J[i][j], 0));
parts.forEach((row, i) => row.forEach((part, j) => {
part.textContent = show(v[i] * G.J[i][j]);
part.parentNode.style.opacity = v[i] ? 1 : .35;
}));
sums.forEach((cell, j) => cell.textContent = show(found[j]));
v.forEach((weight, i) => tell[i](show(weight)));
says.textContent = "v = [" + v.map(show).join(", ") + "]: vᵀJ = [" + found.map(show).join(", ") + "]";
}
begin(render);
