// Any text compiles or says where it does not; what compiles evaluates, with any values, without a crash or a
// hang.
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "sweep/language/expression.hpp"

namespace {

struct FewNames : echo::sweep::Symbols {
  std::optional<echo::sweep::Symbol> find(std::string_view name) override {
    using echo::sweep::Type;
    if (name == "tp") return echo::sweep::Symbol{0, Type::integer};
    if (name == "x") return echo::sweep::Symbol{1, Type::real};
    if (name == "on") return echo::sweep::Symbol{2, Type::boolean};
    if (name == "schedule") return echo::sweep::Symbol{3, Type::text};
    if (name == "gpu.memory") return echo::sweep::Symbol{4, Type::integer, echo::sweep::in_bytes};
    if (name == "gpu.nvlink") return echo::sweep::Symbol{5, Type::real, echo::sweep::bytes_per_second};
    return std::nullopt;
  }
  std::int64_t intern(std::string_view text) override {
    return texts.emplace(std::string(text), static_cast<std::int64_t>(texts.size())).first->second;
  }
  std::optional<echo::sweep::ExpressionError> check_comparison(std::string_view, std::string_view literal,
                                                               std::int32_t) override {
    if (literal != "typo") return std::nullopt;
    return echo::sweep::ExpressionError{0, 1, "unknown", "", std::string(literal), {"1f1b"}};
  }
  std::map<std::string, std::int64_t> texts;
};

// A problem is shown with a caret: it must stand in the text, or right behind it.
void want_inside(const echo::sweep::ExpressionError& error, std::size_t size) {
  const bool inside =
      error.offset >= 0 && error.length >= 1 && static_cast<std::size_t>(error.offset) <= size;
  if (!inside || error.what.empty()) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto division : {echo::sweep::Division::exact, echo::sweep::Division::real}) {
    FewNames names;
    echo::sweep::ExpressionError error;
    const auto code = echo::sweep::compile(text, names, division, error);
    if (!code) {
      want_inside(error, size);
      continue;
    }
    for (const std::int64_t number : {std::int64_t{0}, std::int64_t{7}, INT64_MIN, INT64_MAX}) {
      const std::array<echo::sweep::Scalar, 6> slots{
          {{number, 0.0}, {0, 1e308}, {number != 0 ? 1 : 0, 0.0}, {0, 0.0}, {number, 0.0}, {0, 450e9}}};
      static_cast<void>(echo::sweep::evaluate(*code, slots));
    }
  }
  return 0;
}
