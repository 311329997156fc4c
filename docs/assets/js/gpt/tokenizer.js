// Byte-level BPE: any text to ids and back (toymodel/byte_level.py), from the `tokenizers` library's tokenizer.json.

import { cut } from "../toy/vocabulary.js";
import { Damaged } from "./safetensors.js";

/** @typedef {ReturnType<typeof tokenizer>} Tokenizer */

// GPT-2's: no merge crosses these borders. A space belongs to the word after it. JavaScript's own \s knows another
// set of white space than Unicode.
const SPLIT =
  /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;

/** What stands for each byte in the file: itself where it can be printed, or else the next character from 256 on. */
const SYMBOLS = (() => {
  const printed = (/** @type {number} */ byte) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(printed(byte) ? byte : next++));
})();
const BYTES = new Map(SYMBOLS.map((symbol, byte) => [symbol, byte]));

/** Signs in the place of what cannot be seen. @type {Record<string, string>} */
const SEEN = { " ": "␣", "\n": "↵", "\t": "⇥", "\r": "␍" };

/** What a file must say, where it says it. @type {[path: string[], accepted: any[]][]} */
const SETTLED = [
  [["model", "type"], ["BPE"]],
  [["model", "ignore_merges"], [false, undefined]],
  [["model", "byte_fallback"], [false, undefined]],
  [["pre_tokenizer", "type"], ["ByteLevel"]],
  [["pre_tokenizer", "add_prefix_space"], [false]],
  [["pre_tokenizer", "use_regex"], [true, undefined]],
  [["normalizer"], [null, undefined]],
  [["added_tokens", "length"], [0, undefined]],
];

/**
 * The vocabulary of a file. Throws Damaged for one that cuts text in another way than GPT-2's, or has other than `size`
 * tokens.
 * @param {any} file the content of tokenizer.json
 * @param {number} size
 */
export function tokenizer(file, size) {
  for (const [path, accepted] of SETTLED) {
    const found = path.reduce((level, key) => level?.[key], file);
    if (!accepted.includes(found))
      throw new Damaged(`tokenizer.json: ${path.join(".")}: expected ${accepted[0]}, got ${JSON.stringify(found)}`);
  }
  /** @type {Map<string, number>} */
  const ids = new Map(Object.entries(file.model.vocab));
  const tokens = [...ids].sort(([, a], [, b]) => a - b).map(([token]) => token);
  if (tokens.length !== size || tokens.some((token, id) => ids.get(token) !== id))
    throw new Damaged(`tokenizer.json: expected the ids of ${size} tokens, counted without a gap; got ${tokens.length}`);
  const rank = new Map(
    file.model.merges.map((/** @type {string | string[]} */ pair, /** @type {number} */ place) => [
      Array.isArray(pair) ? pair.join(" ") : pair,
      place,
    ]),
  );

  /** @type {(text: string) => number[]} */
  const encode = (text) =>
    (text.toWellFormed().match(SPLIT) ?? []).flatMap((word) => {
      const symbols = Array.from(new TextEncoder().encode(word), (byte) => SYMBOLS[byte]).join("");
      return cut(symbols, rank).map((piece) => /** @type {number} */ (ids.get(piece)));
    });

  /** @type {(id: number) => Uint8Array} */
  const bytes = (id) => Uint8Array.from(tokens[id], (symbol) => BYTES.get(symbol) ?? 0);

  /** @type {(id: number) => string} a token as a reader can tell it: its text, or its bytes where they are no text */
  function readable(id) {
    try {
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes(id));
      const seen = text.replace(/[ \n\t\r]/g, (sign) => SEEN[sign]);
      if (!/[\p{Cc}\p{Cf}\p{White_Space}]/u.test(seen)) return seen;
    } catch {
      // bytes of a part of a character
    }
    return `<${Array.from(bytes(id), (byte) => byte.toString(16).padStart(2, "0")).join(" ")}>`;
  }

  /** Each token's text as soon as it is whole: a character may take several tokens. @returns {(id: number) => string} */
  function decoder() {
    const whole = new TextDecoder("utf-8", { ignoreBOM: true });
    return (id) => whole.decode(bytes(id), { stream: true });
  }

  return { encode, readable, decoder };
}
