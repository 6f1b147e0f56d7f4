#include "slowdown/model_file.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "base/contract.hpp"
#include "base/error.hpp"
#include "tests/support/sample_learned.hpp"

namespace echo::slowdown {
namespace {

using testing::sample_metric_model;
using testing::sample_simulator_model;

void expect_refused(const std::string& bytes) {
  try {
    static_cast<void>(model_from_bytes(bytes, "a.model"));
    ADD_FAILURE() << "was accepted";
  } catch (const UserError& error) {
    EXPECT_EQ(error.exit_code(), 2);
    ASSERT_EQ(error.problems().size(), 1U);
    EXPECT_EQ(error.problems()[0].place.file, "a.model");
    EXPECT_FALSE(error.problems()[0].remedy.empty());
  }
}

std::string payload_of(const LearnedModel& model) { return model_to_bytes(model).substr(model_frame_bytes); }

TEST(ModelFile, RestoresEveryKindOfModel) {
  for (std::uint64_t key = 0; key < 40; ++key)
    for (const LearnedModel& model : {sample_simulator_model(key), sample_metric_model(key)}) {
      const std::string bytes = model_to_bytes(model);
      const LearnedModel restored = model_from_bytes(bytes, "a.model");
      ASSERT_EQ(restored, model) << key;
      ASSERT_EQ(model_to_bytes(restored), bytes) << key;
    }
}

TEST(ModelFile, RefusesEachBitThatFlips) {
  const std::string sound = model_to_bytes(sample_metric_model(2));
  for (std::size_t bit = 0; bit < 8 * sound.size(); bit += bit < 8 * 64 ? 1 : 13) {
    std::string bytes = sound;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    ASSERT_THROW(static_cast<void>(model_from_bytes(bytes, "a.model")), UserError) << bit;
  }
}

TEST(ModelFile, RefusesEachLengthButItsOwn) {
  const std::string sound = model_to_bytes(sample_simulator_model(2));
  for (std::size_t size = 0; size < sound.size(); ++size)
    ASSERT_THROW(static_cast<void>(model_from_bytes(std::string_view(sound).substr(0, size), "a.model")),
                 UserError);
  expect_refused(sound + '\0');
}

TEST(ModelFile, RefusesACutPayloadOfRightChecksum) {
  const std::string payload = payload_of(sample_simulator_model(2));
  for (std::size_t size = 0; size < payload.size(); ++size)
    ASSERT_THROW(
        static_cast<void>(model_from_bytes(framed(std::string_view(payload).substr(0, size)), "a.model")),
        UserError)
        << size;
  expect_refused(framed(payload + '\0'));
}

// Each place in turn holds the largest number: where it is a length, memory for it must not be asked for.
TEST(ModelFile, TakesNoMemoryForLengthsThatLie) {
  const std::string payload = payload_of(sample_metric_model(2));
  for (std::size_t at = 0; at + 8 <= payload.size(); ++at)
    for (const std::uint64_t lie :
         {~std::uint64_t{0}, std::uint64_t{1} << 40, std::uint64_t{payload.size()}}) {
      std::string bytes = payload;
      std::memcpy(bytes.data() + at, &lie, sizeof lie);
      try {
        const LearnedModel model = model_from_bytes(framed(bytes), "a.model");
        ASSERT_TRUE(is_sound(model));
      } catch (const UserError& error) {
        ASSERT_EQ(error.exit_code(), 2);
      }
    }
}

TEST(ModelFile, RefusesModelsThatNoTrainingMakes) {
  LearnedModel model = sample_metric_model(2);
  const std::string payload = payload_of(model);
  std::string bytes = payload;
  const double kept = 0.6, negative = -0.6;  // of the finest family
  const auto at = bytes.find(std::string(reinterpret_cast<const char*>(&kept), sizeof kept));
  ASSERT_NE(at, std::string::npos);
  std::memcpy(bytes.data() + at, &negative, sizeof negative);
  expect_refused(framed(bytes));
}

TEST(ModelFile, RefusesOtherFeatures) {
  std::string bytes = payload_of(sample_simulator_model(2));
  const auto at = bytes.find("sm_share");
  ASSERT_NE(at, std::string::npos);
  bytes[at] = 'r';
  expect_refused(framed(bytes));
}

TEST(ModelFile, RefusesNamesThatWouldWriteToTheTerminal) {
  std::string bytes = payload_of(sample_simulator_model(2));
  const auto at = bytes.find("a100-sxm");
  ASSERT_NE(at, std::string::npos);
  bytes[at] = '\x1b';
  expect_refused(framed(bytes));
}

TEST(ModelFile, WritesSoundModelsOnly) {
  EXPECT_THROW(static_cast<void>(model_to_bytes(LearnedModel{})), ContractViolation);
}

}  // namespace
}  // namespace echo::slowdown
