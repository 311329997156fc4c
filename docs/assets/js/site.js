// What the pages do without, and do a little better with.

// On a narrow screen the path scrolls inside itself: bring the current step into view.
document.querySelector(".path [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

// The language switch stays on the section: headings carry the same ids in every language.
for (const link of document.querySelectorAll(".languages a")) {
  link.addEventListener("click", () => { link.hash = location.hash; });
}

// The toy, alive. Browsers load modules from servers only: opened from a folder on disk, a page stays as it is written.
if (location.protocol === "file:") document.documentElement.classList.add("from-disk");
else import(new URL("toy/main.js", document.currentScript.src));
