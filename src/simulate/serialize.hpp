// Boost.Serialization of the catalog and the calibration, non-intrusive. Each struct is unpacked by a
// structured binding that must name every member: a new member does not compile until it is serialised.
#pragma once

#include <boost/serialization/array.hpp>
#include <boost/serialization/split_free.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <chrono>

#include "base/plain_archive.hpp"
#include "ops/kernel_fields.hpp"
#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "slowdown/serialize.hpp"
#include "training/axis.hpp"

namespace boost::serialization {

template <class Archive, class... Values>
void all(Archive& archive, Values&... values) {
  (void)(archive & ... & values);
}

template <class Archive, class Tag>
void save(Archive& archive, const echo::Id<Tag>& id, unsigned) {
  archive << id.index();
}
template <class Archive, class Tag>
void load(Archive& archive, echo::Id<Tag>& id, unsigned) {
  std::int32_t index = -1;
  archive >> index;
  id = echo::Id<Tag>(index);
}
template <class Archive, class Tag>
void serialize(Archive& archive, echo::Id<Tag>& id, unsigned version) {
  split_free(archive, id, version);
}

template <class Archive, class Tag, class Rep>
void serialize(Archive& archive, echo::Quantity<Tag, Rep>& quantity, unsigned) {
  archive& quantity.value;
}

template <class Archive>
void save(Archive& archive, const echo::SimTime& time, unsigned) {
  const std::int64_t picoseconds = time.count();
  archive << picoseconds;
}
template <class Archive>
void load(Archive& archive, echo::SimTime& time, unsigned) {
  std::int64_t picoseconds = 0;
  archive >> picoseconds;
  time = echo::SimTime(picoseconds);
}
template <class Archive>
void serialize(Archive& archive, echo::SimTime& time, unsigned version) {
  split_free(archive, time, version);
}

template <class Archive>
void serialize(Archive& archive, echo::machine::GpuPower& power, unsigned) {
  auto& [cap, idle, memory, link] = power;
  all(archive, cap, idle, memory, link);
}

template <class Archive>
void serialize(Archive& archive, echo::machine::NodePower& power, unsigned) {
  auto& [host, fans, supply_efficiency] = power;
  all(archive, host, fans, supply_efficiency);
}

template <class Archive>
void serialize(Archive& archive, echo::machine::GpuSpec& gpu, unsigned) {
  auto& [name, peak, memory, l2, memory_bandwidth, nvlink, host_link, sm_count, compute_capability, context,
         kernels, kernels_error, power, source, what_if] = gpu;
  all(archive, name, peak, memory, l2, memory_bandwidth, nvlink, host_link, sm_count, compute_capability,
      context, kernels, kernels_error, power, source, what_if);
}

template <class Archive>
void serialize(Archive& archive, echo::machine::LinkSpec& link, unsigned) {
  auto& [bandwidth, latency] = link;
  all(archive, bandwidth, latency);
}

template <class Archive, class T>
void serialize(Archive& archive, echo::Csr<T>& rows, unsigned) {
  auto& [offset, value] = rows;
  all(archive, offset, value);
}

template <class Archive>
void serialize(Archive& archive, echo::machine::Link& link, unsigned) {
  auto& [from, to, bandwidth, latency, place] = link;
  all(archive, from, to, bandwidth, latency, place);
}

template <class Archive>
void serialize(Archive& archive, echo::machine::NetworkGraph& graph, unsigned) {
  auto& [gpus, vertices, domain, links, out, dims, first_router, first_ring] = graph;
  all(archive, gpus, vertices, domain, links, out, dims, first_router, first_ring);
}

template <class Archive>
void serialize(Archive& archive, echo::machine::GivenFabric& given, unsigned) {
  auto& [graph, shifted, all_pairs, shifted_latency, all_pairs_latency] = given;
  all(archive, graph, shifted, all_pairs, shifted_latency, all_pairs_latency);
}

template <class Archive>
void serialize(Archive& archive, echo::machine::PacketSetting& setting, unsigned) {
  auto& [control, name, value] = setting;
  all(archive, control, name, value);
}

template <class Archive>
void serialize(Archive& archive, echo::machine::PacketPreset& preset, unsigned) {
  auto& [name, source, settings] = preset;
  all(archive, name, source, settings);
}

template <class Archive>
void serialize(Archive& archive, echo::machine::AlgorithmChoice& choice, unsigned) {
  auto& [algorithm, window] = choice;
  all(archive, algorithm, window);
}

template <class Archive>
void serialize(Archive& archive, echo::machine::GivenDimension& dimension, unsigned) {
  auto& [kind, size, link, link_latency, algorithm] = dimension;
  all(archive, kind, size, link, link_latency, algorithm);
}

template <class Archive>
void serialize(Archive& archive, echo::machine::ProgramStep& step, unsigned) {
  auto& [kind, reduces, peer, tag, bytes, duration] = step;
  all(archive, kind, reduces, peer, tag, bytes, duration);
}

template <class Archive>
void serialize(Archive& archive, echo::machine::CollectiveProgram& program, unsigned) {
  auto& [name, collective, ranks, bytes, rank_begin, steps, needs] = program;
  all(archive, name, collective, ranks, bytes, rank_begin, steps, needs);
}

template <class Archive>
void serialize(Archive& archive, echo::machine::GivenMachine& machine, unsigned) {
  auto& [dimensions, chunks, active_chunks, order, sharing, lifo, whole_all_reduce, endpoint_delay,
         reduction_memory, programs] = machine;
  all(archive, dimensions, chunks, active_chunks, order, sharing, lifo, whole_all_reduce, endpoint_delay,
      reduction_memory, programs);
}

template <class Archive>
void serialize(Archive& archive, echo::machine::TierSpec& tier, unsigned) {
  auto& [read, write, latency, capacity, shared_by] = tier;
  all(archive, read, write, latency, capacity, shared_by);
}

template <class Archive>
void serialize(Archive& archive, echo::machine::ClusterSpec& cluster, unsigned) {
  auto& [name, gpu, gpus_per_node, nodes, scale_up_domain, scale_up, scale_out, nics_per_node, topology,
         oversubscription, nodes_per_leaf, leaves_per_pod, spine_oversubscription, groups, dims, planes,
         given, dimensions, fabric, routing, congestion_control, nic, network_switch, packets, cpu,
         host_time_factor, host_memory, host_capacity, tiers, power, nccl_version, sharp, rccl,
         launch_blocking, network, source, what_if] = cluster;
  all(archive, name, gpu, gpus_per_node, nodes, scale_up_domain, scale_up, scale_out, nics_per_node, topology,
      oversubscription, nodes_per_leaf, leaves_per_pod, spine_oversubscription, groups, dims, planes, given,
      dimensions, fabric, routing, congestion_control, nic, network_switch, packets, cpu, host_time_factor,
      host_memory, host_capacity, tiers, power, nccl_version, sharp, rccl, launch_blocking, network, source,
      what_if);
}

template <class Archive>
void serialize(Archive& archive, echo::training::LatentAttention& latent, unsigned) {
  auto& [query_rank, key_value_rank, nope_dim, rope_dim, value_dim] = latent;
  all(archive, query_rank, key_value_rank, nope_dim, rope_dim, value_dim);
}

template <class Archive>
void serialize(Archive& archive, echo::training::LocalAttention& local, unsigned) {
  auto& [span, chunked, full_interval, full_has_positions] = local;
  all(archive, span, chunked, full_interval, full_has_positions);
}

template <class Archive>
void serialize(Archive& archive, echo::training::Mamba& mamba, unsigned) {
  auto& [heads, head_dim, groups, state, convolution, chunk] = mamba;
  all(archive, heads, head_dim, groups, state, convolution, chunk);
}

template <class Archive>
void serialize(Archive& archive, echo::training::ModelSpec& model, unsigned) {
  auto& [name, layers, hidden, heads, kv_heads, head_dim, ffn_hidden, vocab, max_positions, experts,
         experts_per_token, expert_ffn_hidden, shared_expert_hidden, routing_groups, groups_per_token,
         first_dense_layers, moe_interval, latent, local, mamba, layer_pattern, post_norms, attention_sinks,
         scaled_positions, clamped_activation, query_key_norm, whole_query_key_norm, norm_weights,
         single_norm, embedding_norm, position_offset, gated_ffn, tied_embeddings, linear_bias, qkv_bias,
         head_bias, shared_expert_gate, norm, positions, source, trace] = model;
  all(archive, name, layers, hidden, heads, kv_heads, head_dim, ffn_hidden, vocab, max_positions, experts,
      experts_per_token, expert_ffn_hidden, shared_expert_hidden, routing_groups, groups_per_token,
      first_dense_layers, moe_interval, latent, local, mamba, layer_pattern, post_norms, attention_sinks,
      scaled_positions, clamped_activation, query_key_norm, whole_query_key_norm, norm_weights, single_norm,
      embedding_norm, position_offset, gated_ffn, tied_embeddings, linear_bias, qkv_bias, head_bias,
      shared_expert_gate, norm, positions, source, trace);
}

template <class Archive>
void serialize(Archive& archive, echo::training::Overlap& overlap, unsigned) {
  auto& [grad_reduce, param_gather, pipeline, tensor] = overlap;
  all(archive, grad_reduce, param_gather, pipeline, tensor);
}

template <class Archive>
void serialize(Archive& archive, echo::training::Recipe& recipe, unsigned) {
  echo::training::TrainingConfig holder;
  holder.recipe = recipe;
  for (const echo::training::AxisInfo& info : echo::training::axis_table) {
    if (info.holder != echo::training::AxisHolder::recipe) continue;
    const echo::training::AxisMember& member = echo::training::member_of(info.axis);
    std::int32_t value = member.get(holder);
    archive& value;
    member.set(holder, value);
  }
  recipe = holder.recipe;
}

template <class Archive>
void serialize(Archive& archive, echo::training::FrameworkSpec& framework, unsigned) {
  auto& [name, base, recipe_name, recipe, flash_attention, attention_kernel, native_from, repeats_native,
         sequence_parallel, zero, recompute, overlap, stops_early, waits_for_sums, keeps_gathered,
         gathers_again, copies_attention_inputs, splits_projection, norms_in_fp32, recomputes_norms,
         gradient_exchange, weight_return, samples_outermost, gradients, loss, balances_stages,
         pads_vocabulary, flat_shards, bucket_parameters, bucket_per_rank, kernel_gap, host_per_kernel,
         host_per_expert, host_per_peer, host_per_slice, host_per_step, host_measured, reserve, fragmentation,
         source] = framework;
  all(archive, name, base, recipe_name, recipe, flash_attention, attention_kernel, native_from,
      repeats_native, sequence_parallel, zero, recompute, overlap, stops_early, waits_for_sums,
      keeps_gathered, gathers_again, copies_attention_inputs, splits_projection, norms_in_fp32,
      recomputes_norms, gradient_exchange, weight_return, samples_outermost, gradients, loss, balances_stages,
      pads_vocabulary, flat_shards, bucket_parameters, bucket_per_rank, kernel_gap, host_per_kernel,
      host_per_expert, host_per_peer, host_per_slice, host_per_step, host_measured, reserve, fragmentation,
      source);
}

template <class Archive>
void serialize(Archive& archive, echo::training::RecipePreset& recipe, unsigned) {
  auto& [name, over, source] = recipe;
  all(archive, name, over, source);
}

template <class Archive>
void serialize(Archive& archive, echo::timeline::Task& task, unsigned) {
  auto& [kind, chunk, microbatch, with_next] = task;
  std::int32_t chunk_index = chunk.index(), microbatch_index = microbatch.index();
  all(archive, kind, chunk_index, microbatch_index, with_next);
  chunk = echo::ChunkId(chunk_index), microbatch = echo::MicrobatchId(microbatch_index);
}

template <class Archive>
void serialize(Archive& archive, echo::timeline::GivenOrder& order, unsigned) {
  auto& [name, placement, splits_backward, stages, chunks_per_stage, microbatches, tasks, held] = order;
  all(archive, name, placement, splits_backward, stages, chunks_per_stage, microbatches, tasks.offset,
      tasks.value, held);
}

template <class Archive>
void serialize(Archive& archive, echo::ops::KernelKey& key, unsigned) {
  echo::ops::KernelNumbers numbers = echo::ops::numbers_of(key);
  archive& numbers;
  key = echo::ops::key_of(numbers);
}

template <class Archive>
void serialize(Archive& archive, echo::trace::Group& group, unsigned) {
  auto& [name, role, ranks] = group;
  all(archive, name, role, ranks);
}

template <class Archive>
void serialize(Archive& archive, echo::trace::Node& node, unsigned) {
  auto& [id, kind, pass, collective, precision, name, stream, kernel, group, peer, launch, tag, duration, gap,
         bytes, flops] = node;
  all(archive, id, kind, pass, collective, precision, name, stream, kernel, group, peer, launch, tag,
      duration, gap, bytes, flops);
}

template <class Archive>
void serialize(Archive& archive, echo::trace::RankTrace& rank, unsigned) {
  auto& [number, stands_for, nodes, needs, follows, extras] = rank;
  all(archive, number, stands_for, nodes, needs, follows, extras);
}

template <class Archive>
void serialize(Archive& archive, echo::trace::Trace& trace, unsigned) {
  auto& [name, format, gpu, world, groups, names, kernels, ranks, notes, extras] = trace;
  all(archive, name, format, gpu, world, groups, names, kernels, ranks, notes, extras);
}

template <class Archive>
void serialize(Archive& archive, echo::simulate::Catalog& catalog, unsigned) {
  auto& [gpus, models, clusters, frameworks, recipes, nics, switches, layer_tables, orders, traces] = catalog;
  all(archive, gpus, models, clusters, frameworks, recipes, nics, switches, layer_tables, orders, traces);
}

template <class Archive>
void serialize(Archive& archive, echo::kernels::Knots& knots, unsigned) {
  auto& [at, factor] = knots;
  all(archive, at[0], at[1], at[2], factor);
}

// Constants are flat and named; their field tables say what there is.
template <class Archive>
void serialize(Archive& archive, echo::kernels::KernelConstants& constants, unsigned) {
  archive& constants.name;
  archive& constants.library;
  for (const auto& field : echo::kernels::kernel_constant_fields()) {
    archive& constants.*field.member;
    if (field.error != nullptr) archive& constants.*field.error;
  }
  for (const auto& field : echo::kernels::knots_fields()) archive& constants.*field.member;
  archive& constants.libraries;
}

template <class Archive>
void serialize(Archive& archive, echo::collective::NetworkConstants& constants, unsigned) {
  archive& constants.name;
  archive& constants.most_nodes;
  for (const auto& field : echo::collective::network_constant_fields()) archive& constants.*field.member;
}

template <class Archive>
void serialize(Archive& archive, echo::simulate::ErrorModel& errors, unsigned) {
  auto& [sigma, hidden, own, mixtures, compiled, tuning, settings, suite, machine, untried, untried_gpu,
         untried_framework, extrapolated, host, network, beyond, measured, p90, states, activations, rest,
         publication] = errors;
  all(archive, sigma, hidden, own, mixtures, compiled, tuning, settings, suite, machine, untried, untried_gpu,
      untried_framework, extrapolated, host, network, beyond, measured, p90, states, activations, rest,
      publication);
}

template <class Archive>
void serialize(Archive& archive, echo::simulate::PublishedKind& kind, unsigned) {
  auto& [gpu, frameworks, seen] = kind;
  all(archive, gpu, frameworks, seen);
}

template <class Archive>
void serialize(Archive& archive, echo::simulate::PublishedBest& best, unsigned) {
  auto& [gpu, operand_bytes, has_experts, mfu, publication] = best;
  all(archive, gpu, operand_bytes, has_experts, mfu, publication);
}

template <class Archive>
void serialize(Archive& archive, echo::simulate::Loss& loss, unsigned) {
  all(archive, loss.value, loss.error);
}

template <class Archive>
void serialize(Archive& archive, echo::simulate::ProductionModel& model, unsigned) {
  auto& [spread, contained, slow_nodes, slow_node_loss, host, temperature, checkpoint, job] = model;
  all(archive, spread, contained, slow_nodes, slow_node_loss, host, temperature, checkpoint, job);
}

// Measured kernels and learned models do not travel along: they are views of bytes that the workers of a node
// share.
template <class Archive>
void serialize(Archive& archive, echo::simulate::Calibration& calibration, unsigned) {
  auto& [kernels, networks, errors, practice, slowdown, learned, contention, packet_budget, production,
         setting, stated, measured] = calibration;
  static_cast<void>(learned);
  static_cast<void>(measured);
  all(archive, kernels, networks, errors, practice.kinds, practice.best, slowdown, contention, packet_budget,
      production, setting, stated);
}

}  // namespace boost::serialization
