// What the pages do without, and do a little better with.

// On a narrow screen the path scrolls inside itself: bring the current step into view.
document.querySelector(".path [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

// The language switch stays on the section: headings carry the same ids in every language.
for (const link of document.querySelectorAll(".languages a")) {
  link.addEventListener("click", () => { link.hash = location.hash; });
}

// A term's definition: Escape puts it away until the word is left; a first touch shows it, a second follows the link.
for (const term of document.querySelectorAll(".term")) {
  for (const leaving of ["mouseleave", "focusout"]) {
    term.addEventListener(leaving, () => term.classList.remove("dismissed"));
  }
  let shown = false;
  term.addEventListener("pointerdown", () => { shown = term.matches(":focus-within"); });
  term.addEventListener("click", (event) => {
    if (event.pointerType !== "touch" || shown) return;
    event.preventDefault();
    term.querySelector("a").focus();
  });
}
addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const term of document.querySelectorAll(".term:is(:hover, :focus-within)")) term.classList.add("dismissed");
});

// The toy, alive. Browsers load modules from servers only: opened from a folder on disk, a page stays as it is written.
if (location.protocol === "file:") document.documentElement.classList.add("from-disk");
else {
  import(new URL("toy/main.js", document.currentScript.src));
  if (document.getElementById("live")) import(new URL("gpt/main.js", document.currentScript.src)); // the laboratory
}
