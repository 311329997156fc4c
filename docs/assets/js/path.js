// On a narrow screen the path scrolls inside itself: bring the current step into view.
document.querySelector(".path [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
