"""Groups the sources of one library so that those of a group can be compiled as one.

Compiled together, two files see each other's private names (anonymous namespaces and statics). So two files share a group only
where no private name of the one is declared, called or named as a type by the other; the compiler then sees in a group what it
sees in each file alone. Files that define macros stay alone.

usage: unity_groups.py BYTES FILE ...    prints one line `GROUP FILE` for each file; a group holds about BYTES of source
"""

import pathlib
import re
import sys

ignored = re.compile(r"""//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""", re.DOTALL)
token = re.compile(r"[A-Za-z_]\w*|->|::|<=>|[^\s\w]|\d[\w.']*")
word = re.compile(r"(?![A-Z_]*$)[A-Za-z_]\w*$")  # capitals are macros, such as TEST
no_names = frozenset("alignas auto bool char class const consteval constexpr constinit double enum extern float if inline int long "
                     "namespace noexcept operator requires return short sizeof static static_assert struct template typename union "
                     "unsigned using nullptr void volatile while for switch decltype".split())


def declared(statement):
    """The names that a declaration at namespace scope may introduce: all that stand where a declared name can stand."""
    names, depth = set(), 0
    for before, here, after in zip([""] + statement, statement, statement[1:] + [";"]):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(here, 0)
        if depth or not word.match(here) or here in no_names or before in ("::", ".", "->") or after == "::":
            continue
        if after in ("(", "=", ";", "{", "[", ":", ",") or before in ("struct", "class", "enum", "union", "using", "concept"):
            names.add(here)
    return names


def private_names(tokens):
    """Names of anonymous namespaces and of statics; enumerators of private enums come along."""
    names, scopes, statement = set(), [], []  # scopes: open braces, each 'named', 'private', 'enum' or 'body'
    for here in tokens:
        at_namespace = all(scope in ("named", "private") for scope in scopes)
        private = "private" in scopes or "static" in statement
        if here == "{":
            if at_namespace and statement[:1] == ["namespace"] or statement[:2] == ["inline", "namespace"]:
                scopes.append("named" if len(statement) > 1 else "private")
            else:
                if at_namespace and private:
                    names |= declared(statement)
                scopes.append("enum" if at_namespace and private and statement[:1] == ["enum"] else "body")
            statement = []
        elif here == "}":
            if scopes and scopes[-1] == "enum":
                names |= declared(statement)
            ended = scopes.pop() if scopes else ""
            statement = [] if ended != "body" else ["="]  # what follows an initialiser is no declaration
        elif here == ";":
            if at_namespace and private:
                names |= declared(statement)
            statement = []
        else:
            if statement == ["="] and here != ",":
                statement = []
            statement.append(here)
    return names


def used_names(tokens):
    """Names that are called or named as types without saying where they come from."""
    return {here for before, here, after in zip([""] + tokens, tokens, tokens[1:] + [""])
            if before not in (".", "->", "::") and word.match(here)
            and (after in ("(", "{", "<", "&") or after == "::" and here[0].isupper() or word.match(after))}


include = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
header_folder = pathlib.Path(__file__).resolve().parents[1] / "src"
known_headers = {}


def types_of_headers(text):
    """Types that our headers name, included by `text` directly or by way of another."""
    names = set()
    for header in include.findall(text):
        if header not in known_headers:
            known_headers[header] = set()
            path = header_folder / header
            if path.exists():
                inside = path.read_text()
                code = ignored.sub(" ", inside)
                known_headers[header] = set(re.findall(r"\b[A-Z]\w*[a-z]\w*", code)) | types_of_headers(inside)
        names |= known_headers[header]
    return names


class Source:
    def __init__(self, name):
        text = pathlib.Path(name).read_text()
        code = ignored.sub(lambda found: " " if found[0].startswith("/") else "0", text)
        self.name, self.size = name, len(text)
        self.alone = re.search(r"^\s*#\s*(define|undef|pragma)", code, re.MULTILINE) is not None
        tokens = token.findall(re.sub(r"^\s*#.*$", "", code, flags=re.MULTILINE))
        self.private = private_names(tokens)
        self.used = used_names(tokens) | types_of_headers(text)

    def fits(self, other):
        return not (self.alone or other.alone or self.private & (other.private | other.used) or other.private & self.used)


def groups_of(sources, bytes_each):
    """First the group with the least source among those where it fits, so that groups come out alike in length."""
    total = sum(source.size for source in sources)
    groups = [[] for _ in range(max(1, round(total / bytes_each)))]
    for source in sorted(sources, key=lambda one: (-one.size, one.name)):
        open_groups = [group for group in groups if all(source.fits(other) for other in group)]
        if not open_groups:
            groups.append([])
            open_groups = groups[-1:]
        min(open_groups, key=lambda group: sum(other.size for other in group)).append(source)
    return [sorted(group, key=lambda one: one.name) for group in groups if group]


def main():
    groups = groups_of([Source(name) for name in sys.argv[2:]], int(sys.argv[1]))
    for number, group in enumerate(groups):
        for source in group:
            print(number, source.name)


if __name__ == "__main__":
    main()
