// Fitted constants of one network (node type and fabric), read from sweeps/catalog/networks/<name>.toml.
#pragma once

#include <span>
#include <string>

namespace echo::collective {

struct NetworkConstants {
  std::string name;
  friend bool operator==(const NetworkConstants&, const NetworkConstants&) = default;
};

// Name and place of each constant, so that readers, writers and serialisers need no list of their own.
struct NetworkConstantField {
  const char* name;
  double NetworkConstants::*member;
};
[[nodiscard]] std::span<const NetworkConstantField> network_constant_fields();

}  // namespace echo::collective
