#include "parallel/launch/put_aside.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.hpp"

namespace echo::parallel {
namespace {

// 0, or why not. link() fails where the name is taken; where there are no links, the launch's lock must do.
int rename_to_free_name(Disk& disk, const std::filesystem::path& from, const std::filesystem::path& to) {
  const int error = disk.link(from, to);
  if (error == 0) return disk.remove(from);
  if (error != EPERM && error != EOPNOTSUPP && error != ENOSYS) return error;
  return disk.kind(to) != EntryKind::absent ? EEXIST : disk.rename(from, to);
}

}  // namespace

// First to a name of our own, in one step: what is moved so is either the damaged file or, where we were
// frozen, one that another launch finished meanwhile. Only then is there time to look at the lock.
std::filesystem::path put_aside(const std::filesystem::path& file, Disk& disk, const Fence& fence) {
  const auto refuse = [&file](int reason) {
    if (reason != 0)
      throw UserError("cannot put \"" + file.string() + "\" aside: " + std::strerror(reason),
                      "move it away, or write elsewhere with -o", 5);
  };
  fence.check();
  auto moved = file;
  moved += "." + fence.token() + ".aside";
  refuse(disk.rename(file, moved));
  try {
    fence.check();
  } catch (...) {
    if (disk.link(moved, file) == 0) static_cast<void>(disk.remove(moved));
    throw;
  }
  for (int number = 1;; ++number) {
    auto aside = file;
    aside += number == 1 ? ".damaged" : ".damaged." + std::to_string(number);
    const int reason = rename_to_free_name(disk, moved, aside);
    if (reason == 0) return aside;
    if (reason != EEXIST) refuse(reason);
  }
}

}  // namespace echo::parallel
