#!/usr/bin/env python3
"""Writes binomial_table.txt: what SciPy says of the binomial distribution and of the sums made from it.

    python3 make_binomial_table.py > binomial_table.txt

Written by SciPy 1.17. Each line is one kind of value and its numbers:

    tail TRIALS RATE HITS DENSITY TAIL     the density at HITS, and the chance of at least so many
    least TRIALS HITS CHANCE RATE          the rate at which that chance is CHANCE (Clopper and Pearson's lower bound)
    day TRIALS RATE HITS SPAN LOOKS CHANCE the lesser sum over the looks of a day, for a span in seconds
"""
from math import floor, sqrt

from scipy.stats import beta, binom

TRIALS = [1, 2, 10, 50, 100, 1000, 12_345, 100_000, 1_000_000]
RATES = [1e-5, 1e-4, 0.001, 0.005, 0.01, 0.05, 0.1, 0.3, 0.5]


def hits_above_the_mean(trials, rate):
    """From just above the mean to far beyond, where the density still is a number."""
    mean, deviation = trials * rate, sqrt(trials * rate * (1 - rate))
    found = {floor(mean) + 1} | {floor(mean + steps * deviation) + 1 for steps in (1, 2, 3.5, 5, 8, 20)}
    if trials <= 100:
        found.add(trials)
    return sorted(hits for hits in found if hits <= trials and binom.pmf(hits, trials, rate) > 1e-250)


for trials in TRIALS:
    for rate in RATES:
        for hits in hits_above_the_mean(trials, rate):
            density, tail = binom.pmf(hits, trials, rate), binom.sf(hits - 1, trials, rate)
            print("tail", trials, rate, hits, repr(float(density)), repr(float(tail)))

for trials, hits in [(1, 1), (50, 1), (50, 5), (100, 3), (1000, 10), (1840, 31), (100_000, 700), (1_000_000, 5200)]:
    for chance in (0.05, 0.01, 0.5):
        print("least", trials, hits, chance, repr(float(beta.ppf(chance, hits, trials - hits + 1))))

for trials, rate, hits in [(50, 0.005, 3), (200, 0.01, 9), (2000, 0.005, 25), (40_000, 0.01, 470), (1_000_000, 0.005, 5400)]:
    for span in (300, 3600, 86_400):
        for looks in (1, 24, 1440):
            density, tail = binom.pmf(hits, trials, rate), binom.sf(hits - 1, trials, rate)
            rises = tail + 86_400 / span * hits * (1 - rate) * density
            print("day", trials, rate, hits, span, looks, repr(float(min(1, looks * tail, rises))))
