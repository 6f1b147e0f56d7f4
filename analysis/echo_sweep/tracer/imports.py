"""Changes to modules of frameworks that a script imports later, if at all."""

import importlib.abc
import importlib.machinery
import sys


class AfterImport(importlib.abc.MetaPathFinder):
    """`changes`: {name of a module: what is called with it once it is imported}."""

    def __init__(self, changes):
        self._changes = changes

    def find_spec(self, name, path, target=None):
        if name not in self._changes:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Changed(spec.loader, self._changes[name])
        return spec

    def __enter__(self):
        for name, change in self._changes.items():
            if name in sys.modules:
                change(sys.modules[name])
        sys.meta_path.insert(0, self)
        return self

    def __exit__(self, *error):
        sys.meta_path.remove(self)


class _Changed(importlib.abc.Loader):
    def __init__(self, loader, change):
        self._loader, self._change = loader, change

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        self._loader.exec_module(module)
        self._change(module)

    def __getattr__(self, name):
        return getattr(self._loader, name)
