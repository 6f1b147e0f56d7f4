// What each way to share a sequence computes and sends, counted by hand.
#include <gtest/gtest.h>

#include "base/at.hpp"
#include "tests/unit/workload/op_list.hpp"
#include "workload/layer/core_attention.hpp"

namespace echo::workload {
namespace {

using training::ContextComm, training::Mixer;
using Lines = std::vector<std::string>;

training::TrainingConfig shared_by(std::int32_t context, ContextComm how, std::int32_t inner = 0,
                                   std::int32_t tensor = 1) {
  training::TrainingConfig c = support::a_config({.tensor = tensor, .context = context});
  c.recipe.cp_comm = how;
  c.recipe.cp_inner = inner;
  return c;
}

Workload forward(const Setting& at, Mixer mixer = Mixer::attention) {
  return traced_block([&](Builder& b) {
    core_attention_forward(b, Shapes(at.x), mixer, TimeCategory::forward, OpId::none());
  });
}
Workload backward(const Setting& at, Mixer mixer = Mixer::attention) {
  return traced_block([&](Builder& b) { core_attention_backward(b, Shapes(at.x), mixer); });
}

// 1024 tokens, 16 query and 4 key-value heads of 64 channels: queries 1024 wide, keys and values 256 each.
TEST(RingAttention, PassesKeysAndValuesOnWhileItAttends) {
  const Setting at(shared_by(4, ContextComm::ring), support::tiny_llama());
  const std::string hop = "cp send_recv " + std::to_string(256 * 512 * 2) + " over 2";
  EXPECT_EQ(
      lines_of(forward(at)),
      (Lines{"copy 256x512", hop, "attention 256x256 of 16/4 causal", hop, "attention 256x128 of 16/4",
             "merge 256x16", hop, "attention 256x128 of 16/4", "merge 256x16", "attention 256x128 of 16/4",
             "merge 256x16", "copy 256x1024", "merge 256x1024", "merge 256x1024", "merge 256x1024"}));
}

TEST(RingAttention, SendsGradientsAfterTheKeysTheyBelongTo) {
  const Setting at(shared_by(4, ContextComm::ring), support::tiny_llama());
  const auto hop = [](int copies) {
    return "cp send_recv " + std::to_string(copies * 256 * 512 * 2) + " over 2";
  };
  EXPECT_EQ(lines_of(backward(at)),
            (Lines{"copy 256x512", hop(1), "attention' 256x128 of 16/4", "copy 256x1024", "copy 128x512",  //
                   hop(2), "attention' 256x128 of 16/4", "merge 256x1024", "merge 128x512",                //
                   hop(2), "attention' 256x128 of 16/4", "merge 256x1024", "merge 128x512",                //
                   hop(1), "attention' 256x256 of 16/4 causal", "merge 256x1024", "merge 256x512"}));
}

// The keys for step i + 1 leave when those of step i are there and the stream they leave from has done step
// i - 2: not step i - 1, which runs on the other stream.
TEST(RingAttention, LetsATransferRunTwoStepsAhead) {
  const Setting at(shared_by(4, ContextComm::ring), support::tiny_llama());
  const Workload work = forward(at);
  const auto needs = [&](std::int32_t op) {
    const auto row = work.blocks[0].needs.row(op);
    std::vector<std::int32_t> found;
    for (const OpId need : row) found.push_back(need.index());
    return found;
  };
  EXPECT_EQ(needs(1), (std::vector<std::int32_t>{0}));     // the first transfer: the packed keys
  EXPECT_EQ(needs(3), (std::vector<std::int32_t>{1, 0}));  // the second: the first
  EXPECT_EQ(needs(6), (std::vector<std::int32_t>{3, 2}));  // the third: the second, and the first attention
  EXPECT_EQ(needs(4), (std::vector<std::int32_t>{1}));     // the second attention: the first transfer
}

TEST(GatheredAttention, GathersOnceAPassAndScattersGradients) {
  const Setting at(shared_by(4, ContextComm::all_gather), support::tiny_llama());
  const std::string bytes = std::to_string(1024 * 256 * 2) + " over 4";
  const Lines gathered{"cp all_gather " + bytes, "cp all_gather " + bytes, "copy 256x256 of 4",
                       "copy 256x256 of 4"};
  Lines expected = gathered;  // pieces of 128 queries; the last rank holds the fourth and the fifth of eight
  for (const char* line : {"attention 128x512 of 16/4 causal", "copy 128x1024",
                           "attention 128x640 of 16/4 causal", "copy 128x1024"})
    expected.emplace_back(line);
  EXPECT_EQ(lines_of(forward(at)), expected);
  expected = gathered;
  for (const char* line : {"clear 256x1024 of 4", "attention' 128x512 of 16/4 causal", "copy 128x1024",
                           "merge 512x512", "attention' 128x640 of 16/4 causal", "copy 128x1024",
                           "merge 640x512", "copy 256x256 of 4", "copy 256x256 of 4"})
    expected.emplace_back(line);
  expected.push_back("cp reduce_scatter " + bytes);
  expected.push_back("cp reduce_scatter " + bytes);
  expected.emplace_back("copy 256x1536");
  EXPECT_EQ(lines_of(backward(at)), expected);
}

TEST(Ulysses, ExchangesTokensForHeadsAndBack) {
  const Setting at(shared_by(4, ContextComm::ulysses), support::tiny_llama());
  const std::string wide = "cp all_to_all " + std::to_string(256 * 1024 * 2) + " over 4",
                    narrow = "cp all_to_all " + std::to_string(256 * 256 * 2) + " over 4";
  const Lines there{"copy 256x1024", wide,           "copy 256x256", narrow, "copy 256x256", narrow,
                    "copy 256x1024", "copy 256x256", "copy 256x256"};
  const Lines back{"copy 256x1024", wide, "copy 256x1024"};
  Lines expected = there;
  expected.emplace_back("attention 1024x1024 of 4 causal");
  expected.insert(expected.end(), back.begin(), back.end());
  EXPECT_EQ(lines_of(forward(at)), expected);
  expected = back;
  expected.emplace_back("attention' 1024x1024 of 4 causal");
  expected.insert(expected.end(), there.begin(), there.end());
  EXPECT_EQ(lines_of(backward(at)), expected);
}

TEST(Ulysses, ExchangesOneByteAnElementOfEightBitAttention) {
  training::TrainingConfig c = shared_by(4, ContextComm::ulysses);
  c.precision = machine::Precision::fp8;
  c.recipe.fp8_attention = true;
  const Setting at(c, support::tiny_llama());
  const std::string wide = "cp all_to_all " + std::to_string(256 * 1024) + " over 4",
                    narrow = "cp all_to_all " + std::to_string(256 * 256) + " over 4";
  EXPECT_EQ(lines_of(forward(at)),
            (Lines{"other 256x1536", "copy 256x512", wide, "copy 256x128", narrow, "copy 256x128", narrow,
                   "copy 256x512", "copy 256x128", "copy 256x128", "attention 1024x1024 of 4 causal",
                   "copy 256x512", wide, "copy 256x512", "other 256x1024"}));
}

TEST(RingAttention, PassesOneByteAnElementOfEightBitAttention) {
  training::TrainingConfig c = shared_by(2, ContextComm::ring);
  c.precision = machine::Precision::fp8;
  c.recipe.fp8_attention = true;
  const Setting at(c, support::tiny_llama());
  const Lines lines = lines_of(forward(at));
  EXPECT_EQ(lines[1], "copy 512x256");
  EXPECT_EQ(lines[2], "cp send_recv " + std::to_string(512 * 512) + " over 2");
}

TEST(Hybrid, IsARingOfAllToAlls) {
  const Setting at(shared_by(4, ContextComm::hybrid, 2), support::tiny_llama());
  EXPECT_EQ(at.layout.context_inner.ranks, 2);
  EXPECT_EQ(at.layout.context_inner.stride, 1);
  EXPECT_EQ(at.layout.context_outer.ranks, 2);
  EXPECT_EQ(at.layout.context_outer.stride, 2);
  const std::string wide = "cp all_to_all " + std::to_string(256 * 1024 * 2) + " over 2",
                    narrow = "cp all_to_all " + std::to_string(256 * 256 * 2) + " over 2";
  EXPECT_EQ(lines_of(forward(at)),
            (Lines{"copy 256x1024", wide, "copy 256x256", narrow, "copy 256x256", narrow, "copy 256x1024",
                   "copy 256x256", "copy 256x256",  // 512 tokens, 8 query and 2 key-value heads
                   "copy 512x256", "cp send_recv " + std::to_string(512 * 256 * 2) + " over 2",
                   "attention 512x512 of 8/2 causal", "attention 512x256 of 8/2", "merge 512x8",
                   "copy 512x512", "merge 512x512", "copy 256x1024", wide, "copy 256x1024"}));
}

TEST(Hybrid, TakesTheRanksOfANodeWhereNoneAreNamed) {
  const Setting at(shared_by(8, ContextComm::hybrid, 0, 4), support::tiny_gpt());
  EXPECT_EQ(at.layout.context_inner.ranks, 2);  // nodes of 8, tensor groups of 4
  EXPECT_EQ(at.layout.context_inner.nodes, 1);
  EXPECT_EQ(at.layout.context_outer.ranks, 4);
  EXPECT_EQ(at.layout.context_outer.nodes, 4);
}

bool is_attention(ops::KernelKind kind) {
  return kind == ops::KernelKind::attention_forward || kind == ops::KernelKind::attention_backward;
}

TEST(ContextParallelism, SharesTheFlopsOfTheWholeSequenceWhicheverWay) {
  training::ModelSpec latent = support::tiny_llama();
  latent.kv_heads = latent.heads;
  latent.latent = {.query_rank = 384, .key_value_rank = 128, .nope_dim = 64, .rope_dim = 32, .value_dim = 64};
  for (const training::ModelSpec& m : {support::tiny_gpt(), support::tiny_llama(), latent}) {
    const Setting whole(shared_by(1, ContextComm::ring), m);
    for (const std::int32_t context : {2, 4})
      for (const ContextComm how :
           {ContextComm::ring, ContextComm::all_gather, ContextComm::ulysses, ContextComm::hybrid}) {
        const Setting part(shared_by(context, how, 2), m);
        EXPECT_DOUBLE_EQ(flops_of_block(forward(part), is_attention) * context,
                         flops_of_block(forward(whole), is_attention))
            << m.name << " cp " << context << " by " << static_cast<int>(how);
        EXPECT_DOUBLE_EQ(flops_of_block(backward(part), is_attention) * context,
                         flops_of_block(backward(whole), is_attention));
      }
  }
}

TEST(LocalAttention, FormsFewerPairsButNotWhereAllTokensAreNear) {
  training::ModelSpec m = support::tiny_llama();
  m.local = {.span = 128};
  const training::TrainingConfig c = shared_by(1, ContextComm::ring);
  EXPECT_EQ(lines_of(forward(Setting(c, m), Mixer::local)),
            (Lines{"attention 1024x1024 of 16/4 causal span 128"}));
  EXPECT_EQ(lines_of(forward(Setting(c, m), Mixer::attention)),
            (Lines{"attention 1024x1024 of 16/4 causal"}));
  m.local.chunked = true;
  EXPECT_EQ(lines_of(backward(Setting(c, m), Mixer::local)),
            (Lines{"attention' 1024x1024 of 16/4 causal chunk 128"}));
  m.local.span = 1024;
  EXPECT_EQ(lines_of(forward(Setting(c, m), Mixer::local)), (Lines{"attention 1024x1024 of 16/4 causal"}));
}

// A window needs the keys of the piece and of the window before it; each query sees all of its window.
TEST(LocalAttention, NeedsOnlyTheWindowOfGatheredKeys) {
  training::ModelSpec m = support::tiny_llama();
  m.local = {.span = 100};
  const Setting at(shared_by(4, ContextComm::all_gather), m);
  const Workload work = forward(at, Mixer::local);
  EXPECT_EQ(lines_of(work)[4], "attention 128x228 of 16/4 causal span 100");
  EXPECT_DOUBLE_EQ(flops_of_block(work, is_attention), 2.0 * 2 * 64 * 16 * (256.0 * 100));
}

// Llama 3's document masks at 131 072 tokens (Grattafiori et al. 2024, section 3.3.2): all keys are gathered,
// those of other documents are left out.
TEST(PackedDocuments, AreSharedByRanksThatGatherKeys) {
  for (const std::int32_t packed : {32, 64, 128}) {
    training::TrainingConfig whole_config = shared_by(1, ContextComm::all_gather);
    training::TrainingConfig part_config = shared_by(4, ContextComm::all_gather);
    whole_config.recipe.packed_tokens = part_config.recipe.packed_tokens = packed;
    const Setting whole(whole_config, support::tiny_llama()), part(part_config, support::tiny_llama());
    EXPECT_DOUBLE_EQ(4 * flops_of_block(forward(part), is_attention),
                     flops_of_block(forward(whole), is_attention));
    EXPECT_DOUBLE_EQ(4 * flops_of_block(backward(part), is_attention),
                     flops_of_block(backward(whole), is_attention));
  }
}

// A document that began on another rank: the piece from token 384 sees it from token 256 on.
TEST(PackedDocuments, ReachBackToTheirFirstToken) {
  training::TrainingConfig c = shared_by(4, ContextComm::all_gather);
  c.recipe.packed_tokens = 256;
  const Setting at(c, support::tiny_llama());
  const Lines lines = lines_of(forward(at));
  EXPECT_EQ(lines[4], "attention 128x256 of 16/4 causal chunk 256");
  EXPECT_EQ(lines[6], "attention 128x128 of 16/4 causal chunk 256");
}

TEST(LocalAttention, IsWholeOnEachRankUnderUlysses) {
  training::ModelSpec m = support::tiny_llama();
  m.local = {.span = 100};
  const Setting whole(shared_by(1, ContextComm::ring), m), part(shared_by(4, ContextComm::ulysses), m);
  EXPECT_DOUBLE_EQ(4 * flops_of_block(forward(part, Mixer::local), is_attention),
                   flops_of_block(forward(whole, Mixer::local), is_attention));
}

// A million tokens over 32 ranks of 8-way tensor groups, heads of 128: nothing wraps.
TEST(ContextParallelism, CountsAMillionTokensInFull) {
  training::ModelSpec m = support::tiny_llama();
  m.heads = 128, m.kv_heads = 8, m.head_dim = 128, m.hidden = 16384;
  const double tokens = 1 << 20;
  for (const ContextComm how : {ContextComm::ring, ContextComm::all_gather}) {
    training::TrainingConfig c = shared_by(32, how, 0, 8);
    c.batch.sequence_tokens = 1 << 20;
    const Setting at(c, m);
    const Workload work = forward(at);
    EXPECT_DOUBLE_EQ(flops_of_block(work, is_attention),
                     2.0 * 2 * (tokens * tokens / 2) * 128 * 128 / 8 / 32);
    std::int64_t bytes = 0;
    for (const ops::CollectiveQuery& query : work.collectives) bytes = std::max(bytes, query.payload.value);
    EXPECT_EQ(bytes, how == ContextComm::ring ? (1LL << 15) * 256 * 2 : (1LL << 20) * 128 * 2);
  }
}

std::int64_t bytes_sent(const Workload& work, Lane lane) {
  const OpGraph& block = work.blocks[0];
  std::int64_t bytes = 0;
  for (std::size_t op = 0; op < block.lane.size(); ++op)
    if (block.lane[op] == lane)
      bytes += work.collectives[at(block.work[op]) - work.kernels.size()].payload.value;
  return bytes;
}

// Jacobs et al. 2023, section 3.2: with N tokens over P ranks each sends 4 N h / P elements a layer and pass,
// which stays the same as both grow; sequence parallelism of a tensor group moves 4 N h.
TEST(Ulysses, SendsNoMoreAsTokensAndRanksGrowTogether) {
  for (const std::int32_t ranks : {2, 4, 8}) {
    training::TrainingConfig c = shared_by(ranks, ContextComm::ulysses);
    c.batch.sequence_tokens = 1024 * ranks;
    EXPECT_EQ(bytes_sent(forward(Setting(c, support::tiny_gpt())), Lane::context), 4LL * 1024 * 1024 * 2);
    training::TrainingConfig tensor = support::a_config({.tensor = ranks});
    tensor.sequence_parallel = true;
    tensor.batch.sequence_tokens = 1024 * ranks;
    const Setting at(tensor, support::tiny_gpt());
    const Workload layer = traced_block(
        [&](Builder& b) { layer_forward(b, at.x, training::LayerKind::dense, TimeCategory::forward); });
    EXPECT_EQ(bytes_sent(layer, Lane::tensor), 4LL * 1024 * ranks * 1024 * 2);
  }
}

// Keys and values of one head for eight query heads: gathers move less than all-to-alls of every head.
TEST(GatheredAttention, MovesLittleWhereHeadsShareKeys) {
  training::ModelSpec m = support::tiny_llama();
  m.heads = 32, m.kv_heads = 4, m.head_dim = 32;
  const auto sent = [&](ContextComm how) {
    return bytes_sent(forward(Setting(shared_by(4, how), m)), Lane::context);
  };
  EXPECT_EQ(sent(ContextComm::all_gather), 2LL * 1024 * 128 * 2);           // buffers of four ranks
  EXPECT_EQ(sent(ContextComm::ulysses), (2LL * 1024 + 2 * 128) * 256 * 2);  // of one
}

}  // namespace
}  // namespace echo::workload
