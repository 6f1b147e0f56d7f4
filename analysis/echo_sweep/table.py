"""Rows as pandas and xarray have them."""

import numpy as np


def table_of(data, columns):
    """A pandas frame of {name: values}; `columns` says what they are. Without pandas, the dict itself."""
    try:
        import pandas
    except ImportError:
        return data
    frame = pandas.DataFrame(data)
    for name, column in columns.items():
        if column.words:
            frame[name] = pandas.Categorical(data[name], categories=list(column.words.values()))
    frame.attrs["units"] = {name: column.units for name, column in columns.items()}
    return frame


def dataset_of(path, columns, rows):
    import xarray

    with xarray.open_dataset(path) as opened:
        dataset = opened.load()
    for name, column in columns.items():
        if column.words:
            kept = {key: value for key, value in dataset[name].attrs.items() if not key.startswith("flag_")}
            dataset[name] = (dataset[name].dims, column.values, kept)
    whole = len(rows) == dataset.sizes["config"] and np.array_equal(rows, np.arange(len(rows)))
    return dataset if whole else dataset.isel(config=rows)
