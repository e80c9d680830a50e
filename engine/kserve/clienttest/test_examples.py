"""What the Python model of the example repository says."""

import numpy as np
import tritonclient.http as httpclient


def said(http: httpclient.InferenceServerClient, images: np.ndarray) -> list[tuple[str, float]]:
    """Ask say_digit about drawings."""
    drawings = httpclient.InferInput("IMAGE", images.shape, "UINT8")
    drawings.set_data_from_numpy(images)
    answer = http.infer("say_digit", [drawings])
    texts, chances = answer.as_numpy("TEXT"), answer.as_numpy("PROBABILITY")
    return [(text.decode(), float(chance)) for text, chance in zip(texts[:, 0], chances[:, 0], strict=True)]


def test_digits_are_said_in_words(http: httpclient.InferenceServerClient) -> None:
    images = np.zeros((3, 28, 28), np.uint8)
    images[1, 4:24, 13:16] = 255  # a one
    images[2] = 255 - images[1]  # dark on light
    blank, one, dark = said(http, images)
    assert blank == ("nothing is drawn", 0)
    assert one[0] == dark[0] == "1, for sure"
    assert one[1] > 0.95


def test_what_is_unsure_has_a_second_digit(http: httpclient.InferenceServerClient) -> None:
    rng = np.random.default_rng(3)
    noise = (rng.random((32, 28, 28)) > 0.7).astype(np.uint8) * 255
    unsure = [(text, chance) for text, chance in said(http, noise) if chance < 0.95]
    assert unsure, "no noise is a sure digit"
    for text, chance in unsure:
        first, second = text.split(", or else ")
        assert first.endswith(f"({chance:.0%})")
        assert first[0] != second[0]
