"""Megatron-Core without Transformer Engine and Apex, which need a GPU: what its local layers lack.

Made with 0.16.1. Its torch norm refuses sequence parallelism (core/transformer/torch_norm.py), though a norm of each token
is the same wherever the token lies; what Apex's adds is that norm weights are marked, so that their gradients are summed
over the tensor group (core/distributed/finalize_model_grads.py). Its router asks whether Transformer Engine's product is
there by a name that only an import of it defines (core/transformer/moe/moe_utils.py).
"""

import copy


def changes(patches):
    """For imports.AfterImport."""
    return {"megatron.core.transformer.torch_norm": lambda module: _norm_of_parts(patches, module),
            "megatron.core.transformer.moe.moe_utils": lambda module: _product_of_torch(patches, module)}


def _norm_of_parts(patches, module):
    make = module.WrappedTorchNorm.__new__

    def new(cls, config, *args, **how):
        if not config.sequence_parallel:
            return make(cls, config, *args, **how)
        whole = copy.copy(config)
        whole.sequence_parallel = False
        norm = make(cls, whole, *args, **how)
        for weight in norm.parameters():
            weight.sequence_parallel = True
        return norm

    patches.set(module.WrappedTorchNorm, "__new__", staticmethod(new))


def _product_of_torch(patches, module):
    if not hasattr(module, "te_general_gemm"):
        patches.set(module, "te_general_gemm", None)
