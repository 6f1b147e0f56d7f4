#include "hugging_face/field_tables.hpp"

#include <algorithm>
#include <array>

namespace echo::hugging_face {

namespace {

constexpr auto neutral = std::to_array<std::string_view>({"_attn_implementation",
                                                          "_name_or_path",
                                                          "add_bos_token",
                                                          "add_cross_attention",
                                                          "architectures",
                                                          "attention_dropout",
                                                          "attention_probs_dropout_prob",
                                                          "attn_pdrop",
                                                          "auto_map",
                                                          "bos_token_id",
                                                          "chunk_size_feed_forward",
                                                          "classifier_dropout",
                                                          "dropout",
                                                          "dtype",
                                                          "embd_pdrop",
                                                          "embedding_dropout",
                                                          "eos_token_id",
                                                          "for_llm_compression",
                                                          "hidden_dropout",
                                                          "id2label",
                                                          "init_std",
                                                          "initializer_range",
                                                          "keys_to_ignore_at_inference",
                                                          "label2id",
                                                          "layer_norm_eps",
                                                          "layer_norm_epsilon",
                                                          "layerdrop",
                                                          "mamba_ssm_cache_dtype",
                                                          "max_length",
                                                          "model_type",
                                                          "norm_eps",
                                                          "norm_epsilon",
                                                          "num_logits_to_keep",
                                                          "output_attentions",
                                                          "output_hidden_states",
                                                          "output_router_logits",
                                                          "pad_token_id",
                                                          "prefix",
                                                          "pretraining_tp",
                                                          "problem_type",
                                                          "rescale_prenorm_residual",
                                                          "residual_in_fp32",
                                                          "resid_pdrop",
                                                          "return_dict",
                                                          "rms_norm_eps",
                                                          "rope_parameters",
                                                          "rope_scaling",
                                                          "rope_theta",
                                                          "rope_type",
                                                          "rotary_emb_base",
                                                          "router_aux_loss_coef",
                                                          "router_jitter_noise",
                                                          "summary_activation",
                                                          "summary_first_dropout",
                                                          "summary_proj_to_labels",
                                                          "summary_type",
                                                          "summary_use_proj",
                                                          "task_specific_params",
                                                          "tie_word_embeddings",
                                                          "time_step_floor",
                                                          "time_step_limit",
                                                          "time_step_max",
                                                          "time_step_min",
                                                          "torch_dtype",
                                                          "transformers.js_config",
                                                          "transformers_version",
                                                          "use_cache",
                                                          "use_mamba_kernels"});

constexpr auto noted = std::to_array<FieldNote>(
    {{"attn_logit_softcapping", "soft caps of attention's scores take no time here"},
     {"audio_config", "the encoder of sounds is left out"},
     {"final_logit_softcapping", "soft caps of logits take no time here"},
     {"num_mtp_layers", "multi-token prediction is a choice of the sweep: mtp_layers"},
     {"num_nextn_predict_layers", "multi-token prediction is a choice of the sweep: mtp_layers"},
     {"partial_rotary_factor",
      "positions rotate a part of each head; the simulated kernel rotates all of it"},
     {"quantization_config", "the precision of training is a choice of the sweep: precision"},
     {"rotary_pct", "positions rotate a part of each head; the simulated kernel rotates all of it"},
     {"vision_config", "the encoder of pictures is left out"}});

constexpr auto lacking = std::to_array<FieldNote>(
    {{"altup_num_inputs", "several streams through the layers, predicted from each other (AltUp)"},
     {"attn_layer_period", "attention among Mamba-1 layers at a period of their own"},
     {"cross_attention_layers", "layers that attend to pictures"},
     {"decoder_layers", "an encoder beside the decoder"},
     {"index_topk", "attention to the keys that an indexer picks (sparse attention)"},
     {"hidden_size_per_layer_input", "an embedding for each layer"},
     {"is_encoder_decoder", "an encoder beside the decoder"},
     {"linear_num_value_heads", "gated linear attention (Gated DeltaNet)"},
     {"lru_width", "gated linear recurrences (RG-LRU)"},
     {"mamba_d_state", "Mamba layers beside attention in one layer or at a period of their own"},
     {"mamba_dt_rank", "Mamba-1 layers"},
     {"num_decoder_layers", "an encoder beside the decoder"},
     {"num_kv_shared_layers", "layers that take keys and values of earlier ones"},
     {"relative_attention_num_buckets", "learned biases of relative positions"},
     {"rescale_every", "time mixing (RWKV)"},
     {"slstm_at", "xLSTM layers"},
     {"time_mix_extra_dim", "time mixing (RWKV)"},
     {"time_step_rank", "Mamba-1 layers"},
     {"type_vocab_size", "an encoder (BERT's family) in place of a decoder"},
     {"zero_expert_num", "experts that compute nothing"}});

}  // namespace

bool is_neutral(std::string_view field) { return std::ranges::find(neutral, field) != neutral.end(); }
std::span<const FieldNote> noted_fields() { return noted; }
std::span<const FieldNote> lacking_fields() { return lacking; }

}  // namespace echo::hugging_face
