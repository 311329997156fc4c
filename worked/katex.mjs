// Renders formulas: one JSON request a line on standard input, one JSON answer a line on standard output.
// Usage: node katex.mjs PATH_OF_KATEX_MODULE
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { default: katex } = await import(pathToFileURL(process.argv[2]).href);

// Everything KaTeX only warns about is an error, except what the pages are built on:
// the classes and data of our own marks, and the open box that shows a token's leading space.
function strict(code, message) {
  if (code === "htmlExtension") return "ignore";
  return code === "unknownSymbol" && message.includes("␣") ? "ignore" : "error";
}

const trust = ({ command }) => command === "\\htmlClass" || command === "\\htmlData";

for await (const line of createInterface({ input: process.stdin })) {
  const { tex, display } = JSON.parse(line);
  let answer;
  try {
    answer = { html: katex.renderToString(tex, { displayMode: display, strict, trust }) };
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
