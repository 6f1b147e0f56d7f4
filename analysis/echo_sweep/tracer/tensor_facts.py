"""What is known of a tensor without its values."""

from typing import NamedTuple

ELEMENT_BYTES = {"bf16": 2, "fp16": 2, "fp32": 4, "fp64": 8, "int64": 8, "int32": 4, "int16": 2, "int8": 1, "uint8": 1,
                 "bool": 1, "fp8": 1, "complex64": 8, "complex128": 16}


class TensorFacts(NamedTuple):
    shape: tuple
    dtype: str = "fp32"
    strides: tuple = None  # None: row-major

    @property
    def numel(self):
        count = 1
        for size in self.shape:
            count *= size
        return count

    @property
    def element(self):
        return ELEMENT_BYTES.get(self.dtype, 4)

    @property
    def bytes(self):
        """Of the elements that differ: one that is expanded to many counts once."""
        count = 1
        for place, size in enumerate(self.shape):
            if self.strides is None or self.strides[place] != 0:
                count *= size
        return count * self.element

    @property
    def width(self):
        return self.shape[-1] if self.shape else 1

    @property
    def rows(self):
        return self.numel // max(1, self.width)

    def is_transposed(self):
        """Whether the last two dimensions lie in memory the other way round."""
        if self.strides is None or len(self.shape) < 2:
            return False
        rows, columns = self.strides[-2:]
        if self.shape[-1] == 1 or self.shape[-2] == 1:
            return rows == 1 and columns != 1
        return columns != 1 and rows == 1


def tensors_in(values):
    """Every tensor of nested lists, in order."""
    for value in values:
        if isinstance(value, TensorFacts):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(value)
