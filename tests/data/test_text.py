"""Sentences of any language: tokens as a reader would expect, and joined as they were written."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnbook.data.text import check_languages, is_punctuated, join, tokenize

CASES = [
    ("en", "Don't stop: it costs 3.14, or 1,000!", "Don't stop : it costs 3.14 , or 1,000 !"),
    ("en", 'He said: "Really?!" (Yes.)', 'He said : " Really ? ! " ( Yes . )'),
    ("en", "Wait... see www.example.org, e.g. state-of-the-art.", None),
    ("fr", "L'homme qu'on aime, c'est lui\u202f!", "L' homme qu' on aime , c' est lui !"),
    ("fr", "«\u202fÉté\u202f», dit-il.", "« Été » , dit-il ."),
    ("it", "L'amico dell'uomo.", "L' amico dell' uomo ."),
    ("de", "Er sagte: „Guten Tag“, und ging.", "Er sagte : „ Guten Tag “ , und ging ."),
    ("es", "¿Qué? ¡No!", "¿ Qué ? ¡ No !"),
    ("zh", "汤姆在2013年有1,000只猫，Tom用Wi-Fi上网。", "汤 姆 在 2013 年 有 1,000 只 猫 ， Tom 用 Wi-Fi 上 网 。"),
    ("ja", "東京タワーは333メートルです。", "東 京 タ ワ ー は 333 メ ー ト ル で す 。"),
    ("th", "ผมรักคุณ", "ผ ม รั ก คุ ณ"),
    ("ar", "هل تتكلم العربية؟ نعم، قليلًا.", "هل تتكلم العربية ؟ نعم ، قليلًا ."),
    ("hi", "क्या आप हिन्दी बोलते हैं? हाँ।", "क्या आप हिन्दी बोलते हैं ? हाँ ।"),
    ("ko", "저는 학생입니다.", "저는 학생입니다 ."),
    ("ru", "Он сказал: «Да».", "Он сказал : « Да » ."),
]


@pytest.mark.parametrize(("language", "text", "tokens"), CASES)
def test_tokenize_and_join_by_hand(language, text, tokens):
    found = tokenize(text, language)
    if tokens is not None:
        assert list(found) == tokens.split(" ")
    assert join(found, language) == text


@given(st.text(max_size=60), st.sampled_from(["en", "fr", "zh", "ar"]))
@settings(max_examples=300)
def test_tokenize_is_stable_and_gives_no_spaces(text, language):
    tokens = tokenize(text, language)
    assert all(token and token.split() == [token] for token in tokens)
    assert tokenize(" ".join(tokens), language) == tokens
    assert "".join("".join(tokens).split()) == "".join("".join(tokenize(join(tokens, language), language)).split())


def test_tokenize_keeps_accents_with_letters():
    assert tokenize("cafe\u0301", "fr") == tokenize("caf\u00e9", "fr") == ("caf\u00e9",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Go.", True),
        ("Go", False),
        ("走。", True),
        ("هل؟", True),
        ("हाँ।", True),
        ('He said: "Go."', True),
        ('"Go"', False),
    ],
)
def test_ends_detects_final_punctuation(text, expected):
    assert is_punctuated(tokenize(text, "en")) is expected


@pytest.mark.parametrize("languages", ["en-de", "pt_BR-ja", "yue-zh_Hant"])
def test_check_languages_accepts_two_codes(languages):
    assert "-".join(check_languages(languages)) == languages


@pytest.mark.parametrize("languages", ["en", "en-", "english-german", "EN-DE", "en-de-fr", "en de", ""])
def test_check_languages_refuses_other_text(languages):
    with pytest.raises(ValueError, match="languages"):
        check_languages(languages)


def test_join_and_ends_ignore_empty_tokens():
    assert join(["", "a", "", "."], "en") == "a."
    assert join(["l'", ""], "fr") == "l'"
    assert is_punctuated(["a", ".", ""]) and not is_punctuated(["a", ""])


def test_text_functions_name_arguments_of_another_type():
    for tokens in (None, "a b", [None]):
        with pytest.raises(TypeError, match="tokens"):
            join(tokens, "en")
    with pytest.raises(TypeError, match="text"):
        tokenize(None, "en")
    for call in (lambda: tokenize("a", None), lambda: join(["a"], None), lambda: check_languages(None)):
        with pytest.raises(TypeError, match="language"):
            call()
