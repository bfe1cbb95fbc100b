// Maps tokens to ids and back: whole words, or subwords by byte-pair encoding.

export const SPECIALS = ["<pad>", "<bos>", "<eos>", "<unk>"];
export const [PAD, BOS, EOS, UNK] = [0, 1, 2, 3];

/**
 * @typedef {object} Vocabulary
 * @property {"words" | "subwords"} kind
 * @property {number} size number of ids
 * @property {(token: string) => boolean} knows
 * @property {string[]} words words for autocompletion
 * @property {(tokens: string[]) => number[]} encode
 * @property {(ids: number[]) => string[]} decode the tokens up to <eos>
 * @property {(ids: number[]) => string[]} pieces one label per id
 */

/** @type {(data: any) => Vocabulary} */
export const vocabularyFrom = (data) =>
  data.kind === "subwords" ? subwords(data.symbols, data.merges) : words(data.words);

/** The ids up to <eos>, without <pad> and <bos>. @type {(ids: number[]) => number[]} */
function sentenceIds(ids) {
  const end = ids.indexOf(EOS);
  return (end < 0 ? ids : ids.slice(0, end)).filter((id) => id !== PAD && id !== BOS);
}

/** @type {(list: string[]) => Vocabulary} */
function words(list) {
  const ids = new Map(list.map((word, i) => [word, i + SPECIALS.length]));
  /** @type {(found: number[]) => string[]} */
  const pieces = (found) => found.map((id) => SPECIALS[id] ?? list[id - SPECIALS.length]);
  return {
    kind: "words",
    size: list.length + SPECIALS.length,
    knows: (token) => ids.has(token),
    words: list,
    encode: (tokens) => tokens.map((token) => ids.get(token) ?? UNK),
    decode: (found) => pieces(sentenceIds(found)),
    pieces,
  };
}

/** Symbols created by merges need not be listed. @type {(listed: string[], merges: [string, string][]) => Vocabulary} */
function subwords(listed, merges) {
  const symbols = [...new Set([...listed, ...merges.map((merge) => merge.join(""))])];
  const ids = new Map(symbols.map((symbol, i) => [symbol, i + SPECIALS.length]));
  const ranks = new Map(merges.map(([left, right], rank) => [`${left} ${right}`, rank]));
  const [characterOf, byteOf] = byteCharacters();
  const bytes = symbols.map((symbol) => Uint8Array.from(symbol, (character) => byteOf.get(character) ?? 0));

  /** Applies merges in the order in which they were learned, leftmost first. @type {(token: string) => number[]} */
  function encodeToken(token) {
    const parts = Array.from(new TextEncoder().encode(` ${token}`), (byte) => characterOf[byte]);
    for (;;) {
      let [best, at] = [Infinity, -1];
      for (let i = 0; i + 1 < parts.length; i++) {
        const rank = ranks.get(`${parts[i]} ${parts[i + 1]}`) ?? Infinity;
        if (rank < best) [best, at] = [rank, i];
      }
      if (at < 0) return parts.map((part) => Number(ids.get(part)));
      parts.splice(at, 2, parts[at] + parts[at + 1]);
    }
  }

  /** @type {(found: number[]) => string[]} */
  const decode = (found) => {
    const unknown = [...new TextEncoder().encode(" <unk> ")];
    const spelled = sentenceIds(found).flatMap((id) => (id === UNK ? unknown : [...bytes[id - SPECIALS.length]]));
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(spelled)).split(" ").filter(Boolean);
  };
  return {
    kind: "subwords",
    size: symbols.length + SPECIALS.length,
    knows: (token) => encodeToken(token).every((id) => isWhole(bytes[id - SPECIALS.length])),
    words: [],
    encode: (tokens) => tokens.flatMap(encodeToken),
    decode,
    pieces: (found) => found.map((id) => SPECIALS[id] ?? label(bytes[id - SPECIALS.length])),
  };
}

/** The byte-to-character table of the tokenizers library: printable bytes map to themselves, others to U+0100 and up. @type {() => [string[], Map<string, number>]} */
function byteCharacters() {
  let next = 256;
  const characters = Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    return String.fromCharCode(printable ? byte : next++);
  });
  return [characters, new Map(characters.map((character, byte) => [character, byte]))];
}

/** The text of a subword: "▁" for a space, "⟨e7⟩" for a byte outside a valid character. @type {(spelled: Uint8Array) => string} */
function label(spelled) {
  let text = "";
  for (let at = 0; at < spelled.length; ) {
    const length = characterLength(spelled, at);
    text += length
      ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(spelled.subarray(at, at + length))
      : `⟨${spelled[at].toString(16).padStart(2, "0")}⟩`;
    at += length || 1;
  }
  return text.replaceAll(" ", "▁");
}

/** Whether bytes are whole characters: a character that training did not see is in several pieces. @type {(spelled: Uint8Array) => boolean} */
const isWhole = (spelled) => !/⟨[0-9a-f]{2}⟩/.test(label(spelled));

/** Length in bytes of the UTF-8 character at `at`, or 0 if it is invalid. @type {(spelled: Uint8Array, at: number) => number} */
function characterLength(spelled, at) {
  for (let length = 1; length <= 4 && at + length <= spelled.length; length++) {
    try {
      new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(spelled.subarray(at, at + length));
      return length;
    } catch {
      // incomplete or invalid
    }
  }
  return 0;
}
