// The theme's search worker, made to find words however they are accented and inflected: "atencao"
// finds "atenção", «логитов» finds «логит». Words are indexed without their accents; a word of the
// query becomes the prefix that it shares with its stem. The worker's own file name is our query.

const SHORTEST_STEM = 4; // letters; a shorter word is looked up as it is

let code = "en";

const folded = (word) => word.normalize("NFD").replace(/[\u0300-\u036f]/g, "");

/** What to look for instead of a word of the query, its + or - kept; nothing for a stop word. */
function sought(word) {
  const [, sign, letters] = word.match(/^([+-]?)(\p{L}+)$/u) ?? [];
  if (!letters) return word;
  const { lunr } = self;
  const language = lunr[code] ?? lunr; // English is lunr itself; the others are loaded beside it
  const lower = letters.toLowerCase();
  if (!language.stopWordFilter(new lunr.Token(lower))) return "";
  const [whole, stem] = [folded(lower), folded(`${language.stemmer(new lunr.Token(lower))}`)];
  const parting = [...whole].findIndex((letter, place) => letter !== stem[place]);
  const prefix = parting < SHORTEST_STEM ? whole : whole.slice(0, parting);
  return sign ? `${sign}${prefix}*` : prefix; // a word without a sign gets its star from the theme
}

// Before the theme's own listener, which reads the same message.
addEventListener("message", ({ data: message }) => {
  if (message.type === 0) [code] = message.data.config.lang;
  if (message.type === 2) message.data = message.data.split(/\s+/).map(sought).join(" ").trim() || message.data;
});

importScripts(self.location.search.slice(1));

const { Pipeline } = self.lunr;
const run = Pipeline.prototype.run;
Pipeline.prototype.run = function (tokens) {
  return run.call(this, tokens).map((token) => token.update(folded));
};
