#include "base/unforeseen.hpp"

#include <new>
#include <string>
#include <system_error>

namespace echo {

UserError unforeseen(const std::exception& error) {
  const char* const remedy =
      "raise the limit (ulimit -v and -u, the memory of the job) or use fewer workers on a node; rows "
      "written "
      "so far are kept";
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    return {"the machine has no more memory for this process", remedy, 5};
  const auto* const refused = dynamic_cast<const std::system_error*>(&error);
  if (refused != nullptr && (refused->code() == std::errc::resource_unavailable_try_again ||
                             refused->code() == std::errc::not_enough_memory))
    return {"the machine has no more memory or threads for this process: " + std::string(error.what()),
            remedy, 5};
  return {error.what(), "this is a bug; please report it with the command and the sweep", 1};
}

}  // namespace echo
