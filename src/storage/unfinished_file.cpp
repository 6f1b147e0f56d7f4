#include "storage/unfinished_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>

#include "base/error.hpp"
#include "storage/hdf5.hpp"

namespace echo::storage {

[[noreturn]] static void refuse(const std::filesystem::path& file, const std::string& why) {
  throw UserError("cannot write \"" + file.string() + "\": " + why, "choose another place with -o", 5);
}

UnfinishedFile::UnfinishedFile(const std::filesystem::path& file) : file_(file), unfinished_(file) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::absolute(file).parent_path(),
                                      error);  // a failure shows when the file is made
  std::random_device chance;
  char ending[32];
  std::snprintf(ending, sizeof ending, ".%08x%08x.tmp", chance(), chance());
  unfinished_ += ending;
  const int made = ::open(unfinished_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (made < 0) refuse(file_, std::strerror(errno));
  ::close(made);
}

UnfinishedFile::~UnfinishedFile() {
  std::error_code error;
  if (!unfinished_.empty()) std::filesystem::remove(unfinished_, error);
}

void UnfinishedFile::move_into_place() {
  sync_to_disk(unfinished_);
  std::error_code error;
  std::filesystem::rename(unfinished_, file_, error);
  if (error) refuse(file_, error.message());
  unfinished_.clear();
  sync_to_disk(std::filesystem::absolute(file_).parent_path());
}

}  // namespace echo::storage
