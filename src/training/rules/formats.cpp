#include "training/rules/rule_sets.hpp"

namespace echo::training::rules {

namespace {

// Whole blocks both ways.
constexpr SupportRule format_rules[] = {
    {{"8-bit products need widths in whole blocks on every tensor rank", "precision tp model"},
     [](const Attempt& a) {
       const std::int32_t width = a.config.precision == Precision::mxfp8 ? 32 : 16;
       return a.model.hidden % width == 0 && a.model.ffn_hidden / a.config.degrees.tensor % width == 0;
     }},
    {{"8-bit products need tokens in whole blocks on every rank",
      "precision seq_len cp micro_batch sequence_parallel tp"},
     [](const Attempt& a) {
       const TrainingConfig& c = a.config;
       const std::int32_t tokens = c.precision == Precision::mxfp8   ? 32
                                   : c.precision == Precision::nvfp4 ? 16
                                                                     : 8;
       return c.batch.sequence_tokens / c.degrees.context * c.batch.micro_samples /
                  (c.sequence_parallel ? c.degrees.tensor : 1) % tokens ==
              0;
     }},
};

}  // namespace

extern const RuleSet formats{
    "Transformer Engine pytorch/utils.py (assert_dim_for_fp8_exec), csrc/quantizer.cpp",
    [](const Attempt& a) { return machine::is_narrow(a.config.precision); }, format_rules};

}  // namespace echo::training::rules
