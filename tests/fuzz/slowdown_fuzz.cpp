// Any bytes are a slowdown model or a UserError of exit code 2, and what is a model predicts, is written back
// as the same bytes, and has an image that predicts the same. The first byte chooses what the rest is: the
// file, or (its frame mended, so that what reads the payload is reached) a payload, or changes to that of a
// sound model: four bytes each, what to do, where (two bytes), and with which byte.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "slowdown/learned_view.hpp"
#include "slowdown/model_file.hpp"
#include "tests/support/sample_learned.hpp"

namespace {

using namespace echo::slowdown;

std::vector<std::string> sound_payloads() {
  std::vector<std::string> payloads;
  for (std::uint64_t key = 0; key < 8; ++key)
    for (const LearnedModel& model :
         {echo::testing::sample_simulator_model(key), echo::testing::sample_metric_model(key)})
      payloads.push_back(model_to_bytes(model).substr(model_frame_bytes));
  return payloads;
}

void change(std::string& payload, std::span<const std::uint8_t> changes) {
  for (; changes.size() >= 4; changes = changes.subspan(4)) {
    const std::size_t at = (changes[1] | std::size_t{changes[2]} << 8) % (payload.size() + 1);
    const auto value = static_cast<char>(changes[3]);
    switch (changes[0] % 5) {
      case 0:
        if (at < payload.size()) payload[at] = value;
        break;
      case 1:
        payload.insert(at, changes[3] % 16, '\0');
        break;
      case 2:
        payload.erase(at, changes[3] % 32);
        break;
      case 3:
        payload.resize(at);
        break;
      case 4:  // eight bytes alike: a length or a number at the end of its range
        for (std::size_t i = at; i < at + 8 && i < payload.size(); ++i) payload[i] = value;
    }
  }
}

void require(bool fact) {
  if (!fact) std::abort();
}

void use(const LearnedModel& model, std::string_view bytes) {
  require(model_to_bytes(model) == bytes);
  echo::testing::Draws draws(1);
  if (model.features == FeatureSet::metrics) {
    OverlapRow row;
    row.kernel = "gemm";
    row.alone = 4e-5;
    const double kept = kept_rate(model, row);
    require(std::isfinite(kept) && kept > 0.0);
    return;
  }
  const std::string image = make_image(model);
  const LearnedView view(std::as_bytes(std::span(image)));
  for (int pair = 0; pair < 4; ++pair) {
    const auto kernel = echo::testing::sample_kernel(draws);
    const auto collective = echo::testing::sample_collective(draws);
    const Factors factors = predict(model, kernel, collective, echo::testing::a100_machine);
    require(std::isfinite(factors.kernel) && std::isfinite(factors.collective));
    require(factors.kernel >= 1.0 && factors.collective >= 1.0);
    require(view.predict(kernel, collective, echo::testing::a100_machine) == factors);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::string> sound = sound_payloads();
  if (size == 0) return 0;
  const std::string rest(reinterpret_cast<const char*>(data + 1), size - 1);
  std::string bytes = rest;
  if (data[0] == 1) bytes = framed(rest);
  if (data[0] > 1) {
    std::string payload = sound[data[0] % sound.size()];
    change(payload, {data + 1, size - 1});
    bytes = framed(payload);
  }
  try {
    use(model_from_bytes(bytes, "fuzzed"), bytes);
  } catch (const echo::UserError& error) {
    require(error.exit_code() == 2);
  }
  return 0;
}
