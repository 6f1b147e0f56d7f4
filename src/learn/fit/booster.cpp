// Settings that make a training repeatable: one thread, exact splits (no histogram that depends on how rows
// were cut into batches), draws seeded again in each round, so that no earlier training in this process
// matters.
#include "learn/fit/booster.hpp"

#include "base/contract.hpp"
#include "base/error.hpp"

#ifdef ECHO_HAS_XGBOOST

#include "learn/fit/xgboost_library.hpp"

#include <charconv>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace echo::learn {

namespace {

void check(int status) {
  if (status != 0) throw std::runtime_error(std::string("xgboost: ") + xgboost_library().last_error());
}

struct MatrixFree {
  void operator()(void* matrix) const { xgboost_library().free_matrix(matrix); }
};
using Matrix = std::unique_ptr<void, MatrixFree>;

std::vector<float> floats_of(std::span<const double> numbers) {
  std::vector<float> floats;
  floats.reserve(numbers.size());
  for (const double number : numbers) floats.push_back(static_cast<float>(number));
  return floats;
}

Matrix matrix_of(std::span<const double> values, std::size_t rows) {
  const std::vector<float> floats = floats_of(values);
  DMatrixHandle matrix = nullptr;
  check(xgboost_library().create_matrix(floats.data(), rows, floats.size() / rows,
                                        std::numeric_limits<float>::quiet_NaN(), &matrix));
  return Matrix(matrix);
}

void set_info(const Matrix& matrix, const char* field, std::span<const double> numbers) {
  const std::vector<float> floats = floats_of(numbers);
  check(xgboost_library().set_info(matrix.get(), field, floats.data(), floats.size()));
}

template <class Number>
std::string text_of(Number number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

double weighted_mean(std::span<const double> numbers, std::span<const double> weights) {
  return std::inner_product(numbers.begin(), numbers.end(), weights.begin(), 0.0) /
         std::accumulate(weights.begin(), weights.end(), 0.0);
}

std::string constraints_of(const std::vector<std::int32_t>& monotone) {
  std::string text = "(";
  for (const std::int32_t sign : monotone) text += (text.size() > 1 ? "," : "") + text_of(sign);
  return text + ")";
}

}  // namespace

struct Booster::Handle {
  BoosterHandle booster = nullptr;
  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { xgboost_library().free(booster); }
  void set(const char* name, const std::string& value) const {
    check(xgboost_library().set_parameter(booster, name, value.c_str()));
  }
};

bool is_built_with_xgboost() { return true; }

Booster::Booster(const Samples& samples, const TreeSettings& settings,
                 const std::vector<std::int32_t>& monotone, std::uint64_t seed)
    : handle_(std::make_unique<Handle>()) {
  ECHO_EXPECT(samples.base.empty());
  const Matrix matrix = matrix_of(samples.values, samples.target.size());
  set_info(matrix, "label", samples.target);
  set_info(matrix, "weight", samples.weight);

  DMatrixHandle raw = matrix.get();
  check(xgboost_library().create(&raw, 1, &handle_->booster));
  handle_->set("verbosity", "0");
  handle_->set("nthread", "1");
  handle_->set("tree_method", "exact");
  handle_->set("objective", "reg:squarederror");
  handle_->set("base_score", text_of(static_cast<float>(weighted_mean(samples.target, samples.weight))));
  handle_->set("seed", text_of(seed % 0x7fffffff));
  handle_->set("seed_per_iteration", "1");
  handle_->set("max_depth", text_of(settings.depth));
  handle_->set("eta", text_of(settings.learning_rate));
  handle_->set("min_child_weight", text_of(settings.min_child_weight));
  handle_->set("lambda", text_of(settings.lambda));
  handle_->set("gamma", text_of(settings.gamma));
  handle_->set("subsample", text_of(settings.subsample));
  handle_->set("colsample_bytree", text_of(settings.colsample));
  if (!monotone.empty()) handle_->set("monotone_constraints", constraints_of(monotone));
  for (std::int32_t round = 0; round < settings.rounds; ++round)
    check(xgboost_library().update(handle_->booster, round, matrix.get()));
}

std::vector<float> Booster::predict(std::span<const double> values, std::size_t rows) const {
  const Matrix matrix = matrix_of(values, rows);
  const char* how =
      R"({"type": 0, "training": false, "iteration_begin": 0, "iteration_end": 0, "strict_shape": false})";
  const bst_ulong* shape = nullptr;
  bst_ulong dimensions = 0;
  const float* out = nullptr;
  check(xgboost_library().predict(handle_->booster, matrix.get(), how, &shape, &dimensions, &out));
  return {out, out + rows};
}

std::string Booster::json() const {
  const char* bytes = nullptr;
  bst_ulong size = 0;
  check(xgboost_library().save(handle_->booster, R"({"format": "json"})", &size, &bytes));
  return {bytes, size};
}

}  // namespace echo::learn

#else

namespace echo::learn {

struct Booster::Handle {};

bool is_built_with_xgboost() { return false; }

static void refuse() {
  throw UserError("this build lacks xgboost, which is needed to train trees",
                  "install libxgboost-dev and build again, or train a network (mlp)");
}

Booster::Booster(const Samples&, const TreeSettings&, const std::vector<std::int32_t>&, std::uint64_t) {
  refuse();
}

std::vector<float> Booster::predict(std::span<const double>, std::size_t) const {
  refuse();
  return {};
}

std::string Booster::json() const {
  refuse();
  return {};
}

}  // namespace echo::learn

#endif

namespace echo::learn {

Booster::Booster(Booster&&) noexcept = default;
Booster& Booster::operator=(Booster&&) noexcept = default;
Booster::~Booster() = default;

}  // namespace echo::learn
