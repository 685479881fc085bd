#!/usr/bin/env python3
"""Adds to resemblance.json, which tells which causes the words of a report indicate, what further reports teach.

    python3 -m venv V && V/bin/pip install numpy scipy
    V/bin/python knowledge/wordings/learn_resemblance.py REPORTS.jsonl...

Each line of REPORTS is an object with `cause`, `text` (a list of lines) and, where it is a real one, `source`: reports
that were made up to learn from count less. The weights that stand in the table are where learning starts from, and
moving away from them costs: the reports that they were learned from need not be at hand. Only single words that stand
in at least two reports are kept, with their weights: no text. The kinds of symptoms (=class.subject) keep the weights
that they had: our rules were mended with the reports, and read more in them than in those that nobody has seen. Our own
cases of fixtures/cases are not learned from: their words are ours, and with them fewer guesses on reports that were not
learned from were right.
"""
import collections
import json
import math
import os
import re
import sys

import numpy
import scipy.sparse

FOLDER = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(FOLDER, "resemblance.json")
LEAST = 0.3  # weights below this are left out
MADE = 0.6  # what a report that was made up counts, unless it is a healthy one
COST = 0.01  # of moving away from the weights that stood there; from 0.003 to 0.03 it makes no difference
STEPS, RATE = 150, 0.05
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


def read_table():
    """(causes, their bias, rarity of each word, weights of each word by cause, the reports learned from)"""
    with open(TABLE) as source:
        table = json.load(source)
    causes = [row["id"] for row in table["causes"]]
    weights = {}
    for row in table["words"]:
        pairs = (pair.split(":") for pair in row["weights"].split())
        weights[row["word"]] = {int(cause): int(weight) / 100 for cause, weight in pairs}
    rarity = {row["word"]: row["rarity"] / 100 for row in table["words"]}
    learned = [int(number) for number in re.findall(r"from (\d+) labelled .* and (\d+) made-up", table["description"])[0]]
    return causes, [row["bias"] / 100 for row in table["causes"]], rarity, weights, learned


def take_new_words(rarity, reports, before):
    """Adds the words that two reports hold, with their inverse document frequency over all reports."""
    held_by = collections.Counter(word for _, taken, _ in reports for word in taken)
    every = before + len(reports)
    for word, count in held_by.items():
        if count >= 2 and word not in rarity:
            rarity[word] = math.log((1 + every) / (1 + count)) + 1


def counted(reports, place, rarity):
    """A row per report: the rarity of its words, scaled to a length of one."""
    rows, columns, values = [], [], []
    for row, (_, taken, _) in enumerate(reports):
        known = [word for word in taken if word in place]
        length = math.sqrt(sum(rarity[word] ** 2 for word in known))
        for word in known:
            rows.append(row)
            columns.append(place[word])
            values.append(rarity[word] / length)
    return scipy.sparse.csr_matrix((values, (rows, columns)), shape=(len(reports), len(place)))


def moved(matrix, start, bias, wanted, counts):
    """`start` and `bias` after gradient descent (Adam) on the likelihood of the wanted causes."""
    here = [numpy.zeros_like(start), numpy.zeros_like(bias)]
    first, second = ([numpy.zeros_like(one) for one in here] for _ in range(2))
    base = matrix @ start + bias
    for step in range(1, STEPS + 1):
        sums = base + matrix @ here[0] + here[1]
        likely = numpy.exp(sums - sums.max(axis=1, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True)
        likely[numpy.arange(len(wanted)), wanted] -= 1
        likely *= counts[:, None]
        for at, slope in enumerate((matrix.T @ likely + 2 * COST * here[0], likely.sum(axis=0))):
            first[at] = 0.9 * first[at] + 0.1 * slope
            second[at] = 0.999 * second[at] + 0.001 * slope**2
            here[at] -= RATE * first[at] / (1 - 0.9**step) / (numpy.sqrt(second[at] / (1 - 0.999**step)) + 1e-8)
    return start + here[0], bias + here[1]


def main():
    reports = []
    for path in sys.argv[1:]:
        for line in open(path):
            if line.strip():
                case = json.loads(line)
                cause = "healthy" if case["cause"].startswith(("healthy", "benign")) else case["cause"]
                if case["text"]:
                    reports.append((cause, words("\n".join(case["text"])), "source" in case))
    causes, bias, rarity, before, learned = read_table()
    take_new_words(rarity, reports, sum(learned))
    for cause in sorted({cause for cause, _, _ in reports} - set(causes)):
        causes.append(cause)
        bias.append(-3.0)
    names = sorted(rarity)
    place = {word: at for at, word in enumerate(names)}
    start = numpy.zeros((len(names), len(causes)))
    for word, weights in before.items():
        for cause, weight in weights.items():
            start[place[word], cause] = weight
    number = {cause: at for at, cause in enumerate(causes)}
    counts = numpy.array([1 if real or cause == "healthy" else MADE for cause, _, real in reports])
    weights, bias = moved(counted(reports, place, rarity), start, numpy.array(bias),
                          [number[cause] for cause, _, _ in reports], counts)
    rows = []
    for word in names:
        row = weights[place[word]]
        listed = " ".join(f"{cause}:{round(100 * row[cause])}" for cause in range(len(causes)) if abs(row[cause]) >= LEAST)
        if listed:
            rows.append({"word": word, "rarity": round(100 * rarity[word]), "weights": listed})
    real = learned[0] + sum(real for _, _, real in reports)
    made = learned[1] + sum(not real for _, _, real in reports)
    with open(TABLE, "w") as out:
        out.write('{\n  "description": ' + json.dumps(
            "Which causes the words of a report, and the kinds of symptoms read in it (=class.subject), point to: a linear "
            f"model, learned by learn_resemblance.py from {real} labelled public reports (their addresses stand in "
            f"bench/results) and {made} made-up ones. A word behind ! is one of a "
            "line that complains. causes: with the bias of each; words: with their rarity (inverse document frequency) "
            "and their weight for causes, by place. All numbers are hundredths.") + ',\n  "causes": [\n')
        out.write(",\n".join("    " + json.dumps({"id": cause, "bias": round(100 * bias[at])}) for at, cause in enumerate(causes)))
        out.write('\n  ],\n  "words": [\n')
        out.write(",\n".join("    " + json.dumps(row) for row in rows))
        out.write("\n  ]\n}\n")


if __name__ == "__main__":
    main()
