// Questions to the worker, as promises.

/** @typedef {import("./worker.js").Answers} Answers */
/** @typedef {keyof Answers} Question */
/** @template {Question} Q @typedef {Parameters<Answers[Q]> extends [...infer Given, (bytes: number) => void] ? Given : Parameters<Answers[Q]>} Given */

/** Why there is no answer: as the worker tells it, or that there is no worker. */
export class Unanswered extends Error {
  /** @param {"network" | "damaged" | "other" | "worker"} why @param {string} detail */
  constructor(why, detail) {
    super(detail);
    this.why = why;
  }
}

/** Start a worker. Throws Unanswered where the browser starts none. */
export function client() {
  /** @type {Map<number, {done: (answer: any) => void, failed: (error: Unanswered) => void, progress?: (bytes: number) => void}>} */
  const waiting = new Map();
  let asked = 0;
  /** @type {Worker} */
  let worker;
  try {
    worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  } catch (error) {
    throw new Unanswered("worker", String(error));
  }
  worker.onmessage = ({ data: { number, answer, trouble, progress } }) => {
    const one = waiting.get(number);
    if (progress !== undefined) return one?.progress?.(progress);
    waiting.delete(number);
    if (trouble) one?.failed(new Unanswered(trouble.why, trouble.detail));
    else one?.done(answer);
  };
  worker.onerror = (event) => {
    waiting.forEach(({ failed }) => failed(new Unanswered("worker", event.message ?? "")));
    waiting.clear();
  };

  return {
    /**
     * @template {Question} Q
     * @param {Q} question
     * @param {Given<Q>} given
     * @param {(bytes: number) => void} [progress]
     * @returns {Promise<Awaited<ReturnType<Answers[Q]>>>}
     */
    ask: (question, given, progress) =>
      new Promise((done, failed) => {
        asked += 1;
        waiting.set(asked, { done, failed, progress });
        worker.postMessage({ number: asked, question, given });
      }),
    end: () => worker.terminate(),
  };
}
/** @typedef {ReturnType<typeof client>} Client */
