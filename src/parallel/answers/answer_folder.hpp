// Answers of the packet simulator in a folder that workers and launches share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "parallel/platform/disk.hpp"
#include "parallel/platform/host.hpp"
#include "simulate/prices/packet_memory.hpp"

namespace echo::parallel {

// One file for each worker of a launch, PROGRAM-TOKEN.answers, of frames as journals have them; files of
// other programs are not looked at. While a question is worked out, others that ask the same wait. What is
// damaged is worked out again; a disk that refuses costs the sharing alone.
class AnswerFolder : public simulate::PacketAnswers {
 public:
  // `program`: 16 digits or more of the hash of what works out the answers. The folder is made with the first
  // answer.
  AnswerFolder(std::filesystem::path folder, const std::string& program, Disk& = real_disk(),
               Host& = real_host());
  simulate::PacketAnswer answer(const Hash128& question,
                                const std::function<simulate::PacketAnswer()>& work_out) override;

 private:
  [[nodiscard]] const simulate::PacketAnswer* find(const Hash128& question);
  void read_new();
  void keep(const Hash128& question, const simulate::PacketAnswer&);

  std::filesystem::path folder_;
  std::string program_;
  Disk& disk_;
  Host& host_;
  std::map<Hash128, simulate::PacketAnswer> known_;
  std::map<std::string, std::int64_t> read_;  // by file: bytes looked at
  std::unique_ptr<DiskFile> own_;
  std::string own_name_;
  bool is_refused_ = false;  // by the disk
};

}  // namespace echo::parallel
