"""The training step of the kit: a plain Llama in PyTorch, its sizes, and the same step as a sweep."""
