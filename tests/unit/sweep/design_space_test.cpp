#include "sweep/space/design_space.hpp"

#include <gtest/gtest.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <sstream>

#include "base/contract.hpp"
#include "base/error.hpp"
#include "sweep/space/config_id.hpp"
#include "sweep/space/count_space.hpp"
#include "sweep/space/serialize_index.hpp"
#include "tests/support/small_space.hpp"

namespace echo::sweep {
namespace {

using support::derive;
using support::keep;
using support::names;
using support::numbers;
using support::small_sweep;

const simulate::Catalog& catalog() {
  static const simulate::Catalog made = support::small_catalog();
  return made;
}
std::int64_t removed_by(const DesignSpace& space, const std::string& rule) {
  for (const RuleCount& count : count_space(space.raw_space(), {}).rules) {
    if (count.name == rule) return count.removed.value;
  }
  return -1;
}

TEST(DesignSpace, CrossesAxesWithTheFirstSlowest) {
  const DesignSpace space(small_sweep({numbers(Axis::tp, {1, 2}), numbers(Axis::micro_batch, {1, 2, 4})}),
                          catalog());
  ASSERT_EQ(space.raw(), 6);
  ASSERT_EQ(space.size(), 6);
  EXPECT_EQ(space.at(0).degrees.tensor, 1);
  EXPECT_EQ(space.at(2).batch.micro_samples, 4);
  EXPECT_EQ(space.at(3).degrees.tensor, 2);
  EXPECT_EQ(space.at(3).batch.micro_samples, 1);
}

TEST(DesignSpace, ZipsPairedAxes) {
  Dimension pair = numbers(Axis::seq_len, {512, 1024});
  pair.columns.push_back(numbers(Axis::micro_batch, {4, 2}).columns[0]);
  const DesignSpace space(small_sweep({pair}), catalog());
  ASSERT_EQ(space.size(), 2);
  EXPECT_EQ(space.at(0).batch.sequence_tokens, 512);
  EXPECT_EQ(space.at(0).batch.micro_samples, 4);
  EXPECT_EQ(space.at(1).batch.micro_samples, 2);
}

TEST(DesignSpace, DropsADerivationThatIsNotExactAndCountsIt) {
  const DesignSpace space(
      small_sweep({numbers(Axis::gpus, {24}), numbers(Axis::tp, {1, 2, 5, 8})}, {derive("dp", "gpus / tp")}),
      catalog());
  EXPECT_EQ(space.size(), 3);
  EXPECT_EQ(removed_by(space, "derive dp"), 1);
  EXPECT_EQ(space.at(2).degrees.data, 3);
}

TEST(DesignSpace, FillsTheDataDegreeItselfWhenNobodyDoes) {
  const DesignSpace space(
      small_sweep({numbers(Axis::gpus, {16}), numbers(Axis::tp, {2, 3}), numbers(Axis::pp, {4})}), catalog());
  ASSERT_EQ(space.size(), 1);
  EXPECT_EQ(space.at(0).degrees.data, 2);
  EXPECT_EQ(removed_by(space, "derive dp"), 1);
}

TEST(DesignSpace, DropsLayoutsThatDoNotFillTheirGpus) {
  const DesignSpace space(
      small_sweep({numbers(Axis::gpus, {8}), numbers(Axis::tp, {1, 2, 4}), numbers(Axis::dp, {1, 2, 4})}),
      catalog());
  EXPECT_EQ(space.size(), 2);  // 2x4 and 4x2
  EXPECT_EQ(removed_by(space, "gpus == tp * pp * cp * dp"), 7);
}

TEST(DesignSpace, BlamesTheFirstFailingRuleInFileOrder) {
  const auto axes = std::vector<Dimension>{numbers(Axis::tp, {1, 2, 4, 8}), numbers(Axis::pp, {1, 2, 4})};
  const DesignSpace space(
      small_sweep(axes, {keep("deep", "pp >= 2"), keep("narrow", "tp <= 2"), keep("idle", "tp > 0")}),
      catalog());
  EXPECT_EQ(removed_by(space, "deep"), 4);
  EXPECT_EQ(removed_by(space, "narrow"), 4);  // 2 of 4 tp at 2 of 3 pp
  EXPECT_EQ(removed_by(space, "idle"), 0);
  EXPECT_EQ(space.size(), 4);
}

TEST(DesignSpace, LetsAnExpressionNamePresetFieldsAndDefaults) {
  auto spec =
      small_sweep({numbers(Axis::tp, {1, 2, 4, 8})},
                  {keep("kv", "model.kv_heads % tp == 0"), keep("domain", "tp <= cluster.nvlink_domain // 2"),
                   keep("roomy", "gpu.memory > 79 GiB and seq_len == model.max_positions and zero == 1"),
                   keep("named", "model == 'tiny-llama' and schedule == '1f1b'")});
  spec.dimensions[0] = names(Axis::model, {"tiny-gpt", "tiny-llama"});
  const DesignSpace space(spec, catalog());
  EXPECT_EQ(removed_by(space, "kv"), 1);
  EXPECT_EQ(removed_by(space, "domain"), 1);
  EXPECT_EQ(removed_by(space, "roomy"), 0);
  EXPECT_EQ(removed_by(space, "named"), 3);
  EXPECT_EQ(space.size(), 3);
}

TEST(DesignSpace, TakesWhatIsNotNamedFromTheFramework) {
  const DesignSpace space(
      small_sweep({names(Axis::framework, {"megatron-core", "plain"}), numbers(Axis::tp, {2}),
                   numbers(Axis::pp, {2}), numbers(Axis::dp, {2}), numbers(Axis::vpp, {2})}),
      catalog());
  ASSERT_EQ(space.size(), 2);
  const training::TrainingConfig core = space.at(0), plain = space.at(1);
  EXPECT_TRUE(core.overlap.grad_reduce);
  EXPECT_FALSE(plain.overlap.grad_reduce);
  EXPECT_EQ(core.zero, training::ZeroStage::optimizer);
  EXPECT_TRUE(core.sequence_parallel);
  EXPECT_EQ(core.batch.sequence_tokens, 1024);
  const auto interleaved = space.at(0).schedule;
  const DesignSpace flat(small_sweep({numbers(Axis::pp, {2})}), catalog());
  EXPECT_NE(flat.at(0).schedule, interleaved);
}

TEST(DesignSpace, SimulatesEqualConfigsOnce) {  // at one stage the schedule and virtual stages mean nothing
  const DesignSpace space(small_sweep({numbers(Axis::pp, {1, 2}), numbers(Axis::vpp, {1, 2, 4}),
                                       names(Axis::schedule, {"1f1b", "interleaved"})}),
                          catalog());
  EXPECT_EQ(space.raw(), 12);
  EXPECT_EQ(space.duplicates(), 5);
  EXPECT_EQ(space.size(), 7);
  EXPECT_EQ(space.at(0).degrees.virtual_stages, 1);
}

TEST(DesignSpace, CountsTokenBatchesInWholeSequences) {
  auto spec = small_sweep({numbers(Axis::seq_len, {512, 1000})},
                          {derive("microbatches", "global_batch_sequences / dp")});
  spec.batch_in_tokens = true;
  spec.dimensions[2] = numbers(Axis::global_batch, {65536});
  const DesignSpace space(spec, catalog());
  ASSERT_EQ(space.size(), 1);
  EXPECT_EQ(space.at(0).batch.global_samples, 128);
  EXPECT_EQ(removed_by(space, "derive global_batch_sequences"), 1);
}

TEST(DesignSpace, DerivesAxesWithinTheirBounds) {
  const DesignSpace space(small_sweep({numbers(Axis::tp, {1, 2, 3})},
                                      {derive("micro_batch", "tp - 1"), derive("zero", "tp + 1")}),
                          catalog());
  EXPECT_EQ(removed_by(space, "derive micro_batch"), 1);  // 0 is no batch
  EXPECT_EQ(removed_by(space, "derive zero"), 1);         // there is no stage 4
  EXPECT_EQ(space.size(), 1);
}

TEST(DesignSpace, TestsRulesAsEarlyAsTheirAxesAllow) {  // else this would visit 10^15 combinations
  const std::vector<std::int64_t> many(1000, 1);
  std::vector<std::int64_t> upto;
  for (std::int64_t i = 1; i <= 1000; ++i) upto.push_back(i);
  const DesignSpace space(
      small_sweep({numbers(Axis::tp, upto), numbers(Axis::pp, upto), numbers(Axis::micro_batch, upto),
                   numbers(Axis::ep, upto), numbers(Axis::seq_len, upto)},
                  {keep("a", "tp == 7"), keep("b", "pp == 11"), keep("c", "micro_batch == 13"),
                   keep("d", "ep == 1"), keep("e", "seq_len > 998")}),
      catalog());
  EXPECT_EQ(space.raw(), 1'000'000'000'000'000);
  EXPECT_EQ(space.size(), 2);
  EXPECT_EQ(removed_by(space, "a"), 999'000'000'000'000);
  EXPECT_EQ(removed_by(space, "b"), 999'000'000'000);
  EXPECT_EQ(removed_by(space, "e"), 998);
}

// The example of product.md, section 6, whose counts were worked out by a separate program. Precisions stand
// in for the schedules that do not exist yet (bf16 = 1f1b, fp16 = interleaved, ...), recomputation and
// attention for idle axes.
TEST(DesignSpace, CountsTheExampleOfTheDesign) {
  simulate::Catalog made = support::small_catalog();
  made.models[0].layers = 80, made.models[0].kv_heads = 8;
  made.models[1].layers = 56, made.models[1].kv_heads = 8, made.models[1].experts = 8;
  made.clusters.assign(3, made.clusters[0]);
  made.clusters[1].name = "tree", made.clusters[2].name = "nvl72", made.clusters[2].scale_up_domain = 72;
  Dimension pair = numbers(Axis::seq_len, {8192, 32768});
  pair.columns.push_back(numbers(Axis::global_batch, {4 << 20, 16 << 20}).columns[0]);
  SweepSpec spec;
  spec.batch_in_tokens = true;
  spec.dimensions = {names(Axis::model, {"tiny-gpt", "tiny-llama"}),
                     names(Axis::cluster, {"nodes-of-8", "tree", "nvl72"}),
                     numbers(Axis::gpus, {256, 512, 1024, 2048}),
                     numbers(Axis::tp, {1, 2, 4, 8}),
                     numbers(Axis::pp, {1, 2, 4, 8, 16}),
                     numbers(Axis::cp, {1, 2}),
                     numbers(Axis::ep, {1, 2, 4, 8}),
                     numbers(Axis::vpp, {1, 2, 4}),
                     numbers(Axis::micro_batch, {1, 2, 4}),
                     names(Axis::precision, {"bf16", "fp16", "fp8", "tf32"}),
                     numbers(Axis::zero, {1, 3}),
                     names(Axis::recompute, {"none", "selective", "full"}),
                     numbers(Axis::flash_attention, {0, 1}),
                     pair};
  spec.rules = {derive("dp", "gpus / (tp * pp * cp)"),
                derive("microbatches", "global_batch / (dp * micro_batch * seq_len)"),
                keep("tp-in-nvlink", "tp <= cluster.nvlink_domain and tp <= model.kv_heads"),
                keep("even-stages", "model.layers % (pp * vpp) == 0"),
                keep("expert-layout", "ep == 1 or (model.experts % ep == 0 and (dp * cp) % ep == 0)"),
                keep("vpp-is-interleaved", "(precision == 'fp16') == (vpp > 1)"),
                keep("schedule-needs-stages", "precision == 'bf16' or pp >= 4"),
                keep("fill-the-pipe", "microbatches >= pp"),
                keep("zero3-without-pp", "zero != 3 or pp == 1"),
                keep("cp-for-long-context", "cp == 1 or seq_len > 8192")};
  const DesignSpace space(spec, made);
  EXPECT_EQ(space.raw(), 3'317'760);
  EXPECT_EQ(space.size(), 94'554);
  const std::vector<RuleCount> expected{{"derive dp", exactly(0)},
                                        {"derive microbatches", exactly(338'688)},
                                        {"tp-in-nvlink", exactly(0), true},
                                        {"even-stages", exactly(986'112), true},
                                        {"expert-layout", exactly(870'912), true},
                                        {"vpp-is-interleaved", exactly(587'376), true},
                                        {"schedule-needs-stages", exactly(214'560), true},
                                        {"fill-the-pipe", exactly(80'208), true},
                                        {"zero3-without-pp", exactly(107'892), true},
                                        {"cp-for-long-context", exactly(37'458), true}};
  EXPECT_EQ(count_space(space.raw_space(), {}).rules, expected);
}

TEST(DesignSpace, RefusesMoreCombinationsThanItCanNumber) {
  std::vector<std::int64_t> upto;
  for (std::int64_t i = 1; i <= 100'000; ++i) upto.push_back(i);
  EXPECT_THROW(DesignSpace(small_sweep({numbers(Axis::tp, upto), numbers(Axis::pp, upto),
                                        numbers(Axis::ep, upto), numbers(Axis::seq_len, upto)}),
                           catalog()),
               UserError);
}

TEST(SpaceIndex, CrossesAnArchiveWhole) {
  const DesignSpace space(small_sweep({numbers(Axis::tp, {1, 2, 4, 8}), numbers(Axis::vpp, {1, 2})}),
                          catalog());
  const SpaceIndex sent = index_part(space.raw_space(), 1, 2, 3);
  ASSERT_GT(sent.size(), 0);
  std::stringstream bytes;
  boost::archive::binary_oarchive(bytes) << sent;
  SpaceIndex received;
  boost::archive::binary_iarchive(bytes) >> received;
  EXPECT_EQ(received, sent);
}

TEST(DesignSpace, TellsPointsAndRawCombinationsApart) {
  const DesignSpace space(small_sweep({numbers(Axis::tp, {1, 2, 4, 8})}, {keep("even", "tp % 4 == 0")}),
                          catalog());
  ASSERT_EQ(space.size(), 2);
  EXPECT_EQ(space.raw_index(0), 2);
  EXPECT_EQ(space.find_raw(3), 1);
  EXPECT_EQ(space.find_raw(1), -1);
  EXPECT_THROW((void)space.at(2), ContractViolation);
}

}  // namespace
}  // namespace echo::sweep
