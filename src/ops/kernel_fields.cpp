#include "ops/kernel_fields.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace echo::ops {

namespace {

constexpr std::array<std::string_view, 3> style_names{"fused", "compiled", "eager"};
constexpr std::array<std::string_view, 3> attention_names{"native", "flash_2", "flash_1"};
constexpr std::array<std::string_view, 2> flag_names{"no", "yes"};

const std::array<std::string_view, kernel_kind_count>& kind_names() {
  static const auto names = [] {
    std::array<std::string_view, kernel_kind_count> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = name_of(static_cast<KernelKind>(i));
    return all;
  }();
  return names;
}

template <auto member>
constexpr KernelField field(std::string_view name, std::span<const std::string_view> names = {}) {
  return {name, names, [](const KernelKey& key) { return static_cast<std::int32_t>(key.*member); },
          [](KernelKey& key, std::int32_t value) {
            key.*member = static_cast<std::remove_reference_t<decltype(key.*member)>>(value);
          }};
}

template <auto member>
constexpr KernelField routing_field(std::string_view name, std::span<const std::string_view> names = {}) {
  return {name, names, [](const KernelKey& key) { return static_cast<std::int32_t>(key.routing.*member); },
          [](KernelKey& key, std::int32_t value) {
            key.routing.*member = static_cast<std::remove_reference_t<decltype(key.routing.*member)>>(value);
          }};
}

// Does not compile when KernelKey gets another member: give it a field below, and a column of its own.
[[maybe_unused]] void every_member(const KernelKey& key) {
  [[maybe_unused]] const auto& [kind, precision, layout, style, causal, gated, fp32_accumulate, chunked,
                                grouped, attention, library, m, n, k, batch, groups, value_dim, span,
                                routing] = key;
  [[maybe_unused]] const auto& [experts, rows, reached, unevenness, tuned] = key.routing;
}

}  // namespace

std::span<const KernelField, kernel_field_count> kernel_fields() {
  using K = KernelKey;
  static const std::array<KernelField, kernel_field_count> fields{
      field<&K::kind>("kind", kind_names()),
      field<&K::precision>("precision", machine::precision_names),
      field<&K::layout>("layout", gemm_layout_names),
      field<&K::style>("style", style_names),
      field<&K::causal>("causal", flag_names),
      field<&K::gated>("gated", flag_names),
      field<&K::fp32_accumulate>("fp32_accumulate", flag_names),
      field<&K::chunked>("chunked", flag_names),
      field<&K::grouped>("grouped", flag_names),
      field<&K::attention>("attention", attention_names),
      field<&K::library>("library", kernel_library_names),
      field<&K::m>("m"),
      field<&K::n>("n"),
      field<&K::k>("k"),
      field<&K::batch>("batch"),
      field<&K::groups>("groups"),
      field<&K::value_dim>("value_dim"),
      field<&K::span>("span"),
      routing_field<&Routing::experts>("routing_experts"),
      routing_field<&Routing::rows>("routing_rows"),
      routing_field<&Routing::reached>("routing_reached"),
      routing_field<&Routing::unevenness>("routing_unevenness"),
      routing_field<&Routing::tuned>("routing_tuned", flag_names),
  };
  return fields;
}

const KernelField* kernel_field(std::string_view name) {
  const auto fields = kernel_fields();
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const KernelField& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

KernelNumbers numbers_of(const KernelKey& key) {
  KernelNumbers numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = kernel_fields()[i].get(key);
  return numbers;
}

KernelKey key_of(const KernelNumbers& numbers) {
  KernelKey key;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const KernelField& field = kernel_fields()[i];
    ECHO_EXPECT(field.names.empty() ||
                (numbers[i] >= 0 && numbers[i] < static_cast<std::int32_t>(field.names.size())));
    field.set(key, numbers[i]);
  }
  return key;
}

}  // namespace echo::ops
