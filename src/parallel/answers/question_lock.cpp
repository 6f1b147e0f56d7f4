// A record lock that belongs to the open file (Linux F_OFD_SETLKW): it ends with the process, however that
// ends, and two of one process exclude each other too. Deadlock: a worker holds one question at a time.
#include "parallel/answers/question_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace echo::parallel {

QuestionLock::QuestionLock(const std::filesystem::path& folder, const Hash128& question)
    : file_(::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644)) {
  if (file_ < 0) return;
  std::uint64_t place = 0;
  std::memcpy(&place, question.data(), sizeof place);
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(place >> 2);  // below 2^62, where the range may end
  range.l_len = 1;
  while (::fcntl(file_, F_OFD_SETLKW, &range) != 0 && errno == EINTR) {
  }
}

QuestionLock::~QuestionLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace echo::parallel
