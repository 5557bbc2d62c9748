// On paper there is no dark: a page that is read in the dark is printed as it looks in the light.
(() => {
  const root = document.documentElement;
  let before;
  addEventListener("beforeprint", () => {
    before = root.dataset.theme;
    root.dataset.theme = "light";
  });
  addEventListener("afterprint", () => {
    root.dataset.theme = before;
  });
})();
