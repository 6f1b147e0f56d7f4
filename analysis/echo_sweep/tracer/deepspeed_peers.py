"""DeepSpeed's ZeRO 3 checks that all ranks have run the same modules: what the first rank broadcasts is what this rank has.

Made with 0.19.8 (deepspeed/runtime/zero/utils.py, get_lst_from_rank0): other ranks hold -1 until the broadcast, which a fake
process group does not fill.
"""


def changes(patches):
    """For imports.AfterImport."""
    return {"deepspeed.runtime.zero.utils": lambda module: patches.set(module, "get_lst_from_rank0", list)}
