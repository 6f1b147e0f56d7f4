#include "parallel/launch/put_aside.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.hpp"

namespace echo::parallel {
namespace {

// 0, or why not. link() fails where the name is taken; where there are no links, the launch's lock must do.
int rename_to_free_name(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()) == 0 ? 0 : errno;
  if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS) return errno;
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(to, error))) return EEXIST;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

std::filesystem::path put_aside(const std::filesystem::path& file) {
  for (int number = 1;; ++number) {
    auto aside = file;
    aside += number == 1 ? ".damaged" : ".damaged." + std::to_string(number);
    const int reason = rename_to_free_name(file, aside);
    if (reason == 0) return aside;
    if (reason != EEXIST)
      throw UserError("cannot put \"" + file.string() + "\" aside as \"" + aside.string() +
                          "\": " + std::strerror(reason),
                      "move it away, or write elsewhere with -o", 5);
  }
}

}  // namespace echo::parallel
