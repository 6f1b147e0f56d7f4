// Holds a question while it is worked out, so that others who ask it wait for the answer.
#pragma once

#include <filesystem>

#include "base/digest.hpp"

namespace echo::parallel {

// Locks a byte of the file `lock` in the folder, by the hash of the question, until it is destroyed or the
// process ends. Where the file system locks nothing, it is as if nobody else asked.
class QuestionLock {
 public:
  QuestionLock(const std::filesystem::path& folder, const Hash128& question);
  QuestionLock(const QuestionLock&) = delete;
  QuestionLock& operator=(const QuestionLock&) = delete;
  ~QuestionLock();

 private:
  int file_;
};

}  // namespace echo::parallel
