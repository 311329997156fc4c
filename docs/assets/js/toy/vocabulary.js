// The toy's tokens: text to ids and back (toymodel/tokens.py). A leading space is written ␣, inside the token.

export const SPACE = "␣";

/**
 * What is wrong with a text: nothing in it, a word left with pieces that are no tokens, or too many tokens.
 * @typedef {{why: "empty"} | {why: "unknown", word: string, pieces: string[]} | {why: "long", count: number}} Trouble
 */

/**
 * What is left of a word once no merge applies.
 * @param {string} word
 * @param {Map<string, number>} rank the place of each merge, by its two pieces with a space between them
 * @returns {string[]}
 */
export function cut(word, rank) {
  let pieces = [...word];
  for (;;) {
    const pairs = pieces.slice(1).map((piece, i) => rank.get(`${pieces[i]} ${piece}`) ?? Infinity);
    const first = Math.min(...pairs);
    if (first === Infinity) return pieces;
    const joined = [];
    for (let i = 0; i < pieces.length; i += 1) {
      if (pairs[i] === first) {
        joined.push(pieces[i] + pieces[i + 1]);
        i += 1;
      } else joined.push(pieces[i]);
    }
    pieces = joined;
  }
}

/**
 * @param {string[]} tokens in the order of their ids
 * @param {[string, string][]} merges in the order in which they apply
 * @param {number} longest
 */
export function vocabulary(tokens, merges, longest) {
  const rank = new Map(merges.map(([left, right], place) => [`${left} ${right}`, place]));
  const end = tokens[tokens.length - 1];

  /**
   * The ids of a text, with its spaces as they are or written ␣; or what is wrong with it.
   * @param {string} text
   * @returns {{ids: number[]} | Trouble}
   */
  function encode(text) {
    const words =
      text
        .normalize("NFC")
        .replaceAll(" ", SPACE)
        .match(/␣[^␣]*|[^␣]+/g) ?? [];
    if (!words.some((word) => word.trim() && word !== SPACE)) return { why: "empty" };
    const ids = [];
    for (const word of words) {
      const parts = word.split(end).flatMap((part, i) => (i ? [end, part] : [part])); // no merge reaches into it
      const pieces = parts.flatMap((part) => (part === end ? [end] : cut(part, rank)));
      if (!pieces.every((piece) => tokens.includes(piece))) return { why: "unknown", word, pieces };
      ids.push(...pieces.map((piece) => tokens.indexOf(piece)));
    }
    return ids.length > longest ? { why: "long", count: ids.length } : { ids };
  }

  return {
    encode,
    end: tokens.length - 1,
    decode: (/** @type {number[]} */ ids) =>
      ids
        .map((id) => tokens[id])
        .join("")
        .replaceAll(SPACE, " "),
  };
}
