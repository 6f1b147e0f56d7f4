"""echo-bring-up: what one hour on a GPU can tell the simulator, in stages. Standard library only; Python 3.8 or newer."""
