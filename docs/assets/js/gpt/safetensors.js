// Safetensors: eight bytes that tell the length of a JSON header, the header, then the numbers, least byte first
// (as in every machine that runs a browser).

/** @typedef {{shape: number[], values: Float32Array}} Tensor */

/** Files that are not what they have to be; the message says what was expected. */
export class Damaged extends Error {}

/** How each type of number is read. @type {Record<string, {bytes: number, read: (data: ArrayBuffer) => Float32Array}>} */
const TYPES = {
  F32: { bytes: 4, read: (data) => new Float32Array(data) },
  F16: { bytes: 2, read: (data) => Float32Array.from(new Uint16Array(data), half) },
};

/** @type {(bits: number) => number} IEEE 754: a sign, five bits of exponent, ten of fraction */
function half(bits) {
  const [sign, exponent, fraction] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24);
}

/** @type {(content: ArrayBuffer) => Record<string, any>} */
function header(content) {
  const length = content.byteLength < 8 ? Infinity : Number(new DataView(content).getBigUint64(0, true));
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(content, 8, length)));
  } catch {
    throw new Damaged(`no whole safetensors file: ${content.byteLength} bytes, and no header that can be read`);
  }
}

/**
 * Every tensor of a file by its name. Throws Damaged for a file that is cut off or no safetensors, for numbers of
 * another type, and for values that are not finite.
 * @param {ArrayBuffer} content
 * @returns {Map<string, Tensor>}
 */
export function tensors(content) {
  const { __metadata__: _, ...entries } = header(content);
  const start = 8 + Number(new DataView(content).getBigUint64(0, true));
  return new Map(
    Object.entries(entries).map(([name, { dtype, shape, data_offsets: [from, to] }]) => {
      const type = TYPES[dtype];
      if (!type) throw new Damaged(`${name}: expected F16 or F32, got ${dtype}`);
      const expected = shape.reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, type.bytes);
      if (to - from !== expected || start + to > content.byteLength)
        throw new Damaged(`${name}: expected ${expected} bytes, got ${Math.min(to, content.byteLength - start) - from}`);
      const values = type.read(content.slice(start + from, start + to));
      if (!values.every(Number.isFinite)) throw new Damaged(`${name}: holds a value that is no finite number`);
      return [name, { shape, values }];
    }),
  );
}
