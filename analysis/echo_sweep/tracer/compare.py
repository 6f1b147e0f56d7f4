"""echo-trace compare A.jsonl B.jsonl: do two traces of a job communicate and multiply alike?

Rank by rank (a rank of A with the one that stands for it in B): communication in order, each as kind, bytes, role and size
of its group; matrix products, each as its shape. Shapes are equal up to transposition: m and n may be exchanged, as
libraries call a product of A and B or of B' and A'. Everything else that traces hold is not compared.
"""

import argparse
import difflib
import sys
from collections import Counter
from typing import NamedTuple

from .trace_file import TraceError, read


class Options(NamedTuple):
    roles: bool = True      # whether the role of a group counts; `unknown` is any
    passes: bool = False    # whether the pass does
    products: bool = True
    least_bytes: int = 0    # communication of fewer is left out


class Difference(NamedTuple):
    rank: int
    what: str    # communication, products
    here: str    # in A; empty: B has it alone
    there: str   # in B
    count: int = 1

    def text(self):
        times = f" x{self.count}" if self.count > 1 else ""
        if self.here and self.there:
            return f"rank {self.rank} {self.what}: {self.here} | {self.there}{times}"
        side, shown = ("only in A", self.here) if self.here else ("only in B", self.there)
        return f"rank {self.rank} {self.what}: {side}: {shown}{times}"


def communication_of(traced, groups, options):
    """[(what is compared, spelled)] in the order of issue."""
    found = []
    for node in traced.nodes:
        if node.kind not in ("collective", "send", "recv") or node.collective == "host_copy":
            continue
        group = groups.get(node.group)
        size = len(group.ranks) if group else 0
        if node.bytes < options.least_bytes or (node.kind == "collective" and size == 1):
            continue
        role = group.role if group and options.roles else ""
        kind = node.collective if node.kind == "collective" else node.kind
        size = size if node.kind == "collective" else 0
        pass_ = node.pass_ if options.passes else ""
        found.append((kind, node.bytes, role, size, pass_))
    return found


def spelled_communication(key):
    kind, moved, role, size, pass_ = key
    return " ".join(filter(None, [kind, f"{moved} B", f"of {size}" if size else "", role, pass_]))


def products_of(traced, options):
    """[(m, n, k, batch, pass)], the smaller of m and n first."""
    found = []
    for node in traced.nodes:
        key = node.kernel or {}
        if key.get("kind") == "gemm":
            m, n = sorted((key.get("m", 1), key.get("n", 1)))
            found.append((m, n, key.get("k", 1), key.get("batch", 1), node.pass_ if options.passes else ""))
    return found


def spelled_product(key):
    m, n, k, batch, pass_ = key
    return f"{m} x {n} x {k}" + (f" x{batch}" if batch > 1 else "") + (f" {pass_}" if pass_ else "")


def _unite_roles(here, there):
    """Roles that one side alone knows are taken for the other: both lists without them."""
    unknown = {(key[0], key[1], key[3], key[4]) for key in here + there if key[2] == "unknown"}

    def plain(keys):
        return [(key[0], key[1], "unknown", *key[3:]) if (key[0], key[1], key[3], key[4]) in unknown else key for key in keys]

    return plain(here), plain(there)


def ordered_differences(rank, here, there):
    """Of two lists whose order counts, op by op."""
    here, there = _unite_roles(here, there)
    found = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, here, there, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        left, right = [spelled_communication(key) for key in here[a:b]], [spelled_communication(key) for key in there[c:d]]
        for place in range(max(len(left), len(right))):
            found.append(Difference(rank, "communication", left[place] if place < len(left) else "",
                                    right[place] if place < len(right) else ""))
    return found


def counted_differences(rank, here, there):
    """Of two lists whose order does not count: products run where data lets them."""
    a, b = Counter(here), Counter(there)
    found = [Difference(rank, "product", spelled_product(key), "", count) for key, count in sorted((a - b).items())]
    return found + [Difference(rank, "product", "", spelled_product(key), count) for key, count in sorted((b - a).items())]


def compare(a, b, options=Options()):
    """(differences, ranks compared, notes)."""
    if a.world != b.world:
        raise TraceError(f"a job of {a.world} ranks and one of {b.world} cannot be compared; trace both with one --world")
    found, ranks, notes = [], [], []
    for here in a.ranks:
        there = b.rank_for(here.rank)
        if there is None:
            notes.append(f"rank {here.rank} is not in B")
            continue
        ranks.append(here.rank)
        sides = [communication_of(traced, trace.group_named(), options) for traced, trace in ((here, a), (there, b))]
        differences = ordered_differences(here.rank, *sides)
        united = _unite_roles(*sides)
        if differences and Counter(united[0]) == Counter(united[1]):
            notes.append(f"rank {here.rank}: the same communication in another order")
        found += differences
        if options.products:
            found += counted_differences(here.rank, products_of(here, options), products_of(there, options))
    if not ranks:
        raise TraceError("the traces have no rank in common; trace the same one, or all (--ranks)")
    return found, ranks, notes


def summary(a, b, ranks, options):
    """A line for each kind of communication, and for products: how many and how much on each side."""
    def totals(trace):
        counts, moved = Counter(), Counter()
        for rank in ranks:
            traced = trace.rank_for(rank)
            for kind, size_in_bytes, role, size, _ in communication_of(traced, trace.group_named(), options):
                counts[kind] += 1
                moved[kind] += size_in_bytes
            for m, n, k, batch, _ in products_of(traced, options):
                counts["product"] += 1
                moved["product"] += 2 * m * n * k * batch
        return counts, moved

    (count_a, moved_a), (count_b, moved_b) = totals(a), totals(b)
    for kind in sorted(set(count_a) | set(count_b)):
        unit = "FLOP" if kind == "product" else "B"
        same = "equal" if (count_a[kind], moved_a[kind]) == (count_b[kind], moved_b[kind]) else "DIFFERENT"
        yield f"{kind:15} {count_a[kind]:6} {moved_a[kind]:>16} {unit:4} | {count_b[kind]:6} {moved_b[kind]:>16} {unit:4}  {same}"


def main(words=None):
    parser = argparse.ArgumentParser(prog="echo-trace compare", description=__doc__.partition("\n")[0])
    parser.add_argument("a")
    parser.add_argument("b")
    parser.add_argument("--any-role", action="store_true", help="what a group is for does not count")
    parser.add_argument("--passes", action="store_true", help="the pass an op belongs to counts")
    parser.add_argument("--no-products", action="store_true", help="communication alone")
    parser.add_argument("--least-bytes", type=int, default=0, help="leave smaller communication out")
    parser.add_argument("-n", type=int, default=50, help="differences to print (50)")
    given = parser.parse_args(words)
    options = Options(not given.any_role, given.passes, not given.no_products, given.least_bytes)
    try:
        a, b = read(given.a), read(given.b)
        found, ranks, notes = compare(a, b, options)
    except TraceError as error:
        print(f"echo-trace: {error}", file=sys.stderr)
        return 2
    for difference in found[:given.n]:
        print(difference.text())
    if len(found) > given.n:
        print(f"... and {len(found) - given.n} more (-n)")
    for note in notes:
        print(f"note: {note}")
    for line in summary(a, b, ranks, options):
        print(line)
    print(f"{len(ranks)} ranks: " + (f"{len(found)} differences" if found else "alike"))
    return 1 if found else 0
