// Preconditions (ECHO_EXPECT) and postconditions (ECHO_ENSURE). Both are checked in every build; a violation
// throws and becomes a `failed` row, so that one bug never takes a sweep down.
#pragma once

#include <stdexcept>
#include <string>

namespace echo {

struct ContractViolation : std::logic_error {
  using std::logic_error::logic_error;
};

[[noreturn]] inline void contract_violated(const char* kind, const char* fact, const char* file, int line) {
  throw ContractViolation(std::string(kind) + " violated: " + fact + " (" + file + ":" +
                          std::to_string(line) + ")");
}

}  // namespace echo

#define ECHO_EXPECT(fact) \
  ((fact) ? static_cast<void>(0) : ::echo::contract_violated("precondition", #fact, __FILE_NAME__, __LINE__))
#define ECHO_ENSURE(fact) \
  ((fact) ? static_cast<void>(0) : ::echo::contract_violated("promise", #fact, __FILE_NAME__, __LINE__))
