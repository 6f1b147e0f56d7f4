"""Changes to attributes of other modules that are undone in the reverse order."""


class Patches:
    def __init__(self):
        self._undo = []

    def set(self, owner, name, value):
        had = name in vars(owner) if hasattr(owner, "__dict__") else hasattr(owner, name)
        before = vars(owner).get(name) if had and hasattr(owner, "__dict__") else getattr(owner, name, None)
        self._undo.append((owner, name, had, before))
        setattr(owner, name, value)

    def set_item(self, mapping, key, value):
        self._undo.append((mapping, key, key in mapping, mapping.get(key), "item"))
        mapping[key] = value

    def wrap(self, owner, name, make):
        """`make(what it was)` takes its place."""
        self.set(owner, name, make(getattr(owner, name)))

    def undo(self):
        while self._undo:
            owner, name, had, before, *item = self._undo.pop()
            if item:
                if had:
                    owner[name] = before
                else:
                    owner.pop(name, None)
            elif had:
                setattr(owner, name, before)
            else:
                delattr(owner, name)
