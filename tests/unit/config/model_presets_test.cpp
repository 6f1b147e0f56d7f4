// Model files: presets against what their authors publish, and the keys of models whose layers differ.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/named_table.hpp"
#include "config/catalog/catalog_files.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/temp_catalog.hpp"
#include "training/model.hpp"

namespace echo::config {
namespace {

using namespace training;

const ModelSpec& preset(const char* name) {
  static const CatalogInputs all = read_catalog();
  return all.catalog.models[static_cast<std::size_t>(find_named(all.catalog.models, name))];
}

TEST(LayerKinds, FollowThePatternOfTheFile) {
  const ModelSpec& m = preset("nemotron-h-8b");
  const LayerKindCounts of = count_layer_kinds(m, 0, m.layers);
  EXPECT_EQ(of[(LayerKind{Mixer::mamba, Net::none}.index())], 24);
  EXPECT_EQ(of[(LayerKind{Mixer::attention, Net::none}.index())], 4);
  EXPECT_EQ(of[(LayerKind{Mixer::none, Net::dense}.index())], 24);
  EXPECT_EQ(layer_kind(m, 7), (LayerKind{Mixer::attention, Net::none}));
}

// Counts that the checkpoints' index files or the reports print.
TEST(TotalParameters, EqualThePublishedOnesOfModelsWithSeveralKindsOfLayers) {
  EXPECT_EQ(total_parameters(preset("mistral-7b")), 7'241'732'096);
  EXPECT_EQ(total_parameters(preset("gpt-oss-120b")), 116'829'156'672);
  EXPECT_EQ(total_parameters(preset("gpt-oss-20b")), 20'914'757'184);
  // Gemma 3 report, table 1: 25 600 M beside the embedding.
  const ModelSpec& gemma = preset("gemma3-27b");
  EXPECT_NEAR(static_cast<double>(total_parameters(gemma) - std::int64_t{gemma.vocab} * gemma.hidden),
              25600e6, 0.5e6);
  EXPECT_EQ(total_parameters(preset("nemotron-h-8b")), 8'100'852'736);
  EXPECT_NEAR(static_cast<double>(total_parameters(preset("nemotron-h-56b"))), 56e9, 1e9);
  // Llama 4: 109 B and 400 B with the vision encoder, 17 B active.
  EXPECT_NEAR(static_cast<double>(total_parameters(preset("llama4-scout"))), 108e9, 1e9);
  EXPECT_NEAR(static_cast<double>(active_parameters(preset("llama4-maverick"))), 17e9, 0.5e9);
}

// gpt-oss model card, table 1: 5.13 B and 3.61 B, the embedding's look-up left out.
TEST(ActiveParameters, EqualTheModelCard) {
  for (const auto& [name, card] : {std::pair{"gpt-oss-120b", 5.13e9}, std::pair{"gpt-oss-20b", 3.61e9}}) {
    const ModelSpec& m = preset(name);
    EXPECT_NEAR(static_cast<double>(active_parameters(m) - std::int64_t{m.vocab} * m.hidden), card, 0.005e9);
  }
}

// What is said about a model file that ends with `keys`.
std::vector<std::string> told_about(const std::string& keys) {
  const support::TempCatalog temp;
  support::write_file(
      temp.folder() / "models" / "odd.toml",
      "name = \"odd\"\nsource = \"made up\"\ngrade = \"assumed\"\nlayers = 4\nhidden = 64\n"
      "heads = 4\nvocab = 100\nmax_positions = 128\ngated_ffn = true\ntied_embeddings = false\n"
      "linear_bias = false\nnorm = \"rms\"\npositions = \"rope\"\n" +
          keys);
  return support::TempCatalog::told([&] { (void)read_catalog({temp.folder().string()}); });
}

TEST(ModelFile, SaysWhatIsWrongWithKindsOfLayers) {
  using ::testing::ElementsAre, ::testing::HasSubstr, ::testing::IsEmpty;
  const std::string mamba = "[mamba]\nheads = 4\nhead_dim = 32\ngroups = 2\nstate = 16\n";
  EXPECT_THAT(told_about("window = 32\nfull_attention_interval = 2\n"), IsEmpty());
  EXPECT_THAT(told_about("layer_pattern = \"M-*-\"\n" + mamba), IsEmpty());
  EXPECT_THAT(told_about("window = 32\nattention_chunk = 32\n"),
              ElementsAre(HasSubstr("model \"odd\" has both window and attention_chunk")));
  EXPECT_THAT(told_about("full_attention_interval = 2\n"),
              ElementsAre(HasSubstr("every layer of model \"odd\" attends to all tokens")));
  EXPECT_THAT(told_about("layer_pattern = \"*-*-*\"\n"),
              ElementsAre(HasSubstr("layer_pattern has 5 letters for 4 layers in model \"odd\"")));
  EXPECT_THAT(told_about("layer_pattern = \"*-X-\"\n"),
              ElementsAre(HasSubstr("layer_pattern has the letter 'X' in model \"odd\"")));
  EXPECT_THAT(told_about("layer_pattern = \"M-*-\"\n"),
              ElementsAre(HasSubstr("Mamba layers and [mamba] must be given together in model \"odd\"")));
  EXPECT_THAT(told_about(mamba), ElementsAre(HasSubstr("no layer is a Mamba layer in model \"odd\"")));
  EXPECT_THAT(
      told_about("window = 8\nlayer_pattern = \"*-*-\"\n"),
      ElementsAre(HasSubstr("layer_pattern already defines the kind of each layer in model \"odd\"")));
}

TEST(ModelFile, SaysWhichRarePartsContradictOthers) {
  using ::testing::ElementsAre, ::testing::HasSubstr, ::testing::IsEmpty;
  EXPECT_THAT(
      told_about("qkv_bias = true\nwhole_query_key_norm = true\nembedding_norm = true\nhead_bias = true\n"
                 "norm_weights = false\nsingle_norm = true\n"),
      IsEmpty());
  EXPECT_THAT(told_about("single_norm = true\npost_norms = true\n"),
              ElementsAre(HasSubstr("single_norm is not simulated with")));
  EXPECT_THAT(told_about("position_offset = 2\n"),
              ElementsAre(HasSubstr("position_offset without a table of positions")));
  EXPECT_THAT(told_about("query_key_norm = true\nwhole_query_key_norm = true\n"),
              ElementsAre(HasSubstr("both query_key_norm and whole_query_key_norm")));
  EXPECT_THAT(told_about("shared_expert_gate = true\n"),
              ElementsAre(HasSubstr("shared_expert_gate without shared experts")));
}

}  // namespace
}  // namespace echo::config
