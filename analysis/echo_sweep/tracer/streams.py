"""Streams and events that order nodes instead of running them, in place of torch.cuda's and torch.cpu's.

A node comes after the one before it on its stream, which the trace says by its number. What the program adds by events
and waits is kept as `follows` of the next node of the stream that waits.
"""

COMPUTE = 0


class Clock:
    """Which stream ops go to, the last node of each, and what each must wait for."""

    def __init__(self):
        self.streams = 1
        self.of_key = {}
        self.steps = 0  # that began
        self.host_waits = lambda nodes: None  # called with the nodes that the host waits for
        self.restart()
        self.current = Stream(self, COMPUTE)

    def restart(self):
        self.last, self.pending = {}, {}
        self.steps += 1

    def new(self):
        self.streams += 1
        return self.streams - 1

    def stream_of(self, key):
        """The stream of whatever `key` names, such as a communicator's own."""
        if key not in self.of_key:
            self.of_key[key] = self.new()
        return self.of_key[key]

    def done_on(self, stream):
        """What is complete once all issued to `stream` is."""
        nodes = set(self.pending.get(stream, ()))
        return nodes | {self.last[stream]} if stream in self.last else nodes

    def wait(self, stream, nodes):
        self.pending.setdefault(stream, set()).update(nodes)

    def issue(self, stream, node):
        """Puts `node` on it; returns what it must follow beyond the stream's own order."""
        follows = self.pending.pop(stream, set())
        self.last[stream] = node
        return follows


class Stream:
    def __init__(self, clock, number):
        self.clock, self.number = clock, number
        self.stream_id = self.cuda_stream = self.priority = self.device_index = 0

    def wait_stream(self, other):
        self.clock.wait(self.number, self.clock.done_on(other.number))

    def wait_event(self, event):
        if event is not None:
            self.clock.wait(self.number, event.nodes)

    def record_event(self, event=None):
        event = event or Event(self.clock)
        event.nodes = self.clock.done_on(self.number)
        return event

    def synchronize(self):
        self.clock.host_waits(self.clock.done_on(self.number))

    def query(self):
        return True

    def is_capturing(self):
        return False

    def __enter__(self):
        self.before, self.clock.current = self.clock.current, self
        return self

    def __exit__(self, *error):
        self.clock.current = self.before


class Event:
    """Nodes that it stands behind: none once another step has begun, as those of the step before are done."""

    def __init__(self, clock):
        self.clock, self.nodes = clock, set()

    @property
    def nodes(self):
        return self._nodes if self._step == self.clock.steps else set()

    @nodes.setter
    def nodes(self, nodes):
        self._nodes, self._step = nodes, self.clock.steps

    def record(self, stream=None):
        self.nodes = self.clock.done_on((stream or self.clock.current).number)

    def wait(self, stream=None):
        self.clock.wait((stream or self.clock.current).number, self.nodes)

    def query(self):
        return True

    def synchronize(self):
        self.clock.host_waits(self.nodes)

    def elapsed_time(self, end):
        return 1.0


class _Within:
    """`with stream(s):`, where s may be None."""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        return self.stream.__enter__() if self.stream is not None else None

    def __exit__(self, *error):
        if self.stream is not None:
            self.stream.__exit__(*error)


def stand_ins(clock):
    """{name in torch.cuda and torch.cpu: what stands for it}."""
    default = clock.current

    class TracedStream(Stream):
        def __init__(self, *args, **how):
            super().__init__(clock, clock.new())

    class TracedEvent(Event):
        def __init__(self, *args, **how):
            super().__init__(clock)

    return {"Stream": TracedStream, "Event": TracedEvent, "stream": _Within, "StreamContext": _Within,
            "current_stream": lambda device=None: clock.current, "default_stream": lambda device=None: default,
            "set_stream": lambda stream: setattr(clock, "current", stream)}
