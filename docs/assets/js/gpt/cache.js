// The key-value cache, as a recorder (toymodel/cache.py): the forward pass goes on with what `record` returns, so
// that handing back the kept keys and values with the new ones is all it takes.

/**
 * A recorder of one forward pass after another, each on the tokens that follow. What is computed on the way is told
 * to `record`.
 * @param {import("../toy/model.js").Matrix} P the rows of all positions
 * @param {import("../toy/model.js").Recorder} record
 * @returns {import("../toy/model.js").Recorder}
 */
export function cache(P, record) {
  /** @type {Map<string, any>} head, s, c */
  const kept = new Map();
  let length = 0;
  return (name, value, block) => {
    /** @type {any} */
    let whole = value;
    if (name === "position_embedding") {
      whole = P.slice(length, length + whole.length);
      length += whole.length;
    } else if (name === "k" || name === "v") {
      const key = `${name}/${block}`;
      const before = kept.get(key);
      if (before) whole = before.map((/** @type {any[]} */ rows, /** @type {number} */ at) => [...rows, ...whole[at]]);
      kept.set(key, whole);
    }
    return record(name, whole, block);
  };
}
