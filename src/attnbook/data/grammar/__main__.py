"""Print sample sentences of the grammar: ``python -m attnbook.data.grammar --sample 20``."""

from __future__ import annotations

import argparse
from itertools import islice

from attnbook.data.grammar.corpus import TARGETS, derivations
from attnbook.data.grammar.text import join


def main() -> None:
    """Parse the options and print sentences."""
    parser = argparse.ArgumentParser(prog="python -m attnbook.data.grammar", description=__doc__)
    parser.add_argument("--sample", type=int, default=20, metavar="N", help="number of sentences")
    parser.add_argument("--seed", type=int, default=0, help="random seed")
    parser.add_argument("--target", choices=TARGETS, help="one target language; default: both")
    parser.add_argument("--aligned", action="store_true", help="show tokens and their links")
    options = parser.parse_args()
    if options.sample < 0:
        parser.error(f"argument --sample must be >= 0, got {options.sample}")
    for sentence in islice(derivations(options.seed), options.sample):
        print(" ".join(sentence.english) if options.aligned else join(sentence.english, "english"))
        for target in (options.target,) if options.target else TARGETS:
            pair = sentence.pair(target)
            if not options.aligned:
                print("   ", join(pair.target, target))
                continue
            print("   ", " ".join(pair.target))
            links = sorted(pair.alignment or ())
            print("       ", "  ".join(f"{pair.source[i]}-{pair.target[j]}" for i, j in links))


if __name__ == "__main__":
    main()
