// Any bytes, printed, hold nothing that a terminal obeys; as a JSON text they are one; as a quantity they are
// a number or a problem.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/printable.hpp"
#include "config/toml/units.hpp"
#include "text/json.hpp"
#include "trace_io/io/json_pull.hpp"

namespace {

void expect_printable(std::string_view text, bool is_one_line) {
  while (!text.empty()) {
    const std::size_t length = echo::utf8_length(text);
    if (length == 0) std::abort();
    const std::string_view one = text.substr(0, length);
    const bool is_space = !is_one_line && (one == "\n" || one == "\t");
    if (!is_space && echo::is_control_character(one)) std::abort();
    text.remove_prefix(length);
  }
}

std::string unquoted(const std::string& json) {
  echo::trace_io::JsonPull pull{std::string_view(json)};
  std::string out(pull.string());
  pull.finish();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string shown = echo::printable(text);
  expect_printable(shown, false);
  if (echo::printable(shown) != shown) std::abort();
  const std::string json = echo::text::json_text(text), again = unquoted(json);
  expect_printable(json, true);
  if (unquoted(echo::text::json_text(again)) != again) std::abort();
  using echo::config::UnitKind;
  for (const UnitKind kind : {UnitKind::bytes, UnitKind::bytes_per_second, UnitKind::flops_per_second,
                              UnitKind::duration, UnitKind::count, UnitKind::tokens}) {
    echo::config::UnitProblem problem;
    const auto value = echo::config::parse_quantity(text, kind, "key", problem);
    if (value.has_value() == !problem.what.empty()) std::abort();
  }
  return 0;
}
