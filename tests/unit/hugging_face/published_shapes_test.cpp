// Published configs against the parameter counts of transformers' own models (recount.py computes them
// again), presets made of them against the presets shipped, and damaged ones.
#include <toml++/toml.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "base/named_table.hpp"
#include "config/catalog/catalog_files.hpp"
#include "config/catalog/preset_files.hpp"
#include "hugging_face/architecture.hpp"
#include "hugging_face/preset_of_config.hpp"
#include "tests/support/source_dir.hpp"

namespace echo::hugging_face {
namespace {

using Json = nlohmann::json;
using training::ModelSpec;

const Json& shapes() {
  static const Json all = [] {
    std::ifstream in(std::string(support::source_dir()) + "/tests/unit/hugging_face/published_shapes.json");
    return Json::parse(in);
  }();
  return all;
}

ModelConfig read(const Json& config) {
  Problems problems;
  const auto model = read_model_config(config.dump(), "config.json", problems);
  for (const Problem& one : problems.list()) ADD_FAILURE() << one.what;
  return model.value_or(ModelConfig{});
}

// The model that a preset's text describes.
ModelSpec reread(const std::string& text) {
  Problems problems;
  const auto table = config::parse_toml(text, "preset.toml", problems);
  if (!table) return {};
  config::TableReader reader(*table, {}, "model", problems);
  ModelSpec model = config::read_model(reader);
  for (const Problem& one : problems.list()) ADD_FAILURE() << one.what << "\n" << text;
  return model;
}

TEST(PublishedShapes, HaveTheParametersOfTransformersOwnModels) {
  for (const Json& one : shapes())
    EXPECT_EQ(training::total_parameters(read(one["config"]).model), one["parameters"].get<std::int64_t>())
        << one["repository"];
}

TEST(PublishedShapes, CoverEveryArchitecture) {
  std::set<const Architecture*> seen;
  for (const Json& one : shapes()) seen.insert(find_architecture(read(one["config"]).model_type));
  for (const Architecture* one : architecture_table()) EXPECT_TRUE(seen.contains(one)) << one->model_types[0];
}

TEST(PublishedShapes, AreTheSameModelsAsPresets) {
  for (const Json& one : shapes()) {
    const ModelConfig config = read(one["config"]);
    ModelSpec expected = config.model;
    expected.name = "mine", expected.source = "a \"place\"";
    const std::string text = preset_text(config, "mine", "a \"place\"");
    EXPECT_EQ(reread(text), expected) << text;
    EXPECT_EQ(text.find("not read"), std::string::npos)
        << one["repository"] << " has fields nobody reads: " << text;
  }
}

// Where the catalog has the model. Two things differ: the length of sequences, which the catalog takes from
// the training, and the width of a dense net that no layer has.
TEST(PublishedShapes, AreTheModelsOfTheCatalog) {
  const std::map<std::string, const char*> presets{
      {"meta-llama/Llama-2-70b-hf", "llama2-70b"},
      {"meta-llama/Llama-3.1-405B", "llama3-405b"},
      {"meta-llama/Llama-4-Scout-17B-16E", "llama4-scout"},
      {"meta-llama/Llama-4-Maverick-17B-128E", "llama4-maverick"},
      {"mistralai/Mistral-7B-v0.1", "mistral-7b"},
      {"mistralai/Mixtral-8x22B-v0.1", "mixtral-8x22b"},
      {"Qwen/Qwen3-30B-A3B", "qwen3-30b-a3b"},
      {"Qwen/Qwen3-235B-A22B", "qwen3-235b-a22b"},
      {"google/gemma-3-27b-pt", "gemma3-27b"},
      {"deepseek-ai/DeepSeek-V2-Lite", "deepseek-v2-lite"},
      {"deepseek-ai/DeepSeek-V2", "deepseek-v2"},
      {"deepseek-ai/DeepSeek-V3", "deepseek-v3"},
      {"moonshotai/Kimi-K2-Instruct", "kimi-k2"},
      {"openai/gpt-oss-20b", "gpt-oss-20b"},
      {"openai/gpt-oss-120b", "gpt-oss-120b"},
      {"mgoin/Nemotron-4-340B-Base-hf", "nemotron4-340b"},
      {"nvidia/Nemotron-H-8B-Base-8K", "nemotron-h-8b"},
      {"nvidia/Nemotron-H-56B-Base-8K", "nemotron-h-56b"}};
  const config::CatalogInputs catalog = config::read_catalog();
  std::size_t compared = 0;
  for (const Json& one : shapes()) {
    const auto found = presets.find(one["repository"].get<std::string>());
    if (found == presets.end()) continue;
    const auto& models = catalog.catalog.models;
    const ModelSpec& preset = models.at(static_cast<std::size_t>(find_named(models, found->second)));
    const ModelConfig config = read(one["config"]);
    ModelSpec model = config.model;
    model.name = preset.name, model.source = preset.source, model.max_positions = preset.max_positions;
    EXPECT_EQ(model, preset) << preset_text(config, preset.name, "config.json");
    ++compared;
  }
  EXPECT_EQ(compared, presets.size());
}

// One field of one shape, with a value that belongs to something else, or none.
Json damaged(std::mt19937_64& random) {
  Json config = shapes()[random() % shapes().size()]["config"];
  Json& object = config.contains("text_config") ? config["text_config"] : config;
  auto field = object.begin();
  std::advance(field, static_cast<std::ptrdiff_t>(random() % object.size()));
  const std::vector<Json> values{nullptr,
                                 true,
                                 false,
                                 0,
                                 -1,
                                 1,
                                 3,
                                 7,
                                 2.5,
                                 1e300,
                                 "",
                                 "words",
                                 1u << 31,
                                 std::uint64_t{1} << 63,
                                 65536,
                                 1 << 24,
                                 Json::array(),
                                 Json::array({"full_attention"}),
                                 Json::object()};
  if (random() % 8 == 0)
    object.erase(field);
  else
    *field = values[random() % values.size()];
  return config;
}

TEST(DamagedConfigs, AreRefusedOrReadAsAModelThatAPresetCanSay) {
  std::mt19937_64 random(20240607);
  int refused = 0, kept = 0;
  for (int i = 0; i < 4000; ++i) {
    const Json config = damaged(random);
    Problems problems;
    const auto model = read_model_config(config.dump(), "config.json", problems);
    EXPECT_EQ(model.has_value(), problems.errors() == 0) << config.dump();
    if (!model) {
      ++refused;
      continue;
    }
    ++kept;
    EXPECT_GT(training::total_parameters(model->model), 0) << config.dump();
    ModelSpec expected = model->model;
    expected.name = "mine", expected.source = "here";
    EXPECT_EQ(reread(preset_text(*model, "mine", "here")), expected) << config.dump();
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(kept, 500);
}

}  // namespace
}  // namespace echo::hugging_face
