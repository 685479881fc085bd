#!/usr/bin/env python3
"""Learns resemblance.json: which causes the words of a report indicate.

    python3 -m venv V && V/bin/pip install scikit-learn
    V/bin/python knowledge/wordings/learn_resemblance.py ENVDOCTOR REPORTS.jsonl...

ENVDOCTOR is the program, which reads the symptoms of each text. Each line of REPORTS is an object with `cause` and
`text` (a list of lines); our own cases of fixtures/cases are added with less weight. Only single words and kinds of
symptoms that stand in at least two reports are kept, with their weights: no text.
"""
import json
import os
import re
import subprocess
import sys

import numpy
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

FOLDER = os.path.dirname(os.path.abspath(__file__))
OURS = os.path.join(FOLDER, "..", "..", "fixtures", "cases")
LEAST = 0.3  # weights below this are left out


def words(text):
    """The words of a text as resemblance.cpp counts them."""
    found = re.findall(r"[a-z0-9_]+", text[: 1 << 18].lower())
    found = [re.sub(r"[0-9]+", "0", word) for word in found]
    return [word for word in found if 3 <= len(word) <= 24 and not word[0].isdigit()]


def symptoms(program, text):
    """The kinds of symptoms that the program reads in a text, as resemblance.cpp counts them: "=missing.library"."""
    done = subprocess.run([program, "diagnose", "--log", "-", "--format", "json"], input=text.encode(),
                          stdout=subprocess.PIPE)
    log = json.loads(done.stdout)["snapshot"].get("log") if done.stdout else None
    return sorted({f"={one.get('class')}.{one.get('subject')}" for one in (log if isinstance(log, list) else [])})


def our_cases():
    for name in sorted(os.listdir(OURS)):
        for case in re.split(r"^=== ", open(os.path.join(OURS, name)).read(), flags=re.M)[1:]:
            head, _, text = case.partition("\n---\n")
            cause = re.search(r"^cause: ([\w.-]+)", head, re.M)
            if cause:
                yield cause.group(1), text


def learn(program, reports):
    """(causes, words, bias, weights) of a linear model over words and symptoms, and how rare each of them is."""
    texts = [(cause, text, 1.0) for cause, text in reports] + [(cause, text, 0.4) for cause, text in our_cases()]
    count = TfidfVectorizer(analyzer=list, sublinear_tf=True, min_df=2)
    counted = count.fit_transform([words(text) + symptoms(program, text) for _, text, _ in texts])
    causes = ["healthy" if cause.startswith(("healthy", "benign")) else cause for cause, _, _ in texts]
    model = LogisticRegression(C=30, max_iter=200)
    model.fit(counted, causes, sample_weight=numpy.array([weight for _, _, weight in texts]))
    return list(model.classes_), list(count.get_feature_names_out()), model.intercept_, model.coef_, count.idf_


def main():
    reports = []
    program = os.path.abspath(sys.argv[1])
    for path in sys.argv[2:]:
        for line in open(path):
            if line.strip():
                case = json.loads(line)
                reports.append((case["cause"], "\n".join(case["text"])))
    causes, names, bias, weights, rarity = learn(program, reports)
    rows = []
    for at, word in enumerate(names):
        kept = [(cause, weights[cause][at]) for cause in range(len(causes)) if abs(weights[cause][at]) >= LEAST]
        if kept:
            listed = " ".join(f"{cause}:{round(100 * weight)}" for cause, weight in kept)
            rows.append({"word": word, "rarity": round(100 * rarity[at]), "weights": listed})
    with open(os.path.join(FOLDER, "resemblance.json"), "w") as out:
        out.write('{\n  "description": ' + json.dumps(
            "Which causes the words of a report, and the kinds of symptoms read in it (=class.subject), point to: a linear "
            f"model, learned by learn_resemblance.py from {len(reports)} labelled public reports (their addresses stand in "
            "bench/results) and from our own cases. causes: with the bias "
            "of each; words: with their rarity (inverse document frequency) and their weight for causes, by place. All "
            "numbers are hundredths.") + ',\n  "causes": [\n')
        out.write(",\n".join("    " + json.dumps({"id": cause, "bias": round(100 * bias[at])}) for at, cause in enumerate(causes)))
        out.write('\n  ],\n  "words": [\n')
        out.write(",\n".join("    " + json.dumps(row) for row in rows))
        out.write("\n  ]\n}\n")


if __name__ == "__main__":
    main()
