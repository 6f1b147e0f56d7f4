#include "slowdown/learned_view.hpp"

#include <gtest/gtest.h>

#include "base/contract.hpp"
#include "tests/support/sample_learned.hpp"

namespace echo::slowdown {
namespace {

using testing::a100_machine;
using testing::Draws;
using testing::sample_collective;
using testing::sample_kernel;
using testing::sample_simulator_model;

std::span<const std::byte> bytes_of(const std::string& image) { return std::as_bytes(std::span(image)); }

TEST(LearnedView, EqualsTheModelBitForBit) {
  for (std::uint64_t key = 0; key < 60; ++key) {
    const LearnedModel model = sample_simulator_model(key);
    ASSERT_TRUE(is_sound(model)) << key;
    const std::string image = make_image(model);
    const LearnedView view(bytes_of(image));
    Draws draws(1000 + key);
    for (std::int32_t pair = 0; pair < 200; ++pair) {
      const auto kernel = sample_kernel(draws);
      const auto collective = sample_collective(draws);
      ASSERT_EQ(view.predict(kernel, collective, a100_machine),
                predict(model, kernel, collective, a100_machine))
          << key << ' ' << pair;
    }
  }
}

TEST(LearnedView, EqualModelsHaveEqualBytes) {
  const std::string image = make_image(sample_simulator_model(3));
  EXPECT_EQ(image, make_image(sample_simulator_model(3)));
  EXPECT_EQ(LearnedView(bytes_of(image)), LearnedView(bytes_of(std::string(image))));
  EXPECT_NE(image, make_image(sample_simulator_model(4)));
}

TEST(LearnedView, RefusesBytesThatAreNoImage) {
  const std::string image = make_image(sample_simulator_model(3));
  for (const std::size_t size : {std::size_t{0}, std::size_t{8}, image.size() / 2, image.size() - 8})
    EXPECT_THROW(LearnedView(bytes_of(image).first(size)), ContractViolation) << size;
  std::string foreign = image;
  foreign[0] = 'x';
  EXPECT_THROW(LearnedView{bytes_of(foreign)}, ContractViolation);
  EXPECT_THROW(LearnedView{bytes_of(image + std::string(8, '\0'))}, ContractViolation);
}

TEST(LearnedView, OfNothingPredictsNothing) {
  EXPECT_TRUE(LearnedView().is_empty());
  EXPECT_THROW(static_cast<void>(LearnedView().predict({}, {.channels = 1}, a100_machine)),
               ContractViolation);
}

}  // namespace
}  // namespace echo::slowdown
