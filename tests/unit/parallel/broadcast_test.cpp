#include "parallel/broadcast.hpp"

#include <gtest/gtest.h>

#include "simulate/serialize.hpp"
#include "sweep/serialize.hpp"

namespace echo::parallel {
namespace {

template <class T>
T there_and_back(const T& value) {
  T copy;
  from_archive(to_archive(value), copy);
  return copy;
}

machine::GivenFabric given_fabric() {
  machine::NetworkGraph graph{
      .gpus = 2, .vertices = 3, .domain = 2, .dims = {4, 5}, .first_router = 6, .first_ring = 7};
  graph.hang(0, 2, BytesPerSecond(1e10), SimTime(3), machine::LinkPlace::nic);
  graph.hang(1, 2, BytesPerSecond(2e10), SimTime(4), machine::LinkPlace::scale_up);
  graph.index_links();
  return {graph, BytesPerSecond(3e10), BytesPerSecond(4e10), SimTime(5), SimTime(6)};
}

// No member keeps its default, so one that is not sent shows.
simulate::Catalog full_catalog() {
  machine::GpuSpec gpu{.name = "gpu",
                       .memory = Bytes(80),
                       .l2 = Bytes(50),
                       .memory_bandwidth = BytesPerSecond(3e12),
                       .nvlink = BytesPerSecond(4e11),
                       .sm_count = 132,
                       .compute_capability = 90,
                       .kernels = "other",
                       .source = "sheet"};
  for (double rate = 1; auto& peak : gpu.peak) peak = FlopsPerSecond(rate++ * 1e15);
  const training::ModelSpec model{.name = "model",
                                  .layers = 2,
                                  .hidden = 3,
                                  .heads = 4,
                                  .kv_heads = 5,
                                  .head_dim = 6,
                                  .ffn_hidden = 7,
                                  .vocab = 8,
                                  .max_positions = 9,
                                  .experts = 10,
                                  .experts_per_token = 11,
                                  .expert_ffn_hidden = 12,
                                  .shared_expert_hidden = 13,
                                  .first_dense_layers = 14,
                                  .moe_interval = 15,
                                  .latent = {16, 17, 18, 19, 20},
                                  .query_key_norm = true,
                                  .whole_query_key_norm = true,
                                  .norm_weights = false,
                                  .single_norm = true,
                                  .embedding_norm = true,
                                  .position_offset = 21,
                                  .gated_ffn = true,
                                  .tied_embeddings = false,
                                  .linear_bias = false,
                                  .qkv_bias = true,
                                  .head_bias = true,
                                  .shared_expert_gate = true,
                                  .norm = training::Norm::rms,
                                  .positions = training::Positions::rope,
                                  .source = "paper"};
  const machine::ClusterSpec cluster{.name = "cluster",
                                     .gpu = machine::GpuId(0),
                                     .gpus_per_node = 4,
                                     .nodes = 12,
                                     .scale_up_domain = 72,
                                     .scale_up = {BytesPerSecond(1e11), SimTime(11)},
                                     .scale_out = {BytesPerSecond(2e11), SimTime(22)},
                                     .nics_per_node = 3,
                                     .topology = machine::TopologyId(2),
                                     .oversubscription = 2.5,
                                     .nodes_per_leaf = 6,
                                     .leaves_per_pod = 7,
                                     .spine_oversubscription = 1.5,
                                     .groups = 8,
                                     .dims = {9, 10, 11},
                                     .planes = 3,
                                     .given = given_fabric(),
                                     .fabric = machine::Fabric::efa,
                                     .routing = machine::Routing::valiant,
                                     .cpu = machine::CpuVendor::arm,
                                     .nccl_version = 22809,
                                     .launch_blocking = true,
                                     .network = "net",
                                     .source = "white paper"};
  training::FrameworkSpec framework{.name = "framework",
                                    .base = "other framework",
                                    .recipe_name = "recipe",
                                    .recipe = {.kernels = ops::KernelStyle::eager,
                                               .scatter_gather = true,
                                               .dispatch = training::Dispatch::per_node,
                                               .capacity_permille = 1250,
                                               .lora_rank = 8},
                                    .flash_attention = false,
                                    .sequence_parallel = false,
                                    .zero = training::ZeroStage::parameters,
                                    .recompute = training::Recompute::full,
                                    .overlap = {true, true, true, true},
                                    .waits_for_input_gradients = true,
                                    .keeps_gathered_inputs = true,
                                    .copies_attention_inputs = true,
                                    .splits_joint_projection = true,
                                    .norms_in_fp32 = true,
                                    .recomputes_norms = true,
                                    .gradient_exchange = training::GradientExchange::reduce,
                                    .weight_return = training::WeightReturn::broadcast,
                                    .gradients = training::GradientStore::partitioned,
                                    .loss = training::LossStore::torch,
                                    .balances_stages = true,
                                    .pads_vocabulary = false,
                                    .bucket_parameters = 5,
                                    .bucket_per_rank = 6,
                                    .kernel_gap = SimTime(7),
                                    .host_per_kernel = SimTime(8),
                                    .host_per_expert = SimTime(12),
                                    .host_per_slice = SimTime(13),
                                    .host_per_step = SimTime(9),
                                    .reserve = Bytes(10),
                                    .fragmentation = 0.25,
                                    .source = "code"};
  return {.gpus = {gpu},
          .models = {model, model},
          .clusters = {cluster},
          .frameworks = {framework},
          .recipes = {{.name = "recipe", .over = {framework}, .source = "scripts"}},
          .nics = {{"nic", "manual", {{"dcqcn", "RATE_AI", "5"}}}},
          .switches = {{"switch", "data sheet", {{"", "BUFFER_SIZE", "64"}}}},
          .layer_tables = {{1, 2}, {3}}};
}

TEST(Archive, KeepsEveryMemberOfACatalog) {
  const auto catalog = full_catalog();
  EXPECT_EQ(there_and_back(catalog), catalog);
}

TEST(Archive, KeepsEveryMemberOfACalibration) {
  simulate::Calibration calibration{.kernels = {{.name = "h800"}},
                                    .networks = {{.name = "ndr400"}},
                                    .slowdown = slowdown::Contention{1.5, 2.5, 0.75, 0.125},
                                    .contention = simulate::Contention::off,
                                    .production = {.gpu_spread = {0.1, 0.2},
                                                   .contained_gpus = 3.0,
                                                   .slow_nodes = {0.4, 0.5},
                                                   .slow_node_loss = {0.6, 0.7},
                                                   .host_loss = {0.8, 0.9},
                                                   .temperature_loss = {0.11, 0.12},
                                                   .checkpoint_loss = {0.13, 0.14},
                                                   .job_spread = 0.15},
                                    .setting = simulate::Setting::production};
  double number = 1.0;
  for (const auto& field : kernels::kernel_constant_fields()) calibration.kernels[0].*field.member = number++;
  for (const auto& field : collective::network_constant_fields())
    calibration.networks[0].*field.member = number++;
  EXPECT_EQ(there_and_back(calibration), calibration);
}

TEST(Archive, KeepsWhichSlowdownModelItIs) {
  const simulate::Calibration calibration{.slowdown = slowdown::NoSlowdown{}};
  EXPECT_TRUE(std::holds_alternative<slowdown::NoSlowdown>(there_and_back(calibration).slowdown));
}

TEST(Archive, KeepsEveryMemberOfASweep) {
  const sweep::SweepSpec spec{
      .name = "n",
      .title = "t",
      .output_file = "o.h5",
      .schema = 3,
      .seed = 4,
      .dimensions = {{{{sweep::Axis::tp, {{.number = 8}, {.number = 4}}},
                       {sweep::Axis::model, {{.text = "gpt"}}}}}},
      .rules = {{.kind = sweep::RuleKind::keep, .name = "r", .expression = "tp <= 8", .why = "w"}},
      .batch_in_tokens = true};
  EXPECT_EQ(there_and_back(spec), spec);
}

TEST(DescribedError, ComesBackWithPlacesRemediesAndExitCode) {
  const UserError error({Problem{{"a.toml", 3, 7, 4}, "unknown key", "did you mean tp?"},
                         Problem{{"b.toml", 1, 1, 1}, "unused", "remove it", Problem::Severity::warning}},
                        5);
  try {
    throw_described(describe(error));
    FAIL() << "nothing was thrown";
  } catch (const UserError& again) {
    EXPECT_EQ(again.exit_code(), 5);
    ASSERT_EQ(again.problems().size(), 2u);
    EXPECT_EQ(again.problems()[0].place.column, 7);
    EXPECT_EQ(again.problems()[0].remedy, "did you mean tp?");
    EXPECT_EQ(again.problems()[1].severity, Problem::Severity::warning);
  }
}

}  // namespace
}  // namespace echo::parallel
