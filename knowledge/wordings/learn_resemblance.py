#!/usr/bin/env python3
"""Learns resemblance.json: which causes the words of a report, and the kinds of symptoms read in it, indicate.

    python3 -m venv V && V/bin/pip install scikit-learn
    V/bin/python knowledge/wordings/learn_resemblance.py ENVDOCTOR REPORTS.jsonl...

ENVDOCTOR is the program, which reads the symptoms of each text; best one whose rules were written before the reports
were gathered, since it will read less in reports that nobody has seen than in those its rules were written for. Each line of REPORTS is an object with `cause`, `text` (a list of lines) and, where it is a real one, `source`: reports
that were made up to learn from count less. Only single words and kinds of symptoms
that stand in at least two reports are kept, with their weights: no text. Our own cases of fixtures/cases are not learned from: their words
are ours, and with them fewer guesses on reports that were not learned from were right.
"""
import json
import os
import re
import subprocess
import sys

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

FOLDER = os.path.dirname(os.path.abspath(__file__))
LEAST = 0.3  # weights below this are left out
MADE = 0.6  # what a report that was made up counts, unless it is a healthy one
# A word that begins so, and one that ends with "error" or "exception", marks its line as a complaint (resemblance.cpp).
COMPLAINTS = (
    "abort", "assert", "cannot", "could", "crash", "critical", "denied", "detect", "differ", "error", "exception",
    "expected", "fail", "false", "fatal", "fault", "incompat", "inf", "invalid", "kill", "mismatch", "miss", "nan",
    "no_", "not", "only", "refused", "segm", "unable", "unavail", "undefined", "unexpected", "unknown", "unsupp", "warn",
    "without", "wrong")


def words(text):
    """The words of a text as resemblance.cpp takes them: those of a line that complains a second time, with a mark."""
    taken, seen = set(), set()
    for line in text[: 1 << 18].split("\n"):
        found = [re.sub(r"[0-9]+", "0", word) for word in re.findall(r"[a-z0-9_]+", line.lower())]
        found = [word for word in found if 3 <= len(word) <= 24 and word[0] != "0"]
        if tuple(found) in seen:
            continue
        seen.add(tuple(found))
        taken.update(found)
        if any(word.startswith(COMPLAINTS) or word.endswith(("error", "exception")) for word in found):
            taken.update("!" + word for word in found)
    return sorted(taken)


def symptoms(program, text):
    """The kinds of symptoms that the program reads in a text, as resemblance.cpp takes them: "=missing.library"."""
    done = subprocess.run([program, "diagnose", "--log", "-", "--format", "json"], input=text.encode(),
                          stdout=subprocess.PIPE)
    log = json.loads(done.stdout)["snapshot"].get("log") if done.stdout else None
    return sorted({f"={one.get('class')}.{one.get('subject')}" for one in (log if isinstance(log, list) else [])})


def learn(program, reports):
    """(causes, words, bias, weights, rarity) of a linear model over words and symptoms."""
    count = TfidfVectorizer(analyzer=list, min_df=2)
    counted = count.fit_transform([words(text) + symptoms(program, text) for _, text, _ in reports])
    causes = ["healthy" if cause.startswith(("healthy", "benign")) else cause for cause, _, _ in reports]
    weights = [1 if real or cause == "healthy" else MADE for cause, (_, _, real) in zip(causes, reports)]
    model = LogisticRegression(C=40, max_iter=200)
    model.fit(counted, causes, sample_weight=weights)
    return list(model.classes_), list(count.get_feature_names_out()), model.intercept_, model.coef_, count.idf_


def main():
    reports = []
    program = os.path.abspath(sys.argv[1])
    for path in sys.argv[2:]:
        for line in open(path):
            if line.strip():
                case = json.loads(line)
                reports.append((case["cause"], "\n".join(case["text"]), "source" in case))
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
            "model, learned by learn_resemblance.py from "
            f"{sum(real for _, _, real in reports)} labelled public reports (their addresses stand in bench/results) and "
            f"{sum(not real for _, _, real in reports)} made-up ones. A word behind ! is one of a "
            "line that complains. causes: with the bias of each; words: with their rarity (inverse document frequency) "
            "and their weight for causes, by place. All numbers are hundredths.") + ',\n  "causes": [\n')
        out.write(",\n".join("    " + json.dumps({"id": cause, "bias": round(100 * bias[at])}) for at, cause in enumerate(causes)))
        out.write('\n  ],\n  "words": [\n')
        out.write(",\n".join("    " + json.dumps(row) for row in rows))
        out.write("\n  ]\n}\n")


if __name__ == "__main__":
    main()
