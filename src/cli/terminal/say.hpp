// What commands print: text that may hold words of files and command lines goes to the terminal through
// printable(). Coloured texts (problem_text.hpp, progress.hpp) have done so with their parts.
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <utility>

#include "base/printable.hpp"

namespace echo::cli {

// To standard output.
template <class... Parts>
void say(fmt::format_string<Parts...> form, Parts&&... parts) {
  fmt::print("{}", printable(fmt::format(form, std::forward<Parts>(parts)...)));
}

// To standard error.
template <class... Parts>
void remark(fmt::format_string<Parts...> form, Parts&&... parts) {
  fmt::print(stderr, "{}", printable(fmt::format(form, std::forward<Parts>(parts)...)));
}

}  // namespace echo::cli
