"""Judges a trace by the Trace Event Format (Chromium project, "Trace Event Format", 2016), as strictly as viewers may: Perfetto
drops what does not nest, and arrows that end nowhere.

    problems_of(json) -> texts; empty where there are none
"""

import collections
import math

MEMBERS = {  # of each phase: (must have, may have)
    "X": ({"ph", "pid", "tid", "name", "cat", "ts", "dur"}, {"args", "cname"}),
    "M": ({"ph", "pid", "tid", "name", "args"}, set()),
    "C": ({"ph", "pid", "name", "ts", "args"}, {"tid"}),
    "s": ({"ph", "id", "pid", "tid", "name", "cat", "ts"}, set()),
    "f": ({"ph", "bp", "id", "pid", "tid", "name", "cat", "ts"}, set()),
}
NAMES = {"process_name": ("name", str), "thread_name": ("name", str), "process_sort_index": ("sort_index", int),
         "thread_sort_index": ("sort_index", int)}
COLOURS = {"thread_state_uninterruptible", "thread_state_iowait", "thread_state_running", "thread_state_runnable",
           "thread_state_sleeping", "thread_state_unknown", "generic_work", "good", "bad", "terrible", "black", "grey", "white",
           "yellow", "olive", "rail_response", "rail_animation", "rail_idle", "rail_load", "startup", "cq_build_passed"}
ROUNDING = 2e-6  # us: ends are printed to the picosecond


def is_time(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value >= 0


def _of_event(event):
    """What is wrong with an event by itself; None where nothing is."""
    phase = event.get("ph")
    if phase not in MEMBERS:
        return f"phase {phase!r}"
    must, may = MEMBERS[phase]
    if not must <= set(event) <= must | may:
        return f"members {sorted(set(event) ^ must)}"
    if not all(isinstance(event[name], int) and event[name] >= 0 for name in ("pid", "tid") if name in event):
        return "pid or tid"
    if not isinstance(event["name"], str) or not event["name"]:
        return "name"
    if not all(is_time(event[name]) for name in ("ts", "dur") if name in event):
        return "ts or dur"
    if "args" in event and not isinstance(event["args"], dict):
        return "args"
    if event.get("cname", "good") not in COLOURS:
        return f"colour {event['cname']}"
    if phase == "M":
        member, kind = NAMES.get(event["name"], (None, None))
        if member is None or set(event["args"]) != {member} or not isinstance(event["args"][member], kind):
            return f"metadata {event['name']}"
    if phase == "C" and not all(is_time(value) for value in event["args"].values()):
        return "value of a counter"
    return None if phase != "f" or event["bp"] == "e" else "bp"


def _nesting(tracks):
    """Slices of a thread that overlap without one being inside the other."""
    for track, slices in tracks.items():
        open_ends = []
        for begin, end in sorted(slices, key=lambda one: (one[0], -one[1])):
            while open_ends and open_ends[-1] <= begin + ROUNDING:
                open_ends.pop()
            if open_ends and end > open_ends[-1] + ROUNDING:
                yield f"track {track}: a slice from {begin} to {end} leaves the one that ends at {open_ends[-1]}"
            open_ends.append(end)


def problems_of(trace):
    if set(trace) != {"displayTimeUnit", "otherData", "traceEvents"} or trace["displayTimeUnit"] not in ("ms", "ns"):
        return [f"members of the file: {sorted(trace)}"]
    found, tracks, arrows, named = [], collections.defaultdict(list), collections.defaultdict(dict), set()
    for number, event in enumerate(trace["traceEvents"]):
        problem = _of_event(event)
        if problem:
            found.append(f"event {number}: {problem}: {event}")
            continue
        if event["ph"] == "X":
            tracks[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
        elif event["ph"] in "sf":
            if event["ph"] in arrows[event["id"]]:
                found.append(f"event {number}: arrow {event['id']} twice")
            arrows[event["id"]][event["ph"]] = event
        elif event["ph"] == "M":
            named.add((event["pid"], None if event["name"].startswith("process") else event["tid"]))
    found += _nesting(tracks)
    for track in tracks:
        if track not in named or (track[0], None) not in named:
            found.append(f"track {track} has no name")
    for number, ends in arrows.items():
        for event in ends.values():
            around = tracks[event["pid"], event["tid"]]
            if not any(begin - ROUNDING <= event["ts"] <= end + ROUNDING for begin, end in around):
                found.append(f"arrow {number} touches no slice at {event['ts']}")
        if set(ends) != {"s", "f"} or ends["s"]["ts"] > ends["f"]["ts"] + ROUNDING:
            found.append(f"arrow {number} is no pair")
    return found
