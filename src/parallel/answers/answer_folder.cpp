#include "parallel/answers/answer_folder.hpp"

#include <cstring>
#include <string_view>
#include <utility>

#include "base/record.hpp"
#include "parallel/answers/question_lock.hpp"
#include "parallel/journal/journal_frames.hpp"

namespace echo::parallel {

using simulate::PacketAnswer;

namespace {

constexpr std::string_view ending = ".answers";
constexpr std::size_t program_digits = 16;

std::string framed_answer(const Hash128& question, const PacketAnswer& answer) {
  std::string payload(reinterpret_cast<const char*>(question.data()), question.size());
  put_value(answer.seconds, payload);
  put_value(answer.latency.count(), payload);
  return framed(payload);
}

}  // namespace

AnswerFolder::AnswerFolder(std::filesystem::path folder, const std::string& program, Disk& disk, Host& host)
    : folder_(std::move(folder)), program_(program.substr(0, program_digits)), disk_(disk), host_(host) {
  read_new();
}

// All answers of this program that are there by now, beyond those that are known. A torn frame at the end may
// be one that is being written: it is looked at again. One in between ends its file for good.
void AnswerFolder::read_new() {
  const auto names = disk_.files(folder_);
  if (names.error != 0) return;
  for (const std::string& name : names.it ? *names.it : std::vector<std::string>()) {
    if (!name.starts_with(program_ + "-") || !name.ends_with(ending) || name == own_name_) continue;
    std::int64_t& at = read_[name];
    const auto file = disk_.open(folder_ / name, Disk::Use::read);
    if (file.error != 0) continue;
    const std::int64_t size = file.it->size();
    if (size <= at) continue;
    std::string bytes(static_cast<std::size_t>(size - at), '\0');
    const std::int64_t got = file.it->read(at, bytes);
    if (got <= 0) continue;
    bytes.resize(static_cast<std::size_t>(got));
    std::string_view rest = bytes;
    while (const auto payload = first_frame(rest)) {
      RecordReader reader(*payload);
      const auto question = reader.value<Hash128>();
      PacketAnswer answer;
      answer.seconds = reader.value<double>();
      answer.latency = SimTime(reader.value<std::int64_t>());
      known_.try_emplace(question, answer);
      rest.remove_prefix(frame_head_bytes + payload->size());
    }
    at += static_cast<std::int64_t>(bytes.size() - rest.size());
  }
}

const PacketAnswer* AnswerFolder::find(const Hash128& question) {
  const auto entry = known_.find(question);
  return entry == known_.end() ? nullptr : &entry->second;
}

void AnswerFolder::keep(const Hash128& question, const PacketAnswer& answer) {
  known_.try_emplace(question, answer);
  if (is_refused_) return;
  if (own_ == nullptr) {
    own_name_ = program_ + "-" + host_.token() + std::string(ending);
    own_ = disk_.open(folder_ / own_name_, Disk::Use::create).it;
  }
  is_refused_ = own_ == nullptr || own_->append(framed_answer(question, answer)) != 0;
}

PacketAnswer AnswerFolder::answer(const Hash128& question, const std::function<PacketAnswer()>& work_out) {
  if (const PacketAnswer* known = find(question)) return *known;
  is_refused_ = is_refused_ || disk_.make_folders(folder_) != 0;
  const QuestionLock lock(folder_, question);
  read_new();
  if (const PacketAnswer* known = find(question)) return *known;
  const PacketAnswer answer = work_out();
  keep(question, answer);
  return answer;
}

}  // namespace echo::parallel
