// "I get this message": a box that takes a message, or a whole traceback, and leaves on the page what fits.
addEventListener("DOMContentLoaded", () => {
  if (!/\/91-messages\.html$/.test(location.pathname)) return;
  const plain = (text) => text.replace(/\btorch\b/g, "minigrad").replace(/[#\s]+/g, " ").trim().toLowerCase();
  const words = (text) => text.match(/[a-z_]{3,}/g) || [];
  const entries = [...document.querySelectorAll(".bd-article section section")].filter((s) => s.querySelector(":scope > h3"));
  const told = entries.map((section) => {
    const quote = section.querySelector(":scope > blockquote");
    return plain((quote || section.querySelector("h3")).textContent);
  });
  // A message fits when all its fixed parts stand in what was pasted, in their order.
  const fits = (message, pasted) => {
    let from = 0;
    return message.split("…").every((part) => {
      const at = pasted.indexOf(part.trim().replace(/[.\s]+$/, ""), from);
      from = at + part.length;
      return at >= 0;
    }) && message.length > 12;
  };
  const shared = (message, given) => {
    const own = new Set(words(message));
    return [...own].filter((word) => given.has(word)).length / Math.max(Math.min(own.size, given.size), 4);
  };
  const form = document.createElement("div");
  form.className = "find-message";
  form.innerHTML =
    '<label for="message">Paste your message, or some words of it</label><textarea id="message" rows="2" spellcheck="false"></textarea>' +
    '<p role="status"></p>';
  document.querySelector(".bd-article h1").after(form);
  const [box, status] = [form.querySelector("textarea"), form.querySelector("p")];
  box.addEventListener("input", () => {
    const pasted = plain(box.value);
    const given = new Set(words(pasted));
    let found = told.map((message) => fits(message, pasted));
    let what = "fit";
    if (!found.includes(true) && given.size) {
      const typed = [...given];
      found = told.map((message) => typed.length <= 8 && typed.every((word) => message.includes(word)));
      what = "have these words";
    }
    if (!found.includes(true) && given.size) {
      const near = told.map((message) => shared(message, given));
      const best = Math.max(...near);
      found = near.map((share) => share > 0.5 && share > best - 0.05);
      what = "are near";
    }
    entries.forEach((section, k) => (section.hidden = given.size > 0 && !found[k]));
    for (const chapter of document.querySelectorAll(".bd-article section:has(> section > h3)"))
      chapter.hidden = [...chapter.querySelectorAll(":scope > section")].every((section) => section.hidden);
    const count = found.filter(Boolean).length;
    status.textContent = !given.size ? "" : count ? count + " of " + told.length + " messages " + what + "." : "None fits. Take fewer words.";
  });
});
