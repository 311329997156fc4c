// The toy alive in the page. Everything that is read works without this; here it answers when it is changed.

import { encode, decode } from "./codec.js";
import { defineStep } from "./step.js";
import data from "./data.js";
import { follow } from "./follow.js";
import { foot } from "./foot.js";
import { page } from "./page.js";
import { live as start, toyOf } from "./state.js";
import { vocabulary } from "./vocabulary.js";
import { weights } from "./weights.js";

/** @typedef {typeof import("./lang/en.js").default} Written */
/**
 * @typedef {Omit<Written, "words"> & {words: Written["words"] & {
 *   switches: Record<string, string>, steps: Record<string, string>}}} Language
 */
/**
 * What every part of the page needs.
 * @typedef {{live: import("./state.js").Live, marks: import("./numbers.js").Marks, words: Language["words"],
 *   language: Language, tokens: ReturnType<typeof vocabulary>,
 *   places: (target: {page: string, hash: string}) => string, link: (href: string) => string}} Context
 */

const KEY = "toy"; // of the address: ?toy=…

/** @type {() => Promise<Language>} */
const spoken = async () => (await import(`./lang/${document.documentElement.lang}.js`)).default;

const language = await spoken();
const toy = toyOf(data);
const live = start(toy);

/** @type {(href: string) => string} an address of this site with the state in it */
function link(href) {
  const url = new URL(href, location.href);
  const text = encode(live.state, toy);
  if (text) url.searchParams.set(KEY, text);
  else url.searchParams.delete(KEY);
  return url.href;
}

/** @type {Context} */
const context = {
  live,
  language,
  marks: language.marks,
  words: language.words,
  link,
  tokens: vocabulary(toy.vocabulary, /** @type {[string, string][]} */ (toy.merges), toy.longest),
  places: ({ page: name, hash }) =>
    new URL(`../../../${document.documentElement.lang}/${name}.html#${hash}`, import.meta.url).href,
};

const bottom = foot(context);
document.body.append(bottom.element);
defineStep(context);
page(live, language.marks, document.querySelector(".md-content") ?? document);
weights(context);
follow(bottom);
/** @type {ReturnType<typeof setTimeout> | undefined} */
let writing;
live.subscribe(() => {
  clearTimeout(writing); // browsers refuse an address that changes with every key
  writing = setTimeout(() => history.replaceState(history.state, "", link(location.href)), 150);
});

const given = new URLSearchParams(location.search).get(KEY);
if (given) {
  try {
    live.open(decode(given, toy));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    bottom.warn(error.message === "version" ? language.words.other_version : language.words.damaged);
    history.replaceState(history.state, "", link(location.href));
  }
}
bottom.refresh();

// The state goes along to the other pages and languages of this site.
document.addEventListener(
  "click",
  (event) => {
    const anchor = event.target instanceof Element ? event.target.closest("a") : null;
    if (!anchor?.href || anchor.origin !== location.origin || !anchor.pathname.endsWith(".html")) return;
    anchor.href = link(anchor.href);
  },
  { capture: true },
);
document.documentElement.classList.add("toy-alive");
