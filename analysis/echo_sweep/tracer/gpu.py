"""The GPU that programs are told they run on: an H100, where anybody asks. Nothing traced depends on its speed."""

import types

CAPABILITY = (9, 0)
PROPERTIES = types.SimpleNamespace(
    name="traced", major=9, minor=0, multi_processor_count=132, total_memory=80 << 30, warp_size=32, type="cuda", index=0,
    regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, gcnArchName="",
    shared_memory_per_block=49152, shared_memory_per_block_optin=232448, L2_cache_size=50 << 20, is_integrated=False)
