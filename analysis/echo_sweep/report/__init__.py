"""The report of a result file: one page of HTML that needs no network.

    import echo_sweep as es
    es.open("gpt3.h5").report("gpt3.html")

facts.py gathers what the page shows, exactly; chosen.py says which rows of a large file are on it; assets/ is the page.
"""

from .page import page_of, write_report

__all__ = ["page_of", "write_report"]
