#include "cli/run/abort_all.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "base/unforeseen.hpp"
#include "cli/terminal/problem_text.hpp"

namespace echo::cli {

void abort_all(const parallel::Session& session, const std::exception& error) {
  const UserError reported = unforeseen(error);
  fmt::print(stderr, "worker {}: {}", session.worker(), problem_text(reported, false));
  session.abort(reported.exit_code());
}

}  // namespace echo::cli
