// The worker: holds the model and computes, so that the page stays free. Each question has a number, and gets one
// answer, or one error, under it.

import { modelOf } from "./checkpoint.js";
import { run, written } from "./engine.js";
import { Damaged, tensors } from "./safetensors.js";
import { tokenizer } from "./tokenizer.js";

/** @typedef {import("./engine.js").Off} Off */
/** @typedef {import("./engine.js").How} How */
/** What went wrong: nothing came from the server, what came does not fit, or anything else. @typedef {{why: "network" | "damaged" | "other", detail: string}} Trouble */
/** @typedef {{ids: number[], tokens: string[]}} Cut a text's ids, and its tokens as a reader can tell them */
/**
 * @typedef {{z: number[], weights: number[][][][], lens: number[][]}} Answer logits after the last token, attention
 *   weights by block and head, what each block would answer
 */
/** @typedef {{id: number, p: number, text: string}} Step a token that was written, its share, and its text */

class Network extends Error {}

/** @type {import("./checkpoint.js").Model} */
let model;
/** @type {import("./tokenizer.js").Tokenizer} */
let tokens;
/** @type {ReturnType<typeof written>} */
let steps;
/** @type {ReturnType<import("./tokenizer.js").Tokenizer["decoder"]>} */
let text;

/** @type {(url: string, progress: (bytes: number) => void) => Promise<Blob>} */
async function fetched(url, progress) {
  try {
    const answer = await fetch(url);
    if (!answer.ok || !answer.body) throw new Error(`${answer.status} ${answer.statusText}`);
    /** @type {Uint8Array<ArrayBuffer>[]} */
    const parts = [];
    const reader = answer.body.getReader();
    for (let { done, value } = await reader.read(); !done && value; { done, value } = await reader.read()) {
      parts.push(value);
      progress(value.length);
    }
    return new Blob(parts);
  } catch (error) {
    throw new Network(`${url}: ${error instanceof Error ? error.message : error}`);
  }
}

/** @type {(file: Blob, name: string) => Promise<any>} */
async function json(file, name) {
  try {
    return JSON.parse(await file.text());
  } catch {
    throw new Damaged(`${name} is no JSON`);
  }
}

const answers = {
  /** Fetch a model; `progress` is told the bytes that have come. Answers the sizes. @type {(name: string, progress: (bytes: number) => void) => Promise<import("./checkpoint.js").Config & {tokens: string[]}>} */
  async open(name, progress) {
    const from = (/** @type {string} */ file) =>
      fetched(new URL(`../../models/${name}/${file}`, import.meta.url).href, progress);
    const [settings, words, weights] = await Promise.all(
      ["config.json", "tokenizer.json", "model.safetensors"].map(from),
    );
    model = modelOf(await json(settings, "config.json"), tensors(await weights.arrayBuffer()));
    const size = model.config.vocabulary_size;
    tokens = tokenizer(await json(words, "tokenizer.json"), size);
    return { ...model.config, tokens: Array.from({ length: size }, (_, id) => tokens.readable(id)) };
  },
  /** @type {(text: string) => number[]} */
  cut: (given) => tokens.encode(given),
  /** @type {(ids: number[], off: Off[]) => Answer} */
  run(ids, off) {
    const { z, weights, lens } = run(model, ids, off);
    return { z: z[z.length - 1], weights, lens };
  },
  /** Begin to write on. @type {(ids: number[], off: Off[], how: How) => void} */
  start(ids, off, how) {
    steps = written(model, ids, off, how);
    text = tokens.decoder();
  },
  /** The next token; null once the context is full. @type {() => Step | null} */
  next() {
    const { value } = steps.next();
    return value ? { ...value, text: text(value.id) } : null;
  },
};
/** @typedef {typeof answers} Answers */

addEventListener("message", async ({ data: { number, question, given } }) => {
  const progress = (/** @type {number} */ bytes) => postMessage({ number, progress: bytes });
  try {
    postMessage({ number, answer: await /** @type {any} */ (answers)[question](...given, progress) });
  } catch (error) {
    const why = error instanceof Network ? "network" : error instanceof Damaged ? "damaged" : "other";
    postMessage({ number, trouble: { why, detail: error instanceof Error ? error.message : String(error) } });
  }
});
