// Configs that cannot be read, and what is said of them.
#include "hugging_face/read_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace echo::hugging_face {
namespace {

using ::testing::AllOf, ::testing::Contains, ::testing::ElementsAre, ::testing::HasSubstr, ::testing::IsEmpty;
using ::testing::Not, ::testing::UnorderedElementsAre;

std::vector<std::string> told(const std::string& text) {
  Problems problems;
  const auto model = read_model_config(text, "c.json", problems);
  EXPECT_EQ(model.has_value(), problems.errors() == 0);
  std::vector<std::string> lines;
  for (const Problem& one : problems.list())
    lines.push_back(std::to_string(one.place.line) + ":" + std::to_string(one.place.column) + " " + one.what);
  return lines;
}

// A small Llama; `more` are further fields, or others in place of the same ones.
std::string llama(const std::string& more = "") {
  return "{\"model_type\": \"llama\", \"num_hidden_layers\": 2, \"hidden_size\": 64, "
         "\"num_attention_heads\": 4,\n"
         "\"intermediate_size\": 128, \"vocab_size\": 100, \"max_position_embeddings\": 64" +
         more + "}";
}

std::vector<std::string> notes(const std::string& text) {
  Problems problems;
  const auto model = read_model_config(text, "c.json", problems);
  EXPECT_TRUE(model.has_value());
  return model ? model->notes : std::vector<std::string>{};
}

TEST(ReadConfig, SaysWhereTextIsNotJson) {
  EXPECT_THAT(told(llama()), IsEmpty());
  EXPECT_THAT(told(""), ElementsAre(HasSubstr("this is not JSON")));
  EXPECT_THAT(told("{\"a\": 1,\n  oops}"),
              ElementsAre(AllOf(HasSubstr("2:3 "), HasSubstr("this is not JSON"))));
  EXPECT_THAT(told("[1, 2]"), ElementsAre(HasSubstr("array, not an object")));
  EXPECT_THAT(told("{\"a\": 1e999}"), ElementsAre(HasSubstr("a number is out of range")));
  EXPECT_THAT(told(std::string(100000, '[')), ElementsAre(HasSubstr("nested too deeply")));
  EXPECT_THAT(told(llama(",\n  \"vocab_size\": 9")), ElementsAre("3:4 \"vocab_size\" is given twice"));
}

TEST(ReadConfig, ReportsEveryProblemAtItsField) {
  EXPECT_THAT(told("{\"model_type\": \"llama\",\n \"hidden_size\": \"wide\",\n \"num_hidden_layers\": -3,\n"
                   " \"num_attention_heads\": 99999999999999999999, \"vocab_size\": 2.5,\n"
                   " \"tie_word_embeddings\": 1}"),
              UnorderedElementsAre(HasSubstr("2:3 hidden_size is not a whole number from 1 to"),
                                   HasSubstr("3:3 num_hidden_layers is not a whole number"),
                                   HasSubstr("4:3 num_attention_heads is not a whole number"),
                                   HasSubstr("vocab_size is not a whole number"),
                                   HasSubstr("5:3 tie_word_embeddings is not true or false"),
                                   HasSubstr("intermediate_size is missing"),
                                   HasSubstr("max_position_embeddings is missing")));
  EXPECT_THAT(told(llama(", \"num_key_value_heads\": 3")),
              ElementsAre(HasSubstr("key-value heads do not divide")));
  EXPECT_THAT(told("{\"model_type\": \"llama\", \"num_hidden_layers\": 65536, \"hidden_size\": 16777216, "
                   "\"num_attention_heads\": 4, \"intermediate_size\": 16777216, \"vocab_size\": 100, "
                   "\"max_position_embeddings\": 64}"),
              ElementsAre(HasSubstr("more than 10^17 parameters")));
  EXPECT_THAT(told("{\"hidden_size\": 3}"), ElementsAre(HasSubstr("model_type is missing")));
}

TEST(ReadConfig, RefusesAnArchitectureItDoesNotKnowAndNamesWhatItHas) {
  EXPECT_THAT(told("{\"model_type\": \"jamba\", \"hidden_size\": 64, \"mamba_dt_rank\": 256, "
                   "\"attn_layer_period\": 8,\n"
                   " \"brain_area\": 17, \"vocab_size\": 9}"),
              UnorderedElementsAre(AllOf(HasSubstr("1:3 the architecture \"jamba\" is not known"),
                                         HasSubstr("no known one has: brain_area")),
                                   HasSubstr("lacks Mamba-1 layers"),
                                   HasSubstr("lacks attention among Mamba-1 layers")));
  EXPECT_THAT(told("{\"model_type\": \"llama5\"}"), ElementsAre(HasSubstr("\"llama5\" is not known")));
  EXPECT_THAT(told(llama(", \"index_topk\": 2048")), ElementsAre(HasSubstr("indexer picks")));
}

TEST(ReadConfig, RefusesWhatTheSimulatorLacksInAKnownOne) {
  EXPECT_THAT(told(llama(", \"attention_bias\": true")),
              ElementsAre(HasSubstr("attention alone has biases")));
  EXPECT_THAT(told(llama(", \"attention_bias\": true, \"mlp_bias\": true")), IsEmpty());
  const auto as = [](const std::string& type, const std::string& more) {
    std::string text = llama(more);
    return text.replace(text.find("\"llama\""), 7, "\"" + type + "\"");
  };
  EXPECT_THAT(told(as("qwen2", ", \"use_sliding_window\": true")),
              ElementsAre(HasSubstr("from max_window_layers on")));
  EXPECT_THAT(told(as("gemma2", ", \"layer_types\": [\"full_attention\", \"sliding_attention\"]")),
              ElementsAre(HasSubstr("do not come at one distance")));
  EXPECT_THAT(told(as("mistral", ", \"layer_types\": [\"linear\"]")),
              ElementsAre(HasSubstr("another kind: linear")));
  EXPECT_THAT(told(as("phi", ", \"qk_layernorm\": true")),
              ElementsAre(HasSubstr("layer norms of each head")));
  EXPECT_THAT(
      told(as("opt", ", \"ffn_dim\": 128, \"word_embed_proj_dim\": 32, \"do_layer_norm_before\": false")),
      UnorderedElementsAre(HasSubstr("change the width"), HasSubstr("norms follow the residual sums")));
}

TEST(ReadConfig, ScalesPositionsOnlyWhereTheyAreYarn) {
  const auto scaled = [](const std::string& rope) {
    std::string text = llama(", \"num_local_experts\": 4, \"experts_per_token\": 2" + rope);
    text.replace(text.find("\"llama\""), 7, "\"gpt_oss\"");
    Problems problems;
    const auto read = read_model_config(text, "c.json", problems);
    return read && read->model.scaled_positions;
  };
  EXPECT_FALSE(scaled(""));
  EXPECT_FALSE(scaled(", \"rope_parameters\": {\"rope_type\": \"default\"}"));
  EXPECT_TRUE(scaled(", \"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 32.0}"));
}

TEST(ReadConfig, ListsWhatItDidNotTakeOver) {
  EXPECT_THAT(notes(llama()), IsEmpty());
  EXPECT_THAT(notes(llama(", \"rope_theta\": 1e4, \"torch_dtype\": \"bfloat16\", \"pad_token_id\": null")),
              IsEmpty());
  EXPECT_THAT(notes(llama(", \"favourite_colour\": \"blue\"")),
              ElementsAre(HasSubstr("not read: favourite_colour")));
  EXPECT_THAT(notes(llama(", \"num_nextn_predict_layers\": 1")), ElementsAre(HasSubstr("mtp_layers")));
  EXPECT_THAT(notes("{\"model_type\": \"seer\", \"vision_config\": {}, \"text_config\": " + llama() + "}"),
              ElementsAre(HasSubstr("encoder of pictures")));
}

}  // namespace
}  // namespace echo::hugging_face
