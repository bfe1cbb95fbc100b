// From tokens to ids and back: whole words, or pieces of words by byte-pair encoding.

export const SPECIALS = ["<pad>", "<bos>", "<eos>", "<unk>"];
export const [PAD, BOS, EOS, UNK] = [0, 1, 2, 3];

/**
 * @typedef {object} Vocabulary
 * @property {"words" | "subwords"} kind
 * @property {number} size number of ids
 * @property {(token: string) => boolean} knows
 * @property {string[]} words what can be offered while somebody types
 * @property {(tokens: string[]) => number[]} encode
 * @property {(ids: number[]) => string[]} decode the tokens up to <eos>
 * @property {(ids: number[]) => string[]} pieces a label for each id
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

/** Pieces that the merges make need not be listed. @type {(listed: string[], merges: [string, string][]) => Vocabulary} */
function subwords(listed, merges) {
  const symbols = [...new Set([...listed, ...merges.map((merge) => merge.join(""))])];
  const ids = new Map(symbols.map((symbol, i) => [symbol, i + SPECIALS.length]));
  const ranks = new Map(merges.map(([left, right], rank) => [`${left} ${right}`, rank]));
  const [characterOf, byteOf] = byteCharacters();
  const bytes = symbols.map((symbol) => Uint8Array.from(symbol, (character) => byteOf.get(character) ?? 0));

  /** Join the pair that was learned first, the leftmost of equal ones, until none is left. @type {(token: string) => number[]} */
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
    knows: () => true,
    words: [],
    encode: (tokens) => tokens.flatMap(encodeToken),
    decode,
    pieces: (found) => found.map((id) => SPECIALS[id] ?? label(bytes[id - SPECIALS.length])),
  };
}

/** How the tokenizers library spells bytes: a printable one as itself, the others from U+0100 on. @type {() => [string[], Map<string, number>]} */
function byteCharacters() {
  let next = 256;
  const characters = Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    return String.fromCharCode(printable ? byte : next++);
  });
  return [characters, new Map(characters.map((character, byte) => [character, byte]))];
}

/** The text of a piece: "▁" for a space, "⟨e7⟩" for a byte that is no character. @type {(spelled: Uint8Array) => string} */
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

/** How many bytes from `at` on are one character of UTF-8; 0 if they are none. @type {(spelled: Uint8Array, at: number) => number} */
function characterLength(spelled, at) {
  for (let length = 1; length <= 4 && at + length <= spelled.length; length++) {
    try {
      new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(spelled.subarray(at, at + length));
      return length;
    } catch {
      // not whole yet, or never
    }
  }
  return 0;
}
