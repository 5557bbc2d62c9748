// A click on a picture shows it as large as the window. Escape, or another click, closes it.
addEventListener("DOMContentLoaded", () => {
  const pictures = document.querySelectorAll(".bd-article .cell_output img:not([alt=''])");
  if (!pictures.length) return;
  const dialog = document.body.appendChild(document.createElement("dialog"));
  dialog.className = "enlarged";
  dialog.addEventListener("click", () => dialog.close());
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "Escape") dialog.close(); // the theme keeps this key from the browser
  });
  const open = (picture) => {
    const large = picture.cloneNode();
    for (const name of ["style", "role", "tabindex", "onload", "aria-label"]) large.removeAttribute(name);
    dialog.replaceChildren(large);
    dialog.setAttribute("aria-label", picture.alt);
    dialog.showModal();
  };
  for (const picture of pictures) {
    picture.setAttribute("tabindex", "0");
    picture.setAttribute("role", "button");
    picture.setAttribute("aria-label", "Enlarge: " + picture.alt);
    picture.onclick = () => open(picture); // the picture's own script leaves it so
    picture.onkeydown = (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      open(picture);
    };
  }
});
