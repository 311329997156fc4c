// Random numbers by a seed, the same as PyTorch's: the Mersenne Twister of Matsumoto and Nishimura, "Mersenne
// Twister" (1998), sections 2 and 3, seeded as in its authors' version of 2002.

const SIZE = 624;
const MIDDLE = 397;

/**
 * Numbers from 0 up to, not with, 1, each of 53 random bits: torch.rand in float64.
 * @param {number} seed a whole number from 0 up
 * @returns {() => number}
 */
export function uniforms(seed) {
  const state = new Uint32Array(SIZE);
  state[0] = seed;
  for (let i = 1; i < SIZE; i += 1) state[i] = Math.imul(1812433253, state[i - 1] ^ (state[i - 1] >>> 30)) + i;
  let place = SIZE;

  function twist() {
    for (let i = 0; i < SIZE; i += 1) {
      const joined = (state[i] & 0x80000000) | (state[(i + 1) % SIZE] & 0x7fffffff);
      state[i] = state[(i + MIDDLE) % SIZE] ^ (joined >>> 1) ^ (joined & 1 ? 0x9908b0df : 0);
    }
    place = 0;
  }

  function bits() {
    if (place === SIZE) twist();
    let word = state[place];
    place += 1;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  return () => {
    const high = bits() & 0x1fffff; // the upper 21 of 53 bits
    return (high * 2 ** 32 + bits()) / 2 ** 53;
  };
}
