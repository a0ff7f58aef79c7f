"""The words of this program, each with its meaning, once: ``vecdecay explain`` shows them."""

import re
from collections.abc import Iterable

from vecdecay.parameters import did_you_mean

GLOSSARY: dict[str, str] = {
    # What happens in a session
    "session": "one run of an agent's memory: items are registered and recalled in turns 1 to session_length",
    "turn": "unit of time, an integer from 1: its events in order, then one eviction pass, then the measurement",
    "item": "one entry of the memory, numbered from 0 in its session",
    "event": "what happens to an item in a turn: register, recall, forget or query",
    "register": "event that puts an item into the memory; it counts as the item's first use",
    "recall": "event that asks for an item: a hit if it is in the working set, else a miss, which changes nothing",
    "forget": "event that removes an item on request, whatever the policy says",
    "query": "event that asks for the k most relevant items instead of for a named one",
    "touch": "a registration or a successful recall of an item; called access in the literature on caches",
    "last touch": "turn of the latest registration or successful recall of an item",
    "age": "turns since the last touch of an item; 0 in the turn of the touch",
    "recall count": "uses of an item since its registration, which counts as the first",
    "hit": "recall of an item that is in the working set",
    "miss": "recall of an item that is not in the working set",
    "foundational": "kind of the items that a session is about; metrics ask whether they survive",
    "noise": "kind of all other items, which are registered and mostly never recalled",
    "kind": "foundational or noise for an item; the name of a policy or workload in a sweep file",
    "workload": "generator that makes one session of each seed",
    "importer": "reader that makes a trace of a format of others; vecdecay list names them",
    "trace": "recorded sessions, as opposed to those that a workload generates",
    "source": "where sessions come from, a workload or a trace; of a policy, the code or paper that it follows",
    "seed": "integer that a workload makes a session of; the same seed always gives the same session",
    "seeds": "the sessions to play: a count (1000), a range (100:200, without 200) or a list (3,1,4)",
    # Items and their attributes
    "attribute": "what is known of an item from its registration on: importance, category and whether it is pinned",
    "importance": "attribute of an item, from 0 to 1; 0.5 where nothing else is said",
    "category": "attribute of an item: fact, assumption, failure or strategy",
    "fact": "category of an item, the default one",
    "assumption": "category of an item, one of four",
    "failure": "category of an item, one of four",
    "strategy": "category of an item, one of four",
    "pinned": "attribute of an item that no policy evicts",
    "token": "unit of the size of an item, which is 1 where the workload or trace states none",
    "tokens": "size of an item; 1 where the workload states none",
    # What is forgotten
    "policy": "rule that decides which items are evicted at the end of a turn",
    "eviction": "removal of an item from the working set by the policy",
    "eviction pass": "the step at the end of a turn in which the policy looks at the items and evicts some of them",
    "decayed": "reason of an eviction: the policy's score or window",
    "forgotten": "reason of an eviction: a request to forget the item",
    "superseded": "reason of an eviction: a newer item has replaced it",
    "expired": "reason of an eviction: the item's expires_turn",
    "cascaded": "reason of an eviction: an item that it was derived from was to be forgotten",
    "supersession": "the registration of a newer version of an item; what becomes of the older is on_superseded",
    "outdated": "said of an item from the registration of a newer version on, until it is registered anew",
    "hidden": "said of an item that stays in the memory, and decays, but is found by no recall",
    "derived copy": "item made from others, its sources; on_forget says whether it goes with them",
    "event time": "since when an item is true, which may be known or not; not when it was learnt. A field: valid_turn",
    "relearn": "to register an item anew at a recall that misses; a rule of a trace, and on_miss of a workload",
    "retention": "score of an item from 0 to 1 that falls with its age; 1 at age 0 unless the policy says otherwise",
    "score": "number that a policy gives an item; see retention",
    "threshold": "score below which an item is evicted; at equality it stays. A parameter: eviction_threshold",
    "window": "greatest age at which an item is kept; at window_size it stays. A parameter: window_size",
    "unit": "what a policy counts time in: a turn, an hour, a day; or what a number is in, such as tokens",
    "stability": "time constant of an item's forgetting curve in turns; recalls raise it",
    "half-life": "age at which the retention of an item is half of what it is right after its last touch",
    "horizon": "turns that an item outlives its last touch: touched in turn t, it is evicted in turn t + horizon; "
    "also an engine",
    "clock": "unit in which a policy counts time (turns, hours, days), and how many turns it has",
    "capacity": "most items or tokens that a memory may hold",
    "victim": "item that is evicted because the memory is full",
    "relevance": "how well an item answers a query",
    "at once": "recalls in the turn of the registration; a rhythm in the tables of stateful policies",
    "every turn": "one recall in each turn after the registration; a rhythm in the tables of stateful policies",
    "at the last moment": "each recall in the very turn in which the item would be evicted; a rhythm in the tables of "
    "stateful policies",
    "evicted at age": "turns, or other units of the policy, after which an item without further use is evicted",
    "half are gone at age": "age at which a policy that drops items at random has dropped half of them",
    "95 % are gone at age": "age at which a policy that drops items at random has dropped 95 % of them",
    "invariant": "property that every policy should have; vecdecay check tests them",
    # What is measured
    "metric": "number that is measured in each session and summarised over the sessions of a cell; see vecdecay list",
    "working set": "items that are in the memory after the eviction pass of a turn",
    "occupancy": "size of the working set summed over the turns of a session",
    "token turns": "tokens in the working set summed over the turns of a session: what the memory costs",
    "residency interval": "turns from a registration of an item to its eviction",
    "footprint": "mean size of the working set; footprint_reduction is the share of items that it leaves out",
    "survival": "whether an item is in the working set after the last turn; survival_time is its age at eviction",
    "survival rate": "share of the foundational items that are in the working set after the last turn; column "
    "terminal_survival_rate",
    "of them evicted": "number of the foundational items that were evicted; column foundational_evicted",
    "recall rate": "share of the foundational items that were not evicted; column foundational_recall_rate",
    "zero variance": "every session gave the same value, marked =: the seeds do not reach it",
    "interval": "95 % confidence interval of a mean over sessions; the unit is the session",
    "95 %": "level of all intervals; see interval",
    "checkpoint": "turn at which the recall rate is kept too",
    "histogram": "how many sessions of a cell had each value of a metric; exact, in histograms/",
    "paired difference": "difference of two policies on the same session, summarised over the sessions",
    "=": "mark of a value that is the same in every session: the seeds do not reach it",
    "–": "there is no value: nothing was evicted, or the item is never evicted",
    # Many of it
    "sweep": "a workload, policies and axes over their parameters, as a file; vecdecay run plays it",
    "axis": "parameter of a policy or of the workload that takes several values in a sweep",
    "point": "one value for every axis of a sweep",
    "at": "column of a result: the values of the axes that the cell reads",
    "combine": "how axes make points: grid (every combination), zip (in step), random (drawn) or listed points",
    "grid": "a way to combine axes: every combination of their values",
    "zip": "a way to combine axes: the first values together, then the second, and so on",
    "random": "a way to combine axes: points drawn from all combinations by random_seed",
    "points": "a way to combine axes: a list of points",
    "cell": "one policy at one point of a sweep, summarised over all seeds; a row of cells.parquet",
    "distinct cells": "cells that differ in policy, workload or a parameter that they read; equal ones are played once",
    "label": "name of a policy in a sweep, by default that of its kind",
    "detail": "how much a run keeps: cells, sessions, and beside these items, turns or misses",
    "run": "what came of a sweep: a folder with its tables; also the command that plays a sweep",
    "block": "sessions that are generated and played together",
    "part": "one Parquet file of a run, written at once; an interrupted run continues after its last part",
    "ledger": "file of a run that names every finished part with its digest; what it does not name is played again",
    "manifest": "file of a run that lists all its files with their digests; it is written last",
    "provenance": "file of a run with versions, machine, time and duration; the results do not depend on it",
    "share": "fraction from 0 to 1, as the unit of a metric; also a part of a sweep that is run alone with --shard "
    "K/N, which vecdecay merge joins",
    "best": "cell with the highest recall rate, or the best value of the first metric of the sweep",
    "worst": "cell with the lowest recall rate, or the worst value of the first metric of the sweep",
    "Pareto": "cell that no other beats in both the metric and the mean working set",
    "front": "settings of policies that no other one beats in hit rate and in what is held; the Pareto front",
    "dominated": "setting that another one beats: hits as much or more, holds as much or less, one of both unequal",
    "share of the best": "hits, of the most that any policy could have with so much held, even if it knew the future",
    "set to": "value of the parameter that sets how much a policy holds: a threshold, window, time to live or capacity",
    "items held": "size of the working set, averaged over the turns of all sessions",
    "tokens held": "tokens in the working set, averaged over the turns of all sessions",
    "bound": "cell of a policy that keeps everything, which no policy can beat",
    "resume": "to continue an interrupted run: the same command plays the parts that are not finished",
    "rows": "rows of all tables that a run would write",
    "disk": "bytes that the files of a run would take",
    "memory": "bytes of main memory that a run would take; of an agent: see working set",
    # How it is played
    "engine": "program that plays sessions under a policy; every engine gives the same values, to the bit",
    "auto": "engine setting: the fastest engine that plays the policy",
    "horizon engine": "engine for policies that decide by age and recall count: a table of horizons, item by item",
    "stateful": "policy whose items carry a state; also the engine that plays such policies item by item",
    "lockstep": "engine that advances all sessions of a block together, turn by turn",
    "reference": "scalar engine in plain Python that defines what every other engine must compute",
    "kernel": "compiled inner loop of an engine; compiled once on a machine and kept",
    "threads": "processors that play blocks at the same time; the results do not depend on them",
}
"""Word → meaning. Names of policies, workloads, metrics, columns, parameters and sweeps explain themselves."""


def meanings(word: str) -> list[tuple[str, str]]:
    """Return the terms that a word may stand for, with their meanings: any case or number, _ for a blank, or a file.

    >>> [term for term, _ in meanings("Working_sets")], [term for term, _ in meanings("horizon")]
    (['working set'], ['horizon', 'horizon engine'])
    """
    wanted = _key(word)
    exact = [term for term in GLOSSARY if _key(term) == wanted]
    close = exact or [term for term in GLOSSARY if _key(term) in (wanted.removesuffix("s"), wanted.removesuffix("es"))]
    engines = [f"{term} engine" for term in close if f"{term} engine" in GLOSSARY]
    return [(term, GLOSSARY[term]) for term in (*close, *engines)]


def hint(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean X?`` for the closest term or known name, else nothing."""
    return did_you_mean(word, [*known, *GLOSSARY])


def _key(text: str) -> str:
    text = re.sub(r"(?<=\w)\.(parquet|jsonl?|toml)$", "", text)  # of a file of a run
    return " ".join(text.lower().replace("_", " ").replace("-", " ").split()) or text
