#include "sweep/language/preset_fields.hpp"

#include <algorithm>
#include <array>

namespace echo::sweep {
namespace {

using simulate::Catalog;

template <auto member>
Scalar of_model(const Catalog& catalog, std::size_t preset) {
  return {static_cast<std::int64_t>(catalog.models[preset].*member), 0.0};
}
template <auto member>
Scalar of_cluster(const Catalog& catalog, std::size_t preset) {
  return {static_cast<std::int64_t>(catalog.clusters[preset].*member), 0.0};
}
template <auto member>
Scalar of_gpu(const Catalog& catalog, std::size_t preset) {
  return {static_cast<std::int64_t>(catalog.gpus[preset].*member), 0.0};
}

template <machine::Precision precision>
Scalar peak_of(const Catalog& catalog, std::size_t preset) {  // 0 where the GPU has no such units
  return {0, catalog.gpus[preset].peak_of(precision).value};
}

using machine::ClusterSpec;
using machine::GpuSpec;
using training::ModelSpec;

constexpr std::array<PresetField, 32> fields{{
    {"model.layers", Axis::model, Type::integer, plain, of_model<&ModelSpec::layers>},
    {"model.hidden", Axis::model, Type::integer, plain, of_model<&ModelSpec::hidden>},
    {"model.heads", Axis::model, Type::integer, plain, of_model<&ModelSpec::heads>},
    {"model.kv_heads", Axis::model, Type::integer, plain, of_model<&ModelSpec::kv_heads>},
    {"model.head_dim", Axis::model, Type::integer, plain, of_model<&ModelSpec::head_dim>},
    {"model.ffn_hidden", Axis::model, Type::integer, plain, of_model<&ModelSpec::ffn_hidden>},
    {"model.vocab", Axis::model, Type::integer, plain, of_model<&ModelSpec::vocab>},
    {"model.max_positions", Axis::model, Type::integer, plain, of_model<&ModelSpec::max_positions>},
    // A dense model is one expert, so that "model.experts % ep == 0" gives it ep = 1.
    {"model.experts", Axis::model, Type::integer, plain,
     [](const Catalog& c, std::size_t i) {
       return Scalar{std::max(1, c.models[i].experts), 0.0};
     }},
    {"model.experts_per_token", Axis::model, Type::integer, plain, of_model<&ModelSpec::experts_per_token>},
    {"model.expert_ffn_hidden", Axis::model, Type::integer, plain, of_model<&ModelSpec::expert_ffn_hidden>},
    {"model.gated_ffn", Axis::model, Type::boolean, plain, of_model<&ModelSpec::gated_ffn>},
    {"model.tied_embeddings", Axis::model, Type::boolean, plain, of_model<&ModelSpec::tied_embeddings>},
    {"model.parameters", Axis::model, Type::integer, plain,
     [](const Catalog& c, std::size_t i) {
       return Scalar{training::total_parameters(c.models[i]), 0.0};
     }},
    {"gpu.memory", Axis::gpu, Type::integer, in_bytes,
     [](const Catalog& c, std::size_t i) {
       return Scalar{c.gpus[i].memory.value, 0.0};
     }},
    {"gpu.memory_bandwidth", Axis::gpu, Type::real, bytes_per_second,
     [](const Catalog& c, std::size_t i) {
       return Scalar{0, c.gpus[i].memory_bandwidth.value};
     }},
    {"gpu.nvlink", Axis::gpu, Type::real, bytes_per_second,
     [](const Catalog& c, std::size_t i) {
       return Scalar{0, c.gpus[i].nvlink.value};
     }},
    {"gpu.l2", Axis::gpu, Type::integer, in_bytes,
     [](const Catalog& c, std::size_t i) {
       return Scalar{c.gpus[i].l2.value, 0.0};
     }},
    {"gpu.peak_bf16", Axis::gpu, Type::real, flops_per_second, peak_of<machine::Precision::bf16>},
    {"gpu.peak_fp8", Axis::gpu, Type::real, flops_per_second, peak_of<machine::Precision::fp8>},
    {"gpu.sm_count", Axis::gpu, Type::integer, plain, of_gpu<&GpuSpec::sm_count>},
    {"gpu.compute_capability", Axis::gpu, Type::integer, plain, of_gpu<&GpuSpec::compute_capability>},
    {"cluster.gpus_per_node", Axis::cluster, Type::integer, plain, of_cluster<&ClusterSpec::gpus_per_node>},
    {"cluster.nodes", Axis::cluster, Type::integer, plain, of_cluster<&ClusterSpec::nodes>},
    {"cluster.scale_up_domain", Axis::cluster, Type::integer, plain,
     of_cluster<&ClusterSpec::scale_up_domain>},
    {"cluster.nvlink_domain", Axis::cluster, Type::integer, plain, of_cluster<&ClusterSpec::scale_up_domain>},
    {"cluster.nics_per_node", Axis::cluster, Type::integer, plain, of_cluster<&ClusterSpec::nics_per_node>},
    {"cluster.nodes_per_leaf", Axis::cluster, Type::integer, plain, of_cluster<&ClusterSpec::nodes_per_leaf>},
    {"cluster.leaves_per_pod", Axis::cluster, Type::integer, plain, of_cluster<&ClusterSpec::leaves_per_pod>},
    {"cluster.oversubscription", Axis::cluster, Type::real, plain,
     [](const Catalog& c, std::size_t i) {
       return Scalar{0, c.clusters[i].oversubscription};
     }},
    {"cluster.scale_up_bandwidth", Axis::cluster, Type::real, bytes_per_second,
     [](const Catalog& c, std::size_t i) {
       return Scalar{0, c.clusters[i].scale_up.bandwidth.value};
     }},
    {"cluster.scale_out_bandwidth", Axis::cluster, Type::real, bytes_per_second,
     [](const Catalog& c, std::size_t i) {
       return Scalar{0, c.clusters[i].scale_out.bandwidth.value};
     }},
}};

}  // namespace

std::span<const PresetField> preset_fields() { return fields; }

}  // namespace echo::sweep
