"""DeepSpeed's ZeRO 3 checks that all ranks have run the same modules: what the first rank broadcasts is what this rank has.

Made with 0.19.8 (deepspeed/runtime/zero/utils.py): other ranks hold -1 until the broadcast, which a fake process group does not
fill. The check is made while the order of modules is learnt, in the first two steps.
"""


def changes(patches):
    """For imports.AfterImport."""
    def agree(module):
        patches.set(module, "assert_lst_len_same_as_other_ranks", lambda listed: None)
        patches.set(module, "get_lst_from_rank0", list)

    return {"deepspeed.runtime.zero.utils": agree}
